// Edits of a text that must not overwrite what somebody else wrote meanwhile.

import { metaOf } from "../client.js";
import type { ChangeOptions } from "./queue.js";
import type { Client } from "./streams.js";

/** An entity tag that no card has: the service repeats its stored answer to an edit that was made, and refuses any other. */
export const NO_TAG = '"none"';

/**
 * Reads the card of an edit, and returns the condition under which the edit is sent: that the card stays as it is now. If the card has
 * other texts than those with which the edit began, the service refuses it, unless it was made before.
 */
export async function conditionOf(
  client: Client,
  ifStill: NonNullable<ChangeOptions["ifStill"]>,
  input: object,
): Promise<{ ifMatch?: string }> {
  const cardPublicId = String(Reflect.get(input, "cardPublicId"));
  const card = await client.card.get.query({ cardPublicId }, { context: { isAlone: true } });
  const has = (texts: object) =>
    Object.keys(ifStill).every((name) => Reflect.get(card, name) === Reflect.get(texts, name));
  const { etag } = metaOf(card);
  if (has(ifStill)) return etag === null ? {} : { ifMatch: etag };
  // It was made before, and its answer was lost.
  return has(input) ? {} : { ifMatch: NO_TAG };
}
