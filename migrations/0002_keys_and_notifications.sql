DROP INDEX "notification_of";--> statement-breakpoint
ALTER TABLE "idempotency_key" ADD CONSTRAINT "idempotency_key_workspace_id_workspace_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspace"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "notification_unread" ON "notification" USING btree ("account_id","id","workspace_id") WHERE "notification"."read_at" is null;--> statement-breakpoint
CREATE INDEX "idempotency_key_workspace" ON "idempotency_key" USING btree ("workspace_id");--> statement-breakpoint
CREATE INDEX "notification_of" ON "notification" USING btree ("account_id","id","workspace_id");