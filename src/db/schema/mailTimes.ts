// The kinds of mail about notifications: the columns, the shapes and the defaults of the settings are made from this list.

export const MAIL_TIMES = ["now", "daily", "off"] as const;
type MailTime = (typeof MAIL_TIMES)[number];

/** The times of each kind of mail for an account that never changed its settings. */
export const DEFAULT_MAIL_TIMES = {
  mention: "now",
  reply: "now",
  assigned: "now",
  comment: "off",
  due: "daily",
  membership: "now",
} as const satisfies Record<string, MailTime>;

/** A kind of mail, by its name in the settings. */
export type MailedKind = keyof typeof DEFAULT_MAIL_TIMES;

/** A record with a value for each kind of mail, made from the default of the kind. */
export const perMailKind = <Value>(make: (byDefault: MailTime) => Value) =>
  Object.fromEntries(Object.entries(DEFAULT_MAIL_TIMES).map(([kind, byDefault]) => [kind, make(byDefault)])) as Record<
    MailedKind,
    Value
  >;
