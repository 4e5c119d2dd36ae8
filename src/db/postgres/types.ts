// Decodes columns and encodes parameters for postgres.js, by type oid: as driver.ts promises.

import { isoInstant } from "../instants.js";

const text = (value: string) => value;

/** Parameters are PostgreSQL's text already: the serializers of postgres.js would quote JSON again, and make "true" false. */
export const types = {
  integer: { to: 20, from: [20, 21, 23], parse: Number, serialize: text },
  json: { to: 3802, from: [114, 3802], parse: (value: string): unknown => JSON.parse(value), serialize: text },
  boolean: { to: 16, from: [16], parse: (value: string) => value === "t", serialize: text },
  instant: { to: 1184, from: [1114, 1184], parse: isoInstant, serialize: text },
  // bytea, oid, float4, float8 and date, which postgres.js would decode.
  text: { to: 25, from: [17, 26, 700, 701, 1082], parse: text, serialize: text },
};
