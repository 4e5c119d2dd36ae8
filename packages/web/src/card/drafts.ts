// Texts that were typed and not sent yet. They survive closing the card and the end of the session, for their own account alone.

import { useMemo, useState } from "react";
import { stored } from "../stored.js";
import { useUser } from "../user.js";

const drafts = new Map<string, ReturnType<typeof stored>>();

/** The stored draft of a text; one and the same, so that it stays as long as the page where the storage is disabled or full. */
function storedDraft(accountPublicId: string, thing: string) {
  const key = `work-board.draft.${accountPublicId}.${thing}`;
  const draft = drafts.get(key) ?? stored(key);
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
  const draft = useMemo(() => storedDraft(publicId, thing), [publicId, thing]);
  const [typed, setTyped] = useState(() => draft.get());
  const store = (next: string | null) => {
    draft.set(next);
    setTyped(next);
  };
  return {
    text: typed ?? first,
    isThere: typed !== null,
    set: (text) => store(text === first ? null : text),
    clear: () => store(null),
    restore: (text) => {
      if (draft.get() === null) store(text);
    },
  };
}
