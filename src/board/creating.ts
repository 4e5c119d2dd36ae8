// Makes a board with its first lists and labels.

import { sql } from "drizzle-orm";
import type { WorkspaceAccess } from "../access/guards.js";
import type { Signed } from "../api/context.js";
import { json, type Transaction } from "../db/client.js";
import { newPublicId } from "../db/ids.js";
import { nameKey } from "../db/nameKey.js";
import { GAP } from "../db/positions.js";
import { boardEvent, record } from "../events/log.js";
import { freeSlugs, usableSlug } from "./slugs.js";

interface NewBoardFields {
  name: string;
  slug?: string | undefined;
  visibility: "workspace" | "private" | "public";
  lists: readonly string[];
  labels: readonly { name: string; colourCode: string }[];
}

/** Makes a board whose creator is its member. */
export async function createBoard(tx: Signed<Transaction>, workspace: WorkspaceAccess, fields: NewBoardFields) {
  const { name, visibility } = fields;
  const { workspaceId, memberId } = workspace;
  const [made = "board"] = fields.slug === undefined ? await freeSlugs(tx.db, workspaceId, [name]) : [];
  const slug = fields.slug === undefined ? made : await usableSlug(tx.db, workspaceId, fields.slug, null);
  const publicId = newPublicId();
  const lists = fields.lists.map((list, index) => ({ publicId: newPublicId(), name: list, position: index * GAP }));
  const labels = fields.labels.map((label) => ({ ...label, publicId: newPublicId(), nameKey: nameKey(label.name) }));
  const shownLists = lists.map((list) => ({ publicId: list.publicId, name: list.name }));
  const shownLabels = labels.map((label) => ({
    publicId: label.publicId,
    name: label.name,
    colourCode: label.colourCode,
  }));

  await record(tx, workspace, {
    events: [
      boardEvent({ boardPublicId: publicId }, "board.created", {
        name,
        slug,
        visibility,
        lists: shownLists,
        labels: shownLabels,
      }),
    ],
    write: () => sql`
      insert into board (workspace_id, public_id, name, slug, visibility)
      select ${workspaceId}::bigint, ${publicId}::text, ${name}::text, ${slug}::text, ${visibility}::text from next
      returning workspace_id, id`,
    also: [
      sql`joined as (insert into board_member (workspace_id, board_id, member_id)
        select workspace_id, id, ${memberId}::bigint from changed)`,
      sql`listed as (insert into list (workspace_id, public_id, board_id, name, position)
        select workspace_id, l."publicId", id, l.name, l.position
        from changed, jsonb_to_recordset(${json(lists)}) as l("publicId" text, name text, position bigint))`,
      sql`labelled as (insert into label (workspace_id, public_id, board_id, name, name_key, colour_code)
        select workspace_id, l."publicId", id, l.name, l."nameKey", l."colourCode"
        from changed, jsonb_to_recordset(${json(labels)}) as l("publicId" text, name text, "nameKey" text, "colourCode" text))`,
    ],
  });
  return { publicId, name, slug };
}
