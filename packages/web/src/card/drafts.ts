// Texts that were typed and not sent yet. They survive closing the card and the end of the session, for their own account alone.

import { useUser } from "../session/user.js";
import { type Store, storeOf, useStore } from "../store.js";
import { stored } from "../stored.js";

const drafts = new Map<string, Store<string | null>>();

// Another tab of this browser may send the text, or go on with it.
addEventListener("storage", ({ key, newValue }) => drafts.get(key ?? "")?.set(newValue));

/** The draft of a text: one and the same, so that it stays as long as the page where the storage is disabled or full. */
function draftOf(accountPublicId: string, thing: string): Store<string | null> {
  const key = `work-board.draft.${accountPublicId}.${thing}`;
  const known = drafts.get(key);
  if (known !== undefined) return known;
  const place = stored(key);
  const draft = storeOf(place.get());
  draft.subscribe(() => place.set(draft.get()));
  drafts.set(key, draft);
  return draft;
}

/** A text while it is typed. */
export interface Draft {
  text: string;
  /** Whether something was typed that is not sent. */
  isThere: boolean;
  set(text: string): void;
  /** Forgets what was typed. */
  clear(): void;
  /** Gives back a text that was not accepted, unless another one was begun meanwhile. */
  restore(text: string): void;
}

/** The draft of a text that begins as `first`, such as `comment.` with the identifier of the card. */
export function useDraft(thing: string, first = ""): Draft {
  const { publicId } = useUser();
  const draft = draftOf(publicId, thing);
  const typed = useStore(draft, (text) => text);
  return {
    text: typed ?? first,
    isThere: typed !== null,
    set: (text) => draft.set(text === first ? null : text),
    clear: () => draft.set(null),
    restore: (text) => {
      if (draft.get() === null) draft.set(text);
    },
  };
}
