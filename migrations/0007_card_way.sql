-- What places cards reads (src/card/moving.ts, src/card/atOnce.ts). By hand and not in src/db/schema/: drizzle-kit cannot write functions.

-- The way of a card to the place `wanted` of a list of `size` open cards, null for its end: the index it leaves (0 for a card that
-- lies nowhere yet), the one it comes to, and the positions of those it comes between. VOLATILE, so that it reads what is there when
-- it is called: the statement that calls it sees otherwise what was there before it waited for its locks.
CREATE FUNCTION card_way(
  in_workspace bigint, from_list bigint, from_position bigint, to_list bigint, size int, wanted int,
  OUT origin int, OUT destination int, OUT before bigint, OUT after bigint
) LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  is_among boolean := from_list IS NOT DISTINCT FROM to_list;
  last int := size - is_among::int;
BEGIN
  origin := (SELECT count(*) FROM card WHERE workspace_id = in_workspace AND list_id = from_list AND position < from_position);
  destination := least(wanted, last);
  IF destination = last THEN
    before := (
      SELECT position FROM card
      WHERE workspace_id = in_workspace AND list_id = to_list AND position IS NOT NULL AND NOT (is_among AND position = from_position)
      ORDER BY position DESC LIMIT 1);
  ELSIF destination = 0 THEN
    after := (
      SELECT position FROM card WHERE workspace_id = in_workspace AND list_id = to_list AND position IS NOT NULL
      ORDER BY position LIMIT 1);
  ELSE
    -- Who stands behind the card moves up when it leaves.
    SELECT min(position), max(position) INTO before, after FROM (
      SELECT position FROM card WHERE workspace_id = in_workspace AND list_id = to_list AND position IS NOT NULL
      ORDER BY position OFFSET destination - 1 + (is_among AND destination > origin)::int LIMIT 2
    ) neighbours;
  END IF;
END $$;
