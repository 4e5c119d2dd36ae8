// Comments that wait to be sent. The replica shows those of a card that it has read, and these are for the other cards.

import { storeOf } from "../store.js";

interface UnsentComment {
  key: number;
  cardPublicId: string;
  text: string;
}

export const unsentComments = storeOf<readonly UnsentComment[]>([]);
let lastKey = 0;

/** Has a comment among those that wait, until it was sent or refused. */
export function noteUnsent(cardPublicId: string, text: string, sent: Promise<unknown>): void {
  lastKey += 1;
  const key = lastKey;
  unsentComments.set([...unsentComments.get(), { key, cardPublicId, text }]);
  const forget = () => unsentComments.set(unsentComments.get().filter((one) => one.key !== key));
  sent.then(forget, forget);
}
