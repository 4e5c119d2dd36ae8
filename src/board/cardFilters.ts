// Filters of a board's cards, as conditions on a card (contract section 2, Filters).

import { isNull, type SQL, sql } from "drizzle-orm";
import { type FieldFilter, hasValues } from "../card/model/cardFields.js";
import { containing } from "../db/patterns.js";
import { card, cardLabel, cardMember, label, member, workspace } from "../db/schema/index.js";

/** Which cards of a board to show; a filter by an unknown identifier matches no card. */
export interface CardFilter extends FieldFilter {
  memberPublicId?: string | undefined;
  labelPublicId?: string | undefined;
  due?: "overdue" | "today" | "week" | "none" | undefined;
  search?: string | undefined;
}

/** Whether a filter matches every card. */
export const isWhole = (filter: CardFilter) => Object.values(filter).every((value) => value === undefined);

const today = sql.raw("date_trunc('day', now())");

/** Due dates by days in UTC; a week begins on the workspace's `week_start_day`. */
const dueConditions = {
  none: () => isNull(card.dueDate),
  overdue: () => sql`${card.dueDate} < now() and ${card.completedAt} is null`,
  today: () => sql`${card.dueDate} >= ${today} and ${card.dueDate} < ${today} + interval '1 day'`,
  week: (workspaceId: number) => sql`(
    select ${card.dueDate} >= week.start and ${card.dueDate} < week.start + interval '7 days'
    from (
      select ${today} - ((extract(dow from now())::int - ${workspace.weekStartDay} + 7) % 7) * interval '1 day' as start
      from ${workspace} where ${workspace.id} = ${workspaceId}::bigint
    ) week)`,
};

/** The condition of a filter for the cards of a workspace. */
export function conditionOf(workspaceId: number, filter: CardFilter): SQL {
  const { memberPublicId, labelPublicId, due, search } = filter;
  const conditions: SQL[] = [hasValues(filter)];
  if (memberPublicId !== undefined) {
    conditions.push(sql`exists (
      select from ${cardMember}
      join ${member} on ${member.workspaceId} = ${cardMember.workspaceId} and ${member.id} = ${cardMember.memberId}
      where ${cardMember.workspaceId} = ${workspaceId}::bigint and ${cardMember.cardId} = ${card.id}
        and ${member.publicId} = ${memberPublicId}::text)`);
  }
  if (labelPublicId !== undefined) {
    conditions.push(sql`exists (
      select from ${cardLabel}
      join ${label} on ${label.workspaceId} = ${cardLabel.workspaceId} and ${label.id} = ${cardLabel.labelId}
      where ${cardLabel.workspaceId} = ${workspaceId}::bigint and ${cardLabel.cardId} = ${card.id}
        and ${label.publicId} = ${labelPublicId}::text)`);
  }
  if (due !== undefined) conditions.push(dueConditions[due](workspaceId));
  if (search !== undefined) {
    conditions.push(
      sql`(${card.title} ilike ${containing(search)}::text or ${card.description} ilike ${containing(search)}::text)`,
    );
  }
  return sql.join(conditions, sql` and `);
}
