// Filters of a board's cards, as conditions on a card (contract section 2, Filters).

import { isNull, type SQL, sql } from "drizzle-orm";
import { type FieldFilter, hasValues } from "../card/model/cardFields.js";
import { isAbout, isAssigned } from "../card/model/cardMatches.js";
import { card, cardLabel, label, workspace } from "../db/schema/index.js";
import { todayIn, type WindowsByWeekStart, windowsOf } from "../workspace/calendarWindows.js";
import { isDueIn, isOverdue, windowBounds } from "../workspace/dueWindows.js";

/** A filter of the cards of a board; an unknown identifier matches no card. */
export interface CardFilter extends FieldFilter {
  memberPublicId?: string | undefined;
  labelPublicId?: string | undefined;
  due?: "overdue" | "today" | "week" | "none" | undefined;
  search?: string | undefined;
}

/** Whether a filter matches every card. */
export const isWhole = (filter: CardFilter) => Object.values(filter).every((value) => value === undefined);

/** Whether a card is due on a day, or in the week of a day, of a time zone. */
const isDue = (workspaceId: number, windows: WindowsByWeekStart) => sql`(
  select ${isDueIn(sql.raw("due"))} from (
    select ${windowBounds(windows)} from ${workspace} where ${workspace.id} = ${workspaceId}::bigint) due)`;

/** Whether a card is due as a filter says. Days begin in the reader's time zone, weeks on the workspace's `week_start_day`. */
function dueCondition(workspaceId: number, due: NonNullable<CardFilter["due"]>, timeZone: string): SQL {
  if (due === "none") return isNull(card.dueDate);
  const today = todayIn(timeZone);
  if (due === "overdue") return isOverdue(today);
  return isDue(workspaceId, windowsOf(due === "today" ? "day" : "week", today, timeZone));
}

/** The condition of a filter for the cards of a workspace, in which days begin in a time zone. */
export function conditionOf(workspaceId: number, filter: CardFilter, timeZone: string): SQL {
  const { memberPublicId, labelPublicId, due, search } = filter;
  const conditions: SQL[] = [hasValues(filter)];
  if (memberPublicId !== undefined) conditions.push(isAssigned(workspaceId, memberPublicId));
  if (labelPublicId !== undefined) {
    conditions.push(sql`exists (
      select from ${cardLabel}
      join ${label} on ${label.workspaceId} = ${cardLabel.workspaceId} and ${label.id} = ${cardLabel.labelId}
      where ${cardLabel.workspaceId} = ${workspaceId}::bigint and ${cardLabel.cardId} = ${card.id}
        and ${label.publicId} = ${labelPublicId}::text)`);
  }
  if (due !== undefined) conditions.push(dueCondition(workspaceId, due, timeZone));
  if (search !== undefined) conditions.push(isAbout(search));
  return sql.join(conditions, sql` and `);
}
