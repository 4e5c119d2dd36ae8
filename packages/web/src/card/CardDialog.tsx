// A card over its board, at its own address. Loaded once the board is there.

import { Dialog } from "@base-ui/react/dialog";
import { CircleCheck, Link as LinkIcon, RotateCcw, X } from "lucide";
import { type ComponentType, useEffect, useRef } from "react";
import type { CardParts, CardState } from "work-board-client/board";
import { useLocation } from "wouter";
import { leaveCard } from "../addresses.js";
import { useBoardState, useChange, useShownBoard } from "../board/context.js";
import { copyLink } from "../board/copyLink.js";
import { useBoardAddress, useIsShown } from "../board/filter/context.js";
import { useFocusBack } from "../board/focus.js";
import { neighbourOf } from "../board/neighbours.js";
import { Toasts } from "../board/Toasts.js";
import { TabTitle } from "../frame/TabTitle.js";
import { useSingleKeys } from "../keys/singleKeys.js";
import { Boundary, FailedPart } from "../parts/Boundary.js";
import { Icon } from "../parts/Icon.js";
import { t } from "../texts/index.js";
import { texts } from "../texts/later.js";
import * as styles from "./Card.module.css";
import { CardSummaryLine } from "./CardSummaryLine.js";
import { Checklists } from "./Checklists.js";
import { Composer } from "./Composer.js";
import { Description } from "./Description.js";
import { Gone } from "./Gone.js";
import { HeadMenu } from "./HeadMenu.js";
import { Properties } from "./Properties.js";
import * as textStyles from "./Text.module.css";
import { TimeLine } from "./TimeLine.js";
import { Title } from "./Title.js";

/** An open card. Escape, going back and clicking beside it close it. */
export default function CardDialog({ cardPublicId }: { cardPublicId: string }) {
  const { followed } = useShownBoard();
  const address = useBoardAddress();
  const card = useBoardState((board) => board.cards[cardPublicId]);
  const [, navigate] = useLocation();
  const isShown = useIsShown();
  useEffect(() => followed.openCard(cardPublicId), [followed, cardPublicId]);
  const openNeighbour = (key: "ArrowDown" | "ArrowUp") => {
    const lists = followed.state().board?.lists ?? [];
    const next = neighbourOf(lists, cardPublicId, key, isShown);
    if (next !== undefined) navigate(`/cards/${next}`, { replace: true, state: history.state });
  };
  useSingleKeys({ j: () => openNeighbour("ArrowDown"), k: () => openNeighbour("ArrowUp") }, ["card"]);
  const popup = useRef<HTMLDivElement>(null);
  const focusBack = useFocusBack(cardPublicId);
  if (card === undefined) return null;
  const close = () => leaveCard(address, navigate);
  return (
    <Dialog.Root open onOpenChange={(isOpen) => !isOpen && close()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="scrim" forceRender />
        <Dialog.Popup
          ref={popup}
          className={styles.dialog}
          data-place="card"
          initialFocus={popup}
          finalFocus={() => {
            // The next card takes the focus itself.
            const isNext = location.pathname.startsWith("/cards/") && !location.pathname.endsWith(cardPublicId);
            if (!isNext) focusBack();
            return false;
          }}
        >
          <TabTitle of={card.title} />
          <Dialog.Title className="sr">{card.title}</Dialog.Title>
          <Boundary fallback={<Failed />}>
            <Content card={card} close={close} />
          </Boundary>
          <Toasts />
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

/** The component of each part of a card, in the order in which they are shown. */
const PARTS: Record<keyof CardParts, ComponentType<{ cardPublicId: string }>> = { checklists: Checklists };

function Content({ card, close }: { card: CardState; close: () => void }) {
  const properties = useRef<HTMLElement>(null);
  const timeLine = useRef<HTMLOListElement>(null);
  const { publicId: cardPublicId } = card;
  return (
    <>
      <Head card={card} close={close} />
      {card.isGone && <Gone card={card} />}
      <div className={styles.body}>
        <div className={textStyles.main}>
          <div className={styles.scroll}>
            <Title cardPublicId={cardPublicId} />
            <CardSummaryLine card={card} properties={properties} />
            {[
              <Description key="description" cardPublicId={cardPublicId} />,
              ...Object.entries(PARTS).map(([name, Part]) => <Part key={name} cardPublicId={cardPublicId} />),
              <TimeLine key="timeLine" cardPublicId={cardPublicId} ref={timeLine} />,
            ].map((part) => (
              <Boundary key={part.key} fallback={<FailedPart heading={t.failures.partShown} />}>
                {part}
              </Boundary>
            ))}
          </div>
          <Composer cardPublicId={cardPublicId} timeLine={timeLine} />
        </div>
        <Properties card={card} ref={properties} />
      </div>
    </>
  );
}

/** In place of a card that failed to render. */
const Failed = () => (
  <>
    <header className={styles.head}>
      <span className="grow" />
      <CloseButton />
    </header>
    <FailedPart heading={texts.card.notShown} />
  </>
);

const CloseButton = () => (
  <Dialog.Close className="btn plain icon" aria-label={t.card.close}>
    <Icon of={X} />
  </Dialog.Close>
);

function Head({ card, close }: { card: CardState; close: () => void }) {
  const { may } = useShownBoard();
  const change = useChange();
  const boardName = useBoardState((board) => board.name);
  const prefix = useBoardState((board) => board.workspace.cardPrefix);
  const { publicId: cardPublicId } = card;
  const list = useBoardState((board) => board.lists.find(({ cardIds }) => cardIds.includes(cardPublicId)));
  const isDone = card.completedAt !== null;
  const canEdit = may("card:edit") && !card.isGone;
  const complete = () => change("card.update", { cardPublicId, completed: !isDone });
  const copy = () => void copyLink(cardPublicId);
  useSingleKeys({ y: copy, ...(canEdit && { c: complete }) }, ["card"]);
  return (
    <header className={styles.head}>
      <span className="crumbs">
        <span className="up truncate" dir="auto">
          {boardName}
        </span>
        {list !== undefined && (
          <>
            <span className="sep up" aria-hidden="true">
              /
            </span>
            <span className="truncate" dir="auto">
              {list.name}
            </span>
          </>
        )}
        <span className="key">{card.cardNumber > 0 ? `${prefix}-${card.cardNumber}` : t.card.new}</span>
      </span>
      {canEdit && (
        <button type="button" className="btn" onClick={complete}>
          <Icon of={isDone ? RotateCcw : CircleCheck} />
          <span>{isDone ? texts.card.reopen : texts.card.complete}</span>
        </button>
      )}
      <button type="button" className="btn plain icon" aria-label={texts.card.copyLink} onClick={copy}>
        <Icon of={LinkIcon} />
      </button>
      <HeadMenu card={card} close={close} />
      <CloseButton />
    </header>
  );
}
