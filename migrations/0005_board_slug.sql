DROP INDEX "board_slug";--> statement-breakpoint
CREATE UNIQUE INDEX "board_slug" ON "board" USING btree ("slug","workspace_id");