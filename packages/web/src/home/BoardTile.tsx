import { Globe, Lock, Star } from "lucide";
import { Link } from "wouter";
import { Icon } from "../parts/Icon.js";
import { LabelChip } from "../parts/LabelChip.js";
import type { BoardSummary } from "../session/boards.js";
import { texts } from "../texts/later.js";
import * as styles from "./Home.module.css";

/** A board among others: its name and tags. */
export function BoardTile({ board }: { board: BoardSummary }) {
  return (
    <li>
      <Link className={styles.tile} href={`/boards/${board.publicId}`}>
        <span className={styles.top}>
          <b dir="auto">{board.name}</b>
          {board.isFavourite && <Icon of={Star} isSmall isFilled />}
          {board.visibility === "private" && <Icon of={Lock} isSmall />}
          {board.visibility === "public" && <Icon of={Globe} isSmall />}
        </span>
        {board.tags.length > 0 && (
          <span className="chips">
            {board.tags.map((tag) => (
              <LabelChip key={tag.publicId} of={tag} />
            ))}
          </span>
        )}
        <span className="count">{texts.home.cards(board.openCards)}</span>
      </Link>
    </li>
  );
}
