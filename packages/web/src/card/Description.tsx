import { Pencil } from "lucide";
import { type FormEvent, type KeyboardEvent, useRef, useState } from "react";
import { flushSync } from "react-dom";
import type { Refused } from "work-board-client/board";
import { useBoard } from "work-board-client/react";
import { isConflict } from "../board/conflicts.js";
import { useBoardState, useShownBoard } from "../board/context.js";
import { failureOf } from "../client.js";
import { useAnnouncement } from "../parts/announcing.js";
import { Icon } from "../parts/Icon.js";
import { texts } from "../texts/later.js";
import { Conflict } from "./Conflict.js";
import { useIsDeleted } from "./deleted.js";
import { useDraft } from "./drafts.js";
import { Markdown } from "./lazyMarkdown.js";
import { MarkdownField } from "./MarkdownField.js";
import * as styles from "./Text.module.css";
import { Unsent } from "./Unsent.js";

/** An edit of a description that is not sent, and the text that it began with. */
interface Begun {
  text: string;
  base: string;
}

function useBegun(cardPublicId: string, description: string) {
  const draft = useDraft(`description.${cardPublicId}`);
  const begun: Begun = draft.isThere ? JSON.parse(draft.text) : { text: description, base: description };
  const store = (next: Begun) => draft.set(JSON.stringify(next));
  return {
    ...begun,
    isThere: draft.isThere,
    clear: draft.clear,
    restore: (next: Begun) => draft.restore(JSON.stringify(next)),
    set: (text: string, base = begun.base) => (text === base ? draft.clear() : store({ text, base })),
  };
}

type Editing = ReturnType<typeof useBegun>;

/** The description: Markdown, and a field while it is edited. What somebody else changed meanwhile is never overwritten silently. */
export function Description({ cardPublicId }: { cardPublicId: string }) {
  const { followed, may } = useShownBoard();
  const description = useBoardState((board) => board.cards[cardPublicId]?.description ?? "");
  const conflict = useBoard(followed, ({ refused }) => refused.find((one) => isConflict(one, cardPublicId)));
  const isDeleted = useIsDeleted(cardPublicId);
  const begun = useBegun(cardPublicId, description);
  const [isEdited, setEdited] = useState(begun.isThere);
  const [isChosen, setChosen] = useState(false);
  const pencil = useRef<HTMLButtonElement>(null);
  const canEdit = may("card:edit") && !isDeleted;
  const edit = () => {
    setChosen(true);
    setEdited(true);
  };
  const close = () => {
    flushSync(() => setEdited(false));
    pencil.current?.focus();
  };
  if (!canEdit && description === "" && !begun.isThere) return null;
  return (
    <section className={styles.description} aria-label={texts.card.description}>
      {canEdit && conflict !== undefined && (
        <Conflict
          conflict={conflict}
          description={description}
          edit={(mine) => {
            begun.set(mine, description);
            edit();
          }}
        />
      )}
      {canEdit && conflict === undefined && (isEdited || description === "") && (
        <Editor
          cardPublicId={cardPublicId}
          description={description}
          begun={begun}
          isEdited={isEdited}
          isChosen={isChosen}
          open={() => setEdited(true)}
          close={close}
        />
      )}
      {canEdit && conflict === undefined && !isEdited && description !== "" && (
        <>
          <Markdown text={description} />
          <button
            ref={pencil}
            type="button"
            className="btn plain icon s"
            aria-label={texts.card.editDescription}
            onClick={edit}
          >
            <Icon of={Pencil} />
          </button>
        </>
      )}
      {!canEdit && <Unchangeable description={description} conflict={conflict} begun={begun} />}
    </section>
  );
}

interface UnchangeableProps {
  description: string;
  conflict: Refused | undefined;
  begun: Editing;
}

/** A description that the reader may not change any more, with texts of theirs that were not sent. */
function Unchangeable({ description, conflict, begun }: UnchangeableProps) {
  const { followed } = useShownBoard();
  return (
    <>
      {description !== "" && <Markdown text={description} />}
      {conflict !== undefined && (
        <Unsent
          label={texts.card.description}
          text={String(Reflect.get(conflict.input, "description"))}
          discard={() => followed.dismiss(conflict.key)}
        />
      )}
      {begun.isThere && <Unsent label={texts.card.description} text={begun.text} discard={begun.clear} />}
    </>
  );
}

interface EditorProps {
  cardPublicId: string;
  description: string;
  begun: Editing;
  isEdited: boolean;
  /** Whether the reader chose to edit, so that the field takes the focus. */
  isChosen: boolean;
  open: () => void;
  close: () => void;
}

function Editor({ cardPublicId, description, begun, isEdited, isChosen, open, close }: EditorProps) {
  const { followed } = useShownBoard();
  const { text, base } = begun;
  const isChanged = isEdited && description !== base;
  useAnnouncement(isChanged ? texts.conflict.meanwhile : null);
  const save = () => {
    const input = { cardPublicId, description: text };
    void followed.change("card.update", input, { ifStill: { description: base } }).catch((error: unknown) => {
      // After a conflict, the reader chooses which text stays.
      if (failureOf(error).code !== "PRECONDITION_FAILED") begun.restore({ text, base });
    });
  };
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    begun.clear();
    if (text !== description) save();
    // The pencil, which takes the focus, stands beside a description that is there.
    close();
  };
  const cancel = () => {
    begun.clear();
    close();
  };
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) event.currentTarget.form?.requestSubmit();
    if (event.key !== "Escape" || !isEdited) return;
    event.stopPropagation();
    // A single key does not throw away what was typed.
    if (text === base) cancel();
    else event.currentTarget.closest<HTMLElement>("[role=dialog]")?.focus();
  };
  return (
    <form onSubmit={submit}>
      {isChanged && (
        <div className={`banner note ${styles.meanwhile}`} role="status" aria-live="off">
          {texts.conflict.meanwhile}
        </div>
      )}
      <MarkdownField
        hasRow={isEdited}
        text={text}
        set={begun.set}
        hasFocus={isEdited && isChosen}
        className="input"
        aria-label={texts.card.description}
        placeholder={texts.card.addDescription}
        maxLength={50_000}
        onFocus={open}
        onKeyDown={onKeyDown}
      >
        <button type="button" className="btn plain s" onClick={cancel}>
          {texts.card.cancel}
        </button>
        <button type="submit" className="btn primary s">
          {texts.card.save}
        </button>
      </MarkdownField>
    </form>
  );
}
