DROP INDEX "webhook_delivery_due";--> statement-breakpoint
CREATE INDEX "webhook_delivery_waiting" ON "webhook_delivery" USING btree ("workspace_id","webhook_id","next_attempt_at","id") WHERE "webhook_delivery"."status" = 'pending';--> statement-breakpoint
ALTER TABLE "webhook_delivery" DROP COLUMN "leased_until";--> statement-breakpoint
-- A public identifier: 12 characters of 0-9A-Za-z out of 96 random bits, those of a UUID that mark its version left aside.
CREATE FUNCTION new_public_id() RETURNS text LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  digits text := replace(gen_random_uuid()::text, '-', '');
  high bigint := ('x' || lpad(left(digits, 12), 16, '0'))::bit(64)::bigint;
  low bigint := ('x' || lpad(right(digits, 12), 16, '0'))::bit(64)::bigint;
  made text := '';
BEGIN
  FOR i IN 1..6 LOOP
    made := made || substr('0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz', (high % 62)::int + 1, 1)
      || substr('0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz', (low % 62)::int + 1, 1);
    high := high / 62;
    low := low / 62;
  END LOOP;
  RETURN made;
END
$$;--> statement-breakpoint
-- Queues a delivery for every active webhook that wants an event, in the statement that logs it. A trigger, because it then
-- misses no writer of the log, and because it sees webhooks as they are once the workspace's counter is locked: a part of the
-- writing statement would see them as they were before it waited for that lock, and might miss a new one or name a deleted one.
CREATE FUNCTION queue_deliveries() RETURNS trigger LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  hook record;
BEGIN
  FOR hook IN
    SELECT w.workspace_id, w.id, w.events
    FROM (SELECT DISTINCT workspace_id FROM logged) place
    -- OFFSET keeps it one look into the index a workspace, however many events the planner expects.
    CROSS JOIN LATERAL (
      SELECT * FROM webhook WHERE webhook.workspace_id = place.workspace_id AND webhook.active OFFSET 0) w
  LOOP
    INSERT INTO webhook_delivery (workspace_id, public_id, webhook_id, event_seq, type, next_attempt_at)
    SELECT e.workspace_id, new_public_id(), hook.id, e.seq, e.type, now()
    FROM logged e
    WHERE e.workspace_id = hook.workspace_id AND EXISTS (
      SELECT FROM jsonb_array_elements_text(hook.events) wanted
      WHERE wanted IN ('*', e.type) OR (right(wanted, 2) = '.*' AND starts_with(e.type, left(wanted, -1))))
    ORDER BY e.seq;
  END LOOP;
  RETURN NULL;
END
$$;--> statement-breakpoint
CREATE TRIGGER event_queues_deliveries AFTER INSERT ON event
  REFERENCING NEW TABLE AS logged FOR EACH STATEMENT EXECUTE FUNCTION queue_deliveries();
