// The events that a webhook receives (contract section 6): by type, by prefix, or all.

import { z } from "zod";
import { EVENT_TYPES } from "../events/eventShapes.js";

const prefixesOf = (type: string) => [...type.matchAll(/\./g)].map(({ index }) => `${type.slice(0, index)}.*`);

/** Every filter that can match an event: all (`*`), a prefix (`card.*`), or a type. */
export const EVENT_FILTERS: readonly string[] = [
  "*",
  ...new Set(EVENT_TYPES.flatMap((type) => [...prefixesOf(type), type])),
];

/** The filters of the active webhooks of a workspace, by their identifiers. */
export type Filters = ReadonlyMap<string, readonly string[]>;

/** Whether filters match a type of event. */
export const matches = (filters: readonly string[], type: string): boolean =>
  filters.some(
    (filter) => filter === "*" || filter === type || (filter.endsWith(".*") && type.startsWith(filter.slice(0, -1))),
  );

/** The fields of a webhook in the log. */
const LoggedWebhook = z.object({ webhookPublicId: z.string(), events: z.array(z.string()), active: z.boolean() });
const Gone = z.object({ webhookPublicId: z.string() });

/** The filters from an event on: a webhook receives its own creation and its changes according to its new filters. */
export function filtersAfter(filters: Filters, type: string, data: Record<string, unknown>): Filters {
  if (type === "webhook.deleted") {
    const { webhookPublicId } = Gone.parse(data);
    return new Map([...filters].filter(([publicId]) => publicId !== webhookPublicId));
  }
  if (!type.startsWith("webhook.")) return filters;
  const { webhookPublicId, events, active } = LoggedWebhook.parse(data);
  const others = [...filters].filter(([publicId]) => publicId !== webhookPublicId);
  return new Map(active ? [...others, [webhookPublicId, events]] : others);
}
