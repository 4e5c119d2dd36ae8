CREATE TABLE "card_text" (
	"workspace_id" bigint NOT NULL,
	"id" bigint NOT NULL,
	"title" text NOT NULL,
	"description" text NOT NULL,
	CONSTRAINT "card_text_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
-- As for the other tables of workspaces (0000). Here, because Citus takes it only before it distributes the table.
ALTER TABLE "card_text" ALTER COLUMN "workspace_id" SET (n_distinct = -0.005);
--> statement-breakpoint
ALTER TABLE "card_text" ADD CONSTRAINT "card_text_card" FOREIGN KEY ("workspace_id","id") REFERENCES "public"."card"("workspace_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
INSERT INTO "card_text" ("workspace_id", "id", "title", "description")
SELECT "workspace_id", "id", "title", "description" FROM "card" WHERE "archived_at" IS NULL;
--> statement-breakpoint
DROP INDEX "card_search";
--> statement-breakpoint
CREATE INDEX "card_search" ON "card_text" USING gin (search_terms(workspace_id, title, description)) WITH (gin_pending_list_limit = 128);
--> statement-breakpoint
ALTER INDEX "card_search" ALTER COLUMN 1 SET STATISTICS 0;
