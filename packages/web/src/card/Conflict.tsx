import type { Refused } from "work-board-client/board";
import { useShownBoard } from "../board/context.js";
import { texts } from "../texts/later.js";
import { Markdown } from "./lazyMarkdown.js";
import * as styles from "./Text.module.css";

interface Props {
  /** The description of the reader, which was refused. */
  conflict: Refused;
  /** The description as it is now. */
  description: string;
  edit: (mine: string) => void;
}

/** Two descriptions of a card: the reader sees both, and chooses. */
export function Conflict({ conflict: { key, input }, description, edit }: Props) {
  const { followed } = useShownBoard();
  const { cardPublicId, description: mine } = input as { cardPublicId: string; description: string };
  const takeMine = () => {
    followed.dismiss(key);
    const ifStill = { description };
    void followed.change("card.update", { cardPublicId, description: mine }, { ifStill }).catch(() => {});
  };
  return (
    <div className={styles.conflict}>
      <p className="banner warn" role="alert">
        {texts.conflict.text}
      </p>
      <section aria-label={texts.conflict.theirs}>
        <h2 className={styles.sideTitle}>{texts.conflict.theirs}</h2>
        <Markdown text={description} />
      </section>
      <section aria-label={texts.conflict.mine}>
        <h2 className={styles.sideTitle}>{texts.conflict.mine}</h2>
        <Markdown text={mine} />
      </section>
      <div className={styles.row}>
        <button type="button" className="btn" onClick={() => followed.dismiss(key)}>
          {texts.conflict.takeTheirs}
        </button>
        <button type="button" className="btn" onClick={takeMine}>
          {texts.conflict.takeMine}
        </button>
        <button
          type="button"
          className="btn"
          onClick={() => {
            followed.dismiss(key);
            edit(mine);
          }}
        >
          {texts.conflict.editMine}
        </button>
      </div>
    </div>
  );
}
