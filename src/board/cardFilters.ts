// Filters of a board's cards, as conditions on a card `c` (contract section 2, Filters).

import { type SQL, sql } from "drizzle-orm";
import { type FieldFilter, hasValues } from "../access/cardFields.js";
import { containing } from "../db/patterns.js";

/** Which cards of a board to show; a filter by identifier that names nothing matches no card. */
export interface CardFilter extends FieldFilter {
  memberPublicId?: string | undefined;
  labelPublicId?: string | undefined;
  due?: "overdue" | "today" | "week" | "none" | undefined;
  search?: string | undefined;
}

/** Whether a filter lets every card through. */
export const isWhole = (filter: CardFilter) => Object.values(filter).every((value) => value === undefined);

const today = sql.raw("date_trunc('day', now())");

/** Due dates by UTC days; a week begins on the workspace's `week_start_day`. */
const dueConditions = {
  none: () => sql`c.due_date is null`,
  overdue: () => sql`c.due_date < now() and c.completed_at is null`,
  today: () => sql`c.due_date >= ${today} and c.due_date < ${today} + interval '1 day'`,
  week: (workspaceId: number) => sql`(
    select c.due_date >= s.start and c.due_date < s.start + interval '7 days'
    from (
      select ${today} - ((extract(dow from now())::int - w.week_start_day + 7) % 7) * interval '1 day' as start
      from workspace w where w.id = ${workspaceId}::bigint
    ) s)`,
};

/** The condition that a filter means for the cards of a workspace. */
export function conditionOf(workspaceId: number, filter: CardFilter): SQL {
  const { memberPublicId, labelPublicId, due, search } = filter;
  const conditions: SQL[] = [hasValues("c", filter)];
  if (memberPublicId !== undefined) {
    conditions.push(sql`exists (select from card_member x join member m on m.workspace_id = x.workspace_id and m.id = x.member_id
      where x.workspace_id = ${workspaceId}::bigint and x.card_id = c.id and m.public_id = ${memberPublicId}::text)`);
  }
  if (labelPublicId !== undefined) {
    conditions.push(sql`exists (select from card_label x join label l on l.workspace_id = x.workspace_id and l.id = x.label_id
      where x.workspace_id = ${workspaceId}::bigint and x.card_id = c.id and l.public_id = ${labelPublicId}::text)`);
  }
  if (due !== undefined) conditions.push(dueConditions[due](workspaceId));
  if (search !== undefined) {
    conditions.push(
      sql`(c.title ilike ${containing(search)}::text or c.description ilike ${containing(search)}::text)`,
    );
  }
  return sql.join(conditions, sql` and `);
}
