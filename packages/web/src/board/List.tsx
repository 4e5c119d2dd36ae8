import { ArrowLeft, ArrowRight, Ellipsis, Plus, SquareCheck, Trash2 } from "lucide";
import { memo } from "react";
import type { ListState } from "work-board-client/board";
import { Boundary, FailedPart } from "../parts/Boundary.js";
import { confirm } from "../parts/confirm.js";
import { Icon } from "../parts/Icon.js";
import type { Entry } from "../parts/Menu.js";
import { MenuButton } from "../parts/MenuButton.js";
import { useStore } from "../store.js";
import { t } from "../texts/index.js";
import { Cards } from "./Cards.js";
import { useChange, useShownBoard } from "./context.js";
import { useIsShown, useShownIds } from "./filter/context.js";
import * as styles from "./List.module.css";
import { useMoves } from "./moving/moves.js";
import { Name } from "./Name.js";
import { QuickAdd } from "./QuickAdd.js";
import { useListElements } from "./useElements.js";

interface Props {
  list: ListState;
  /** Whether its cards are rendered with the board, or after it. */
  isFirst: boolean;
  /** The card whose title is edited, if any. */
  edited: string | null;
  stopEditing: (cardPublicId: string, isByKey: boolean) => void;
  isComposing: boolean;
  /** Opens the field for new cards of a list. */
  compose: (listPublicId: string) => void;
  /** Closes it, by all the names that the list has had. */
  stopComposing: (...ids: string[]) => void;
  openMenu: (cardPublicId: string) => void;
}

/** A list with its cards. */
export const List = memo(function List({
  list,
  isFirst,
  edited,
  stopEditing,
  isComposing,
  compose,
  stopComposing,
  openMenu,
}: Props) {
  const { open, may } = useShownBoard();
  const change = useChange();
  const { publicId, name, cardIds } = list;
  const refs = useListElements(publicId);
  const isOver = useStore(open.moving, (thing) => thing?.kind === "card" && thing.to?.listPublicId === publicId);
  const isOrigin = useStore(open.moving, (thing) => thing?.publicId === publicId);
  const classes = [styles.list, isOver && styles.isOver, isOrigin && styles.isOrigin];
  return (
    <section ref={refs.root} className={classes.filter(Boolean).join(" ")} aria-label={name}>
      <div ref={refs.head} className={styles.head}>
        <Name
          edit={refs.rename}
          as="h2"
          name={name}
          label={t.board.nameOfThisList}
          canEdit={may("list:edit")}
          save={(next) => change("board.lists.update", { listPublicId: publicId, name: next })}
        />
        <Count cardIds={cardIds} />
        {may("list:edit") && <ListMenu list={list} />}
      </div>
      <Boundary fallback={<FailedPart heading={t.failures.listShown(name)} />}>
        <Cards
          scroller={refs.scroller}
          list={list}
          isFirst={isFirst}
          edited={edited}
          stopEditing={stopEditing}
          openMenu={openMenu}
        />
      </Boundary>
      {may("card:create") && (
        <Foot list={list} refs={refs} isComposing={isComposing} compose={compose} stopComposing={stopComposing} />
      )}
    </section>
  );
});

interface FootProps extends Pick<Props, "list" | "isComposing" | "compose" | "stopComposing"> {
  refs: ReturnType<typeof useListElements>;
}

/** Adds cards to a list. */
function Foot({ list, refs, isComposing, compose, stopComposing }: FootProps) {
  const { publicId, name, key } = list;
  return (
    <div className={styles.foot}>
      {isComposing && (
        <QuickAdd
          field={refs.composer}
          scroller={refs.scroller}
          listPublicId={publicId}
          close={() => stopComposing(publicId, key)}
        />
      )}
      {!isComposing && (
        <button
          ref={refs.addButton}
          type="button"
          className="add"
          aria-label={t.board.addCardTo(name)}
          onClick={() => compose(publicId)}
        >
          <Icon of={Plus} />
          <span>{t.board.addCard}</span>
        </button>
      )}
    </div>
  );
}

/** The number of cards, and of those that a filter shows. */
function Count({ cardIds }: { cardIds: readonly string[] }) {
  const shown = useShownIds(cardIds);
  return (
    <span className="count">{shown === cardIds ? cardIds.length : t.filter.shownOf(shown.length, cardIds.length)}</span>
  );
}

function ListMenu({ list: { publicId, name, cardIds } }: { list: ListState }) {
  const { followed, open, may } = useShownBoard();
  const change = useChange();
  const moves = useMoves();
  const isShown = useIsShown();
  const entries = (): Entry[] => {
    const lists = followed.state().board?.lists ?? [];
    const at = lists.findIndex((one) => one.publicId === publicId);
    const left: Entry = { text: t.list.moveLeft, icon: ArrowLeft, onSelect: () => moves.moveList(publicId, at - 1) };
    const right: Entry = { text: t.list.moveRight, icon: ArrowRight, onSelect: () => moves.moveList(publicId, at + 1) };
    const remove: Entry = {
      text: t.list.delete,
      icon: Trash2,
      isDanger: true,
      onSelect: () =>
        confirm({
          text: t.list.deleteAsks(name, cardIds.length),
          action: t.list.delete,
          run: () => change("board.lists.delete", { listPublicId: publicId }),
        }),
    };
    const selectAll: Entry = {
      text: t.list.selectAll,
      icon: SquareCheck,
      onSelect: () => open.selection.add(cardIds.filter(isShown)),
    };
    return [
      ...(cardIds.length > 0 && may("card:edit") ? [selectAll] : []),
      ...(at > 0 ? [left] : []),
      ...(at < lists.length - 1 ? [right] : []),
      ...(may("list:delete") ? [...(lists.length > 1 ? (["rule"] as const) : []), remove] : []),
    ];
  };
  return (
    <MenuButton className="btn plain icon s" aria-label={t.list.actionsFor(name)} entries={entries}>
      <Icon of={Ellipsis} />
    </MenuButton>
  );
}
