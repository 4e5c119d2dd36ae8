// The place to which a card is moved: a board, a list and a position. Loaded when it is first opened.

import { Dialog } from "@base-ui/react/dialog";
import { useQuery } from "@tanstack/react-query";
import { type ComponentProps, type FormEvent, type RefObject, useId, useRef, useState } from "react";
import { Boundary, FailedPart } from "../../parts/Boundary.js";
import { Button } from "../../parts/Button.js";
import { Choice } from "../../parts/Choice.js";
import { TryAgain } from "../../parts/TryAgain.js";
import { ownBoards } from "../../session/boards.js";
import { t } from "../../texts/index.js";
import { texts } from "../../texts/later.js";
import { useBoardState } from "../context.js";
import { useFocusBack } from "../focus.js";
import { otherBoard } from "../queries.js";
import * as styles from "./Move.module.css";
import { useMoves } from "./moves.js";
import { othersIn, placeOf } from "./places.js";

/** A list that a card can go to. */
interface Target {
  publicId: string;
  name: string;
  /** The number of its other cards. */
  size: number;
}

/** The lists of a board to which the reader may move a card; undefined until they are known. `query` reads those of another board. */
function useTargets(boardPublicId: string, cardPublicId: string) {
  const here = useBoardState((board) => board.publicId);
  const lists = useBoardState((board) => board.lists);
  const query = useQuery({ ...otherBoard(boardPublicId), enabled: boardPublicId !== here });
  const { data } = query;
  const mayMove = data?.me.permissions.includes("card:edit") !== false;
  const targets: readonly Target[] | undefined =
    boardPublicId === here
      ? lists.map((list) => ({ ...list, size: othersIn(list, cardPublicId).length }))
      : mayMove
        ? data?.lists.map((list) => ({ ...list, size: list.cards.length }))
        : [];
  return { targets, query };
}

/** The boards of the workspace, to which its cards can go. */
function useBoards(): readonly { publicId: string; name: string }[] {
  const here = useBoardState((board) => board);
  const { data } = useQuery(ownBoards);
  const boards = data?.find(({ workspace }) => workspace.publicId === here.workspace.publicId)?.boards ?? [];
  const others = boards.filter(({ publicId, isArchived }) => publicId !== here.publicId && !isArchived);
  return [here, ...others];
}

interface Props {
  cardPublicId: string;
  close: () => void;
  /** Moves the focus once it has closed, by default to the card on the board or to what stays beside it. */
  focusAfter?: () => void;
}

/** Moves a card by choosing its place. */
export default function MoveDialog({ cardPublicId, close, focusAfter }: Props) {
  const title = useBoardState((board) => board.cards[cardPublicId]?.title);
  const firstField = useRef<HTMLSelectElement>(null);
  const focusBack = useFocusBack(cardPublicId);
  if (title === undefined) return null;
  return (
    <Dialog.Root open onOpenChange={(isOpen) => !isOpen && close()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="scrim" forceRender />
        <Dialog.Popup
          className={`panel alert ${styles.move}`}
          initialFocus={firstField}
          finalFocus={() => {
            (focusAfter ?? focusBack)();
            return false;
          }}
        >
          <Dialog.Title dir="auto">{texts.moving.moveCard(title)}</Dialog.Title>
          <Boundary fallback={<FailedPart heading={t.failures.dialogShown} />}>
            <Places cardPublicId={cardPublicId} firstField={firstField} close={close} />
          </Boundary>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

/** A choice with its label above. */
function LabelledChoice(props: ComponentProps<typeof Choice<string>>) {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>{props.name}</label>
      <Choice {...props} id={id} className="input" />
    </div>
  );
}

interface PlacesProps {
  cardPublicId: string;
  firstField: RefObject<HTMLSelectElement | null>;
  close: () => void;
}

/** The place that is chosen: where the card is, at first. */
function useChosenPlace(cardPublicId: string) {
  const here = useBoardState((board) => board.publicId);
  const lists = useBoardState((board) => board.lists);
  const from = placeOf(lists, cardPublicId);
  const [boardPublicId, setBoard] = useState(here);
  const { targets, query } = useTargets(boardPublicId, cardPublicId);
  const [wantedList, setList] = useState(from?.listPublicId);
  const [wantedIndex, setIndex] = useState(from?.index);
  const target = targets?.find(({ publicId }) => publicId === wantedList) ?? targets?.[0];
  const index = Math.min(wantedIndex ?? Number.POSITIVE_INFINITY, target?.size ?? 0);
  /** The place where the card is, or else the end of a list. */
  const chooseList = (listPublicId: string | undefined) => {
    setList(listPublicId);
    setIndex(listPublicId === from?.listPublicId ? from?.index : undefined);
  };
  const chooseBoard = (publicId: string) => {
    setBoard(publicId);
    chooseList(publicId === here ? from?.listPublicId : undefined);
  };
  return { boardPublicId, chooseBoard, targets, query, target, chooseList, index, chooseIndex: setIndex };
}

function Places({ cardPublicId, firstField, close }: PlacesProps) {
  const moves = useMoves();
  const boards = useBoards();
  const chosen = useChosenPlace(cardPublicId);
  const { boardPublicId, targets, query, target, index } = chosen;
  const places = (target?.size ?? 0) + 1;
  const move = (event: FormEvent) => {
    event.preventDefault();
    if (target === undefined) return;
    moves.moveCard(
      cardPublicId,
      { listPublicId: target.publicId, index },
      t.moving.place(index + 1, places, target.name),
    );
    close();
  };
  return (
    <form className={styles.places} onSubmit={move}>
      {boards.length > 1 && (
        <LabelledChoice
          name={texts.moving.board}
          value={boardPublicId}
          choose={chosen.chooseBoard}
          options={boards.map(({ publicId, name }) => [publicId, name])}
        />
      )}
      <LabelledChoice
        name={texts.moving.list}
        value={target?.publicId ?? ""}
        choose={chosen.chooseList}
        ref={firstField}
        options={targets?.map(({ publicId, name }) => [publicId, name]) ?? []}
      />
      <LabelledChoice
        name={texts.moving.position}
        value={String(index)}
        choose={(value) => chosen.chooseIndex(Number(value))}
        options={Array.from({ length: places }, (_, at) => [String(at), texts.moving.positionAt(at + 1, places)])}
      />
      <TryAgain of={query} />
      {targets?.length === 0 && <p className="hint">{texts.moving.nowhere}</p>}
      <div className="actions">
        <button type="button" className="btn l" onClick={close}>
          {texts.moving.cancel}
        </button>
        <Button type="submit" className="btn primary l" isOff={target === undefined}>
          {texts.moving.confirm}
        </Button>
      </div>
    </form>
  );
}
