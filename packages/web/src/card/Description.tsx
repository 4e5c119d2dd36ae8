import { Pencil } from "lucide-react";
import { type FormEvent, useState } from "react";
import { useBoardState, useChange, useShownBoard } from "../board/context.js";
import { Icon } from "../parts/Icon.js";
import { later } from "../parts/later.js";
import { t } from "../texts/index.js";

const Markdown = later(() => import("../parts/Markdown.js"));

/** The description: Markdown, and a field while it is edited. */
export function Description({ cardPublicId }: { cardPublicId: string }) {
  const { may } = useShownBoard();
  const description = useBoardState((board) => board.cards[cardPublicId]?.description ?? "");
  const [isEdited, setEdited] = useState(false);
  const canEdit = may("card:edit");
  const isOpen = canEdit && (isEdited || description === "");
  if (!canEdit && description === "") return null;
  return (
    <section className="description" aria-label={t.card.description}>
      {isOpen ? (
        <Editor cardPublicId={cardPublicId} description={description} isEdited={isEdited} setEdited={setEdited} />
      ) : (
        <>
          <Markdown text={description} />
          {canEdit && (
            <button
              type="button"
              className="btn plain icon s"
              aria-label={t.card.editDescription}
              onClick={() => setEdited(true)}
            >
              <Icon of={Pencil} />
            </button>
          )}
        </>
      )}
    </section>
  );
}

interface EditorProps {
  cardPublicId: string;
  description: string;
  isEdited: boolean;
  setEdited: (isEdited: boolean) => void;
}

function Editor({ cardPublicId, description, isEdited, setEdited }: EditorProps) {
  const change = useChange();
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const next = String(new FormData(event.currentTarget).get("description"));
    if (next !== description) change("card.update", { cardPublicId, description: next });
    setEdited(false);
  };
  return (
    <form
      onSubmit={submit}
      onKeyDown={(event) => {
        if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) event.currentTarget.requestSubmit();
        if (event.key !== "Escape" || !isEdited) return;
        event.stopPropagation();
        setEdited(false);
      }}
    >
      <textarea
        ref={(field) => {
          if (isEdited) field?.focus();
        }}
        className="input"
        name="description"
        aria-label={t.card.description}
        placeholder={t.card.addDescription}
        defaultValue={description}
        maxLength={50_000}
        dir="auto"
        onFocus={() => setEdited(true)}
      />
      {isEdited && (
        <span className="row">
          <button type="submit" className="btn primary s">
            {t.card.save}
          </button>
          <button type="button" className="btn plain s" onClick={() => setEdited(false)}>
            {t.card.cancel}
          </button>
          <span className="grow" />
          <span className="hint">{t.card.markdownHint}</span>
        </span>
      )}
    </form>
  );
}
