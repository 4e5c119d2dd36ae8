// Conditions on a card that the filters of boards and of calendars share.

import { sql } from "drizzle-orm";
import { containing } from "../../db/patterns.js";
import { card, cardMember, member } from "../../db/schema/index.js";

/** Whether the title or the description contains a text, in any case of letters. */
export const isAbout = (search: string) =>
  sql`(${card.title} ilike ${containing(search)}::text or ${card.description} ilike ${containing(search)}::text)`;

/** Whether a member of the workspace is assigned. */
export const isAssigned = (workspaceId: number, memberPublicId: string) => sql`exists (
  select from ${cardMember}
  join ${member} on ${member.workspaceId} = ${workspaceId}::bigint and ${member.id} = ${cardMember.memberId}
  where ${cardMember.workspaceId} = ${workspaceId}::bigint and ${cardMember.cardId} = ${card.id}
    and ${member.publicId} = ${memberPublicId}::text)`;
