// What is stored of a workspace, for tests to compare with what is answered.

import { sql } from "drizzle-orm";
import type { TestApp } from "../helpers/app.js";

export function workspaceRowsOn({ db }: TestApp) {
  const keyOf = async ({ publicId }: { publicId: string }) => {
    const [row] = await db.rows<{ id: number }>(sql`select id from workspace where public_id = ${publicId}::text`);
    return row?.id ?? -1;
  };

  const stored = async (workspace: { publicId: string }) => {
    const [row] =
      await db.rows(sql`select name, slug, description, plan, show_emails_to_members as "showEmailsToMembers",
        week_start_day as "weekStartDay", card_prefix as "cardPrefix"
      from workspace where public_id = ${workspace.publicId}::text`);
    return row;
  };

  return { keyOf, stored };
}
