// Cursors that are wrong in one thing alone: they name their list, and hold other values.

const unpacked = (cursor: string): unknown[] => JSON.parse(Buffer.from(cursor, "base64url").toString());

/** Packs anything as cursors are packed. */
export const packed = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");

/** A cursor of the same list as a genuine one, with other values. */
export const cursorWith = (genuine: string | null, values: unknown[]) =>
  packed([unpacked(genuine ?? "")[0], ...values]);

export const valuesIn = (cursor: string | null) => unpacked(cursor ?? "").slice(1);
