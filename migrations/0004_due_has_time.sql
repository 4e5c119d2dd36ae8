-- False while the column is added, which rewrites no row; then true, because the version before makes cards with times meanwhile.
ALTER TABLE "card" ADD COLUMN "due_has_time" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "card" ALTER COLUMN "due_has_time" SET DEFAULT true;--> statement-breakpoint
-- Dates at midnight UTC stay days.
UPDATE "card" SET "due_has_time" = true
  WHERE "due_date" IS NOT NULL AND ("due_date" AT TIME ZONE 'UTC')::time <> '00:00';
