ALTER TABLE "notification" ADD COLUMN "comment_id" bigint;--> statement-breakpoint
-- As in 0000_tables.sql, but each letter of Thai, Lao, Burmese and Khmer is a word by itself, since these are written without blanks.
CREATE OR REPLACE FUNCTION search_words(value text, prefix text) RETURNS text[]
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE COST 20000 AS $$
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
      '[\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0ecd\u0edc-\u0edf\u1000-\u103f\u1050-\u108f\u109a-\u109f\u1780-\u17b3'
      '\u17b6-\u17d3\u17dc\u17dd\ua9e0-\ua9ef\ua9fa-\ua9fe\uaa60-\uaa7f\u2300-\u23ff\u2600-\u27bf\u2b00-\u2bff\u3005-\u3007\u3041-\u30fa\u30fc-\u30ff\u3400-\u9fff\uf900-\ufaff'
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
-- Only boards and cards with such letters have other words than before.
DO $$ BEGIN
  IF EXISTS (SELECT FROM "board" WHERE name ~ '[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\ua9e0-\ua9ff\uaa60-\uaa7f]') THEN
    REINDEX INDEX "board_search";
  END IF;
  IF EXISTS (SELECT FROM "card_text"
    WHERE title || description ~ '[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\ua9e0-\ua9ff\uaa60-\uaa7f]') THEN
    REINDEX INDEX "card_search";
  END IF;
END $$;
--> statement-breakpoint
-- The words of a comment, as those of a description.
CREATE INDEX IF NOT EXISTS "comment_search" ON "comment" USING gin (search_terms(workspace_id, '', comment)) WITH (gin_pending_list_limit = 128);
--> statement-breakpoint
ALTER INDEX "comment_search" ALTER COLUMN 1 SET STATISTICS 0;
