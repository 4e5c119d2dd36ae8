-- What was written lately waits in a list that every search reads from end to end: a short one, however much is written.
ALTER INDEX card_search SET (gin_pending_list_limit = 128);--> statement-breakpoint
ALTER INDEX board_search SET (gin_pending_list_limit = 128);
