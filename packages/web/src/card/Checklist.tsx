import { Plus, Trash2 } from "lucide";
import { type ReactNode, useRef, useState } from "react";
import { flushSync } from "react-dom";
import type { CardDetails } from "work-board-client/board";
import { useChange } from "../board/context.js";
import { Name } from "../board/Name.js";
import { confirm } from "../parts/confirm.js";
import { Icon } from "../parts/Icon.js";
import { t } from "../texts/index.js";
import { texts } from "../texts/later.js";
import * as styles from "./Card.module.css";
import { ChecklistItem } from "./ChecklistItem.js";
import { NewItem } from "./NewItem.js";

type Shown = CardDetails["checklists"][number];

/** The identifier of a thing that stays the same from the moment in which it was made here. */
export const keyOf = ({ key, publicId }: { readonly key?: string; readonly publicId: string }): string =>
  key ?? publicId;

interface Props {
  checklist: Shown;
  canEdit: boolean;
  /** Whether the field for new items is open. */
  isComposing: boolean;
  compose: (isComposing: boolean) => void;
}

/** A checklist with its progress and its items. */
export function Checklist({ checklist, canEdit, isComposing, compose }: Props) {
  const { publicId: checklistPublicId, name, items } = checklist;
  const adding = useRef<HTMLButtonElement>(null);
  const [isShort, setShort] = useState(false);
  const completed = items.filter((item) => item.completed).length;
  return (
    <section className={styles.block} aria-label={name}>
      <Head checklist={checklist} completed={completed} canEdit={canEdit}>
        {completed > 0 && (
          <button type="button" className="btn plain s" aria-pressed={isShort} onClick={() => setShort(!isShort)}>
            {texts.checklists.hideDone}
          </button>
        )}
      </Head>
      {items.length > 0 && <Progress completed={completed} total={items.length} />}
      <ul aria-label={texts.checklists.itemsOf(name)}>
        {items.map(
          (item, index) =>
            !(isShort && item.completed) && (
              <ChecklistItem key={keyOf(item)} item={item} index={index} size={items.length} canEdit={canEdit} />
            ),
        )}
      </ul>
      {canEdit && isComposing && (
        <NewItem
          checklistPublicId={checklistPublicId}
          name={name}
          close={(isByKey) => {
            flushSync(() => compose(false));
            if (isByKey) adding.current?.focus();
          }}
        />
      )}
      {canEdit && !isComposing && (
        <button ref={adding} type="button" className="add" onClick={() => compose(true)}>
          <Icon of={Plus} />
          <span>{texts.checklists.addItem}</span>
          <span className="sr">{` ${texts.checklists.to(name)}`}</span>
        </button>
      )}
    </section>
  );
}

/** The name of a checklist, how much of it is done, and its deletion. */
function Head({
  checklist: { publicId: checklistPublicId, name, items },
  completed,
  canEdit,
  children,
}: Pick<Props, "checklist" | "canEdit"> & { completed: number; children: ReactNode }) {
  const change = useChange();
  const remove = () => change("card.checklists.delete", { checklistPublicId });
  const askToRemove = () =>
    items.length === 0
      ? remove()
      : confirm({ text: texts.checklists.deleteAsks(name, items.length), action: texts.card.delete, run: remove });
  return (
    <div className={styles.blockHead}>
      <Name
        as="h2"
        name={name}
        label={texts.checklists.nameOf}
        canEdit={canEdit}
        save={(next) => change("card.checklists.update", { checklistPublicId, name: next })}
      />
      {items.length > 0 && <span className="count">{texts.checklists.count(completed, items.length)}</span>}
      <span className="grow" />
      {children}
      {canEdit && (
        <button
          type="button"
          className="btn plain icon s"
          aria-label={texts.checklists.deleteNamed(name)}
          onClick={askToRemove}
        >
          <Icon of={Trash2} />
        </button>
      )}
    </div>
  );
}

const Progress = ({ completed, total }: { completed: number; total: number }) => (
  <div
    className={completed === total ? `${styles.bar} ${styles.isFull}` : styles.bar}
    role="img"
    aria-label={t.card.done(completed, total)}
  >
    <i style={{ transform: `scaleX(${completed / total})` }} />
  </div>
);
