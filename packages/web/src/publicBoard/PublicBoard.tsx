// A public board, as anybody may read it. Loaded when it is first shown.

import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useLocation } from "wouter";
import { leaveCard } from "../addresses.js";
import * as listStyles from "../board/List.module.css";
import { failureOf } from "../client.js";
import { TryAgain } from "../parts/TryAgain.js";
import { t } from "../texts/index.js";
import { texts } from "../texts/later.js";
import * as styles from "./PublicBoard.module.css";
import { PublicCard } from "./PublicCard.js";
import { PublicDialog } from "./PublicDialog.js";
import { publicBoard } from "./queries.js";

interface Props {
  boardPublicId: string;
  /** The card that is open over the board. */
  cardPublicId: string | undefined;
  isSignedIn: boolean;
}

/** The board with its lists and cards, which can be read and not changed. */
export default function PublicBoard({ boardPublicId, cardPublicId, isSignedIn }: Props) {
  const text = texts.publicBoard;
  const query = useQuery(publicBoard(boardPublicId));
  const { data: board, error } = query;
  const [, navigate] = useLocation();
  const own = `/public/boards/${boardPublicId}`;
  // A board that was read stays while the service does not answer, and goes when it is no longer public.
  if (error && (board === undefined || failureOf(error).code === "NOT_FOUND")) {
    return (
      <Frame heading={t.board.gone} boardPublicId={boardPublicId} isSignedIn={isSignedIn}>
        <div className="empty">
          <span className="sketch" aria-hidden="true" />
          {failureOf(error).code === "NOT_FOUND" ? <p>{text.notPublic}</p> : <TryAgain of={query} />}
        </div>
      </Frame>
    );
  }
  if (board === undefined) return null;
  const open = board.lists.flatMap(({ cards }) => cards).find(({ publicId }) => publicId === cardPublicId);
  return (
    <Frame heading={board.name} above={board.workspace.name} boardPublicId={boardPublicId} isSignedIn={isSignedIn}>
      <div className={listStyles.lists}>
        {board.lists.map((list) => (
          <section key={list.publicId} className={listStyles.list} aria-label={list.name}>
            <div className={listStyles.head}>
              <h2 className="truncate" dir="auto">
                {list.name}
              </h2>
              <span className="count">{list.cards.length}</span>
            </div>
            <ul className={listStyles.cards} aria-label={t.board.cardsIn(list.name)}>
              {list.cards.map((card) => (
                <PublicCard key={card.publicId} card={card} href={`${own}/cards/${card.publicId}`} />
              ))}
            </ul>
          </section>
        ))}
      </div>
      {open !== undefined && <PublicDialog key={open.publicId} card={open} close={() => leaveCard(own, navigate)} />}
    </Frame>
  );
}

interface FrameProps {
  heading: string;
  above?: string;
  boardPublicId: string;
  isSignedIn: boolean;
  children: ReactNode;
}

function Frame({ heading, above, boardPublicId, isSignedIn, children }: FrameProps) {
  return (
    <main className={`main ${styles.page}`} id="content">
      <title>{t.title(heading)}</title>
      <header className="head">
        <span className="logo" aria-hidden="true" />
        {above !== undefined && (
          <span className="crumbs">
            <span className="up truncate" dir="auto">
              {above}
            </span>
            <span className="sep up" aria-hidden="true">
              /
            </span>
          </span>
        )}
        <h1 className="truncate" dir="auto">
          {heading}
        </h1>
        <span className="grow" />
        <span className="chip outline wide">{texts.publicBoard.readOnly}</span>
        {/* The page asks there who is signed in. */}
        <a className="btn" href={`/boards/${boardPublicId}`}>
          {isSignedIn ? texts.publicBoard.asMember : texts.signIn.signIn}
        </a>
      </header>
      {children}
    </main>
  );
}
