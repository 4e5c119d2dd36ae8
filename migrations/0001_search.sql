-- What workspace.search reads (src/workspace/search.ts). By hand and not in src/db/schema/: drizzle-kit cannot write functions,
-- and the indexes are on one.

-- The words of a text as search compares them, each behind `prefix`: runs of letters and digits, without case, accents and
-- invisible characters; each emoji and each ideograph or kana by itself. Says which characters it means by number, so that
-- databases of any locale agree. Its cost is high enough for every plan to ask the index, and low enough
-- not to be compiled (jit) below a million cards.
CREATE FUNCTION search_words(value text, prefix text) RETURNS text[]
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE COST 2000 AS $$
DECLARE
  folded text := lower(value COLLATE "C");
BEGIN
  IF octet_length(folded) > length(folded) THEN
    -- normalize() sorts a run of combining marks in quadratic time: 50 000 of them would take half a minute.
    IF length(folded) > 255 THEN
      folded := regexp_replace(folded, '[^\u0001-\u02ff]{255}', '\& ', 'g');
    END IF;
    folded := regexp_replace(normalize(folded, NFKD),
      '[\u00ad\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u05bf-\u05c7\u0610-\u061a\u064b-\u065f\u0670'
      '\u200b-\u200f\u2060\ufe00-\ufe0f\ufeff]', '', 'g');
    -- Ligatures may have made it twelve times as long.
    folded := lower(left(normalize(folded, NFC), 100000));
    folded := translate(folded, 'ıøłđðħŧς', 'iolddhtσ');
    folded := replace(replace(replace(replace(folded, 'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe'), 'þ', 'th');
    folded := regexp_replace(folded,
      '[\u2300-\u23ff\u2600-\u27bf\u2b00-\u2bff\u3005-\u3007\u3041-\u30fa\u30fc-\u30ff\u3400-\u9fff\uf900-\ufaff'
      '\U0001f000-\U0001fbff\U00020000-\U0003ffff]', ' \& ', 'g');
  END IF;
  folded := regexp_replace(folded,
    '[\u0001-/:-@\[-`{-\u00bf\u00d7\u00f7\u055a-\u055f\u0589\u05be\u060c\u061b-\u061f\u066a-\u066d\u06d4\u0964\u0965'
    '\u0e5a\u0e5b\u0f0b-\u0f12\u104a-\u104f\u1361-\u1368\u1680\u17d4-\u17da\u2000-\u206f\u20a0-\u20f0\u2190-\u22ff'
    '\u2400-\u25ff\u27c0-\u2aff\u2e00-\u2e7f\u3000-\u3004\u3008-\u3040\u30fb\ufd3e\ufd3f\ufe10-\ufe1f\ufe30-\ufe4f'
    '\ufff0-\uffff]+', ' ', 'g');
  -- A word is at most 2046 bytes, and all of them, in a tsvector, a megabyte. No query has a word of more than 200 characters.
  IF length(folded) > 255 THEN
    folded := regexp_replace(left(folded, 100000), '[^ ]{255}(?=[^ ])', '\& ', 'g');
  END IF;
  folded := btrim(folded);
  RETURN CASE folded WHEN '' THEN '{}' ELSE string_to_array(prefix || replace(folded, ' ', ' ' || prefix), ' ') END;
END $$;
--> statement-breakpoint
-- The words of a board or card behind the workspace's key and `t`, for the title, or `d`: a search reads entries of its own
-- workspace alone, and tells titles from descriptions in the index. The body is bound when it is made, not looked up by
-- search_path: ANALYZE, REINDEX and pg_restore run with an empty one.
CREATE FUNCTION search_terms(workspace_id bigint, title text, description text) RETURNS tsvector
LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 4000
RETURN array_to_tsvector(
  search_words(title, workspace_id::text || 't') || search_words(description, workspace_id::text || 'd'));
--> statement-breakpoint
CREATE INDEX "board_search" ON "board" USING gin (search_terms(workspace_id, name, '')) WHERE archived_at IS NULL;
--> statement-breakpoint
CREATE INDEX "card_search" ON "card" USING gin (search_terms(workspace_id, title, description)) WHERE archived_at IS NULL;
