CREATE TABLE "board_opened" (
	"workspace_id" bigint NOT NULL,
	"board_id" bigint NOT NULL,
	"account_id" bigint NOT NULL,
	"opened_at" timestamp(3) with time zone NOT NULL,
	CONSTRAINT "board_opened_workspace_id_board_id_account_id_pk" PRIMARY KEY("workspace_id","board_id","account_id")
);
--> statement-breakpoint
ALTER TABLE "board_opened" ADD CONSTRAINT "board_opened_account_id_account_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."account"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "board_opened" ADD CONSTRAINT "board_opened_board" FOREIGN KEY ("workspace_id","board_id") REFERENCES "public"."board"("workspace_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "board_opened_account" ON "board_opened" USING btree ("account_id","opened_at");