import { CircleCheck, Ellipsis, MessageSquare } from "lucide";
import { memo, useLayoutEffect } from "react";
import type { CardState } from "work-board-client/board";
import { Link } from "wouter";
import { FROM_PAGE } from "../addresses.js";
import { Avatar } from "../parts/Avatar.js";
import { Icon } from "../parts/Icon.js";
import { LabelChip } from "../parts/LabelChip.js";
import { useStore } from "../store.js";
import { t } from "../texts/index.js";
import * as styles from "./BoardCard.module.css";
import { CardMarks } from "./CardMarks.js";
import { meFirst, useBoardState, useChange, useShownBoard } from "./context.js";
import { DueChip } from "./DueChip.js";
import { EditedText } from "./EditedText.js";
import { focusCard } from "./focus.js";
import { useMovingClass } from "./moving/moving.js";
import { useCardElements } from "./useElements.js";

interface Props {
  /** Measures its element, in a list that renders only what is in view. */
  measure: ((element: HTMLElement | null) => void) | undefined;
  cardPublicId: string;
  index: number;
  /** The number of cards of the whole list. */
  size: number;
  isEdited: boolean;
  stopEditing: (cardPublicId: string, isByKey: boolean) => void;
  openMenu: (cardPublicId: string) => void;
}

const LABELS_SHOWN = 6;
const PEOPLE_SHOWN = 3;

/** A card on the board: the title first, then what describes it, then what counts it. */
export const Card = memo(function Card({ measure, cardPublicId, index, size, isEdited, stopEditing, openMenu }: Props) {
  const { open } = useShownBoard();
  const card = useBoardState((board) => board.cards[cardPublicId]);
  const { root, title: titleRef, menuButton } = useCardElements(cardPublicId, measure);
  const movingClass = useMovingClass(cardPublicId);
  const isSelected = useStore(open.selection.ids, (ids) => ids.has(cardPublicId));
  const hasMenu = useStore(open.menu, (id) => id === cardPublicId);
  useLayoutEffect(() => {
    // A card that goes to another list is another element there.
    if (open.focused.get() === cardPublicId) focusCard(open, cardPublicId);
  }, [open, cardPublicId]);
  // A card that was deleted keeps its place until its deletion arrives.
  if (card === undefined) return null;
  const { title, completedAt, dueDate, dueHasTime, labelIds } = card;
  const named = [title, completedAt !== null && t.card.isDone, isSelected && t.selection.isSelected];
  const classes = [styles.card, completedAt !== null && styles.isDone, isSelected && styles.isSelected, movingClass];
  return (
    <li
      ref={root}
      className={classes.filter(Boolean).join(" ")}
      data-waiting={card.isWaiting || undefined}
      aria-posinset={index + 1}
      aria-setsize={size}
    >
      {isEdited ? (
        <EditedTitle cardPublicId={cardPublicId} title={title} stopEditing={stopEditing} />
      ) : (
        <Link
          ref={titleRef}
          className={styles.title}
          href={`/cards/${cardPublicId}`}
          state={FROM_PAGE}
          dir="auto"
          aria-label={named.filter(Boolean).join(", ")}
        >
          {completedAt !== null && <Icon of={CircleCheck} />}
          <span>{title}</span>
        </Link>
      )}
      {(dueDate !== null || labelIds.length > 0) && (
        <div className="chips">
          {dueDate !== null && <DueChip dueDate={dueDate} dueHasTime={dueHasTime} completedAt={completedAt} />}
          <Labels ids={labelIds} />
        </div>
      )}
      <div className={styles.meta}>
        <Meta of={card} />
        <People members={card.members} />
      </div>
      <div className={styles.tools}>
        <button
          ref={menuButton}
          type="button"
          className="btn plain icon s"
          tabIndex={-1}
          aria-haspopup="menu"
          aria-expanded={hasMenu}
          aria-label={t.card.actionsFor(title)}
          onClick={() => openMenu(cardPublicId)}
        >
          <Icon of={Ellipsis} />
        </button>
      </div>
    </li>
  );
});

/** The field for the title of a card. */
function EditedTitle({
  cardPublicId,
  title,
  stopEditing,
}: Pick<Props, "cardPublicId" | "stopEditing"> & { title: string }) {
  const { open } = useShownBoard();
  const change = useChange();
  return (
    <EditedText
      text={title}
      label={t.card.title}
      maxLength={2000}
      begun={open.typedTitle?.cardPublicId === cardPublicId ? open.typedTitle.title : undefined}
      type={(next) => {
        open.typedTitle = { cardPublicId, title: next };
      }}
      save={(next) => change("card.update", { cardPublicId, title: next })}
      close={(isByKey) => {
        open.typedTitle = null;
        stopEditing(cardPublicId, isByKey);
      }}
    />
  );
}

/** The number of a card, and what it has besides its title. */
function Meta({ of: card }: { of: CardState }) {
  const prefix = useBoardState((board) => board.workspace.cardPrefix);
  return (
    <>
      <span className="key">{card.cardNumber > 0 ? `${prefix}-${card.cardNumber}` : t.card.new}</span>
      <CardMarks of={card} />
      <Checklist {...card.checklistItems} />
      {card.commentCount > 0 && (
        <span role="img" aria-label={t.card.comments(card.commentCount)}>
          <Icon of={MessageSquare} />
          <span>{card.commentCount}</span>
        </span>
      )}
    </>
  );
}

/** The first labels of a card, and the number of the others. */
export function Labels({ ids }: { ids: readonly string[] }) {
  const all = useBoardState((board) => board.labels);
  const labels = all.filter(({ publicId }) => ids.includes(publicId));
  return (
    <>
      {labels.slice(0, LABELS_SHOWN).map((label) => (
        <LabelChip key={label.publicId} of={label} />
      ))}
      {labels.length > LABELS_SHOWN && <span className="chip outline">{`+${labels.length - LABELS_SHOWN}`}</span>}
    </>
  );
}

function Checklist({ total, completed }: { total: number; completed: number }) {
  if (total === 0) return null;
  return (
    <span role="img" aria-label={t.card.done(completed, total)}>
      <i
        className={completed === total ? "ring full" : "ring"}
        style={{ ["--v" as string]: (100 * completed) / total }}
      />
      <span>{`${completed}/${total}`}</span>
    </span>
  );
}

/** The first people of a card, and the number of the others. */
export function People({ members }: { members: readonly { publicId: string; name: string }[] }) {
  const { meId } = useShownBoard();
  if (members.length === 0) return null;
  const ordered = meFirst(members, meId);
  const names = ordered.map(({ publicId, name }) => (publicId === meId ? t.card.you : name));
  const shown = members.length > PEOPLE_SHOWN ? PEOPLE_SHOWN - 1 : PEOPLE_SHOWN;
  return (
    <span className="stack" role="img" aria-label={t.card.assignedTo(names)}>
      {ordered.slice(0, shown).map(({ publicId, name }) => (
        <Avatar key={publicId} name={name} isMe={publicId === meId} size="s" />
      ))}
      {members.length > shown && <span className="av more s">{`+${members.length - shown}`}</span>}
    </span>
  );
}
