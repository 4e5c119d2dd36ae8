DROP INDEX "card_member_of";--> statement-breakpoint
DROP INDEX "comment_author";--> statement-breakpoint
CREATE INDEX "card_created_by" ON "card" USING btree ("workspace_id","created_by","id");--> statement-breakpoint
CREATE INDEX "event_actor" ON "event" USING btree ("workspace_id","actor_id","seq");--> statement-breakpoint
CREATE INDEX "card_member_of" ON "card_member" USING btree ("workspace_id","member_id","card_id");--> statement-breakpoint
CREATE INDEX "comment_author" ON "comment" USING btree ("author_id","workspace_id","id");