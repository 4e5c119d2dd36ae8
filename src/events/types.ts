// The types of events, as contract section 5 lists them. No other file defines them.

const VERBS = {
  workspace: ["updated"],
  member: ["invited", "added", "updated", "removed", "role.changed"],
  invite: ["created", "revoked"],
  tag: ["created", "updated", "deleted"],
  meeting: ["saved", "deleted"],
  webhook: ["created", "updated", "deleted"],
  board: ["created", "updated", "archived", "unarchived", "deleted", "imported"],
  "board.member": ["added", "removed"],
  "board.tag": ["added", "removed"],
  list: ["created", "updated", "moved", "deleted"],
  label: ["created", "updated", "deleted"],
  card: ["created", "updated", "moved", "archived", "unarchived", "deleted", "completed", "reopened"],
  "card.label": ["added", "removed"],
  "card.member": ["added", "removed"],
  comment: ["created", "updated", "deleted"],
  checklist: ["created", "updated", "deleted"],
  "checklist.item": ["created", "updated", "completed", "reopened", "deleted"],
} as const;

type Verbs = typeof VERBS;

/** The type of an event, such as `card.moved`. */
export type EventType = { [Subject in keyof Verbs]: `${Subject}.${Verbs[Subject][number]}` }[keyof Verbs];

/** Every type of event. */
export const EVENT_TYPES: readonly string[] = Object.entries(VERBS).flatMap(([subject, verbs]) =>
  verbs.map((verb) => `${subject}.${verb}`),
);

const prefixesOf = (type: string) => [...type.matchAll(/\./g)].map(({ index }) => `${type.slice(0, index)}.*`);

/** Every filter that can match an event: all (`*`), a prefix (`card.*`), or a type. */
export const EVENT_FILTERS: readonly string[] = [
  "*",
  ...new Set(EVENT_TYPES.flatMap((type) => [...prefixesOf(type), type])),
];

/** Whether a filter can match any event at all. */
export const isEventFilter = (filter: string): boolean => EVENT_FILTERS.includes(filter);
