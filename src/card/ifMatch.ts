// Conditional changes of a card: `If-Match` contains the entity tag that the caller has read (contract section 1, ETag). Without this
// header nothing is read.

import type { Tx } from "../api/change.js";
import { preconditionFailed } from "../api/errors.js";
import { etagOf, namesTag } from "../api/etags.js";
import { Card } from "./model/cardShapes.js";
import { readCard } from "./model/wholeCard.js";

const tagOf = async (tx: Tx, publicId: string) => etagOf(Card, await readCard(tx, publicId));

/** Refuses a change of a card whose revision does not match; runs after its guard. */
export async function mustMatch(tx: Tx, publicId: string): Promise<void> {
  const { ifMatch } = tx.requestOptions;
  if (ifMatch !== null && !namesTag(ifMatch, await tagOf(tx, publicId))) throw preconditionFailed();
}

/** Sends the entity tag that the card has after the change, also when the response is replayed. */
export async function sendTag(tx: Tx, publicId: string): Promise<void> {
  const { ifMatch, idempotency, setHeader } = tx.requestOptions;
  if (ifMatch === null) return;
  const etag = await tagOf(tx, publicId);
  setHeader("etag", etag);
  if (idempotency !== null) idempotency.etag = etag;
}
