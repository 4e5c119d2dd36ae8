/** The kinds of events that a webhook can be asked to send, by the filter that takes all of a kind. */
export const EVENT_KINDS = [
  "card.*",
  "comment.*",
  "checklist.*",
  "list.*",
  "label.*",
  "board.*",
  "tag.*",
  "member.*",
  "invite.*",
  "meeting.*",
  "webhook.*",
  "workspace.*",
] as const;

export const EVERYTHING = "*";

/** The filters that a form with checkboxes named `events` asks for. */
export const filtersOf = (form: FormData): string[] => {
  const chosen = form.getAll("events").map(String);
  return chosen.includes(EVERYTHING) ? [EVERYTHING] : chosen;
};
