DROP INDEX "mail_account";--> statement-breakpoint
ALTER TABLE "mail" ADD COLUMN "caused_by" bigint;--> statement-breakpoint
ALTER TABLE "mail" ADD COLUMN "sent_at" timestamp(3) with time zone;--> statement-breakpoint
CREATE INDEX "mail_caused" ON "mail" USING btree ("caused_by","kind","created_at");--> statement-breakpoint
CREATE INDEX "mail_account" ON "mail" USING btree ("account_id","sent_at");