ALTER TABLE "sign_in_failure" ALTER COLUMN "email" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "sign_in_failure" ADD COLUMN "account_id" bigint;--> statement-breakpoint
CREATE INDEX "sign_in_failure_account" ON "sign_in_failure" USING btree ("account_id");