import { type KeyboardEvent, useRef, useState } from "react";
import { useBoardState, useChange, useShownBoard } from "../board/context.js";
import { useSingleKeys } from "../keys/singleKeys.js";
import { GrowingField } from "../parts/GrowingField.js";
import { t } from "../texts/index.js";
import * as styles from "./Card.module.css";
import { useIsDeleted } from "./deleted.js";

/** The title, which is edited where it stands. Enter and leaving it save, Escape gives up; both keys keep the focus. The last one who saves wins. */
export function Title({ cardPublicId }: { cardPublicId: string }) {
  const { may } = useShownBoard();
  const change = useChange();
  const title = useBoardState((board) => board.cards[cardPublicId]?.title ?? "");
  const isDeleted = useIsDeleted(cardPublicId);
  const [typed, setTyped] = useState<string | null>(null);
  const field = useRef<HTMLTextAreaElement>(null);
  useSingleKeys(may("card:edit") ? { e: () => field.current?.select() } : {}, ["card"]);
  const save = () => {
    const next = typed?.replaceAll(/\s*\n\s*/g, " ").trim() ?? "";
    setTyped(null);
    if (next !== "" && next !== title) change("card.update", { cardPublicId, title: next });
  };
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (event.key === "Escape" && typed !== null) {
      event.stopPropagation();
      setTyped(null);
    }
    if (event.key !== "Enter") return;
    event.preventDefault();
    save();
  };
  return (
    <GrowingField
      ref={field}
      className={styles.title}
      aria-label={t.card.title}
      value={typed ?? title}
      readOnly={!may("card:edit") || isDeleted}
      maxLength={2000}
      onChange={({ currentTarget }) => setTyped(currentTarget.value)}
      onKeyDown={onKeyDown}
      onBlur={save}
    />
  );
}
