import { useState } from "react";
import type { CardState } from "work-board-client/board";
import { useBoardState, useChange, useShownBoard } from "../board/context.js";
import { Avatar } from "../parts/Avatar.js";
import { t } from "../texts/index.js";

/** Assigns people to a card: the reader first, then the others of the board. */
export function PeoplePicker({ card }: { card: CardState }) {
  const { meId } = useShownBoard();
  const change = useChange();
  const members = useBoardState((board) => board.members);
  const [text, setText] = useState("");
  const found = members
    .filter(({ status, name }) => status === "active" && name.toLocaleLowerCase().includes(text.toLocaleLowerCase()))
    .toSorted((a, b) => Number(b.publicId === meId) - Number(a.publicId === meId));
  const isOn = (memberPublicId: string) => card.members.some(({ publicId }) => publicId === memberPublicId);
  return (
    <>
      <div className="find">
        <input
          aria-label={t.card.findPerson}
          placeholder={t.card.findPerson}
          value={text}
          onChange={({ currentTarget }) => setText(currentTarget.value)}
        />
      </div>
      <div className="list">
        {found.map(({ publicId, name }) => (
          <label key={publicId} className="item">
            <input
              type="checkbox"
              className="check"
              checked={isOn(publicId)}
              onChange={({ currentTarget }) =>
                change("card.toggleMember", {
                  cardPublicId: card.publicId,
                  memberPublicId: publicId,
                  on: currentTarget.checked,
                })
              }
            />
            <Avatar name={name} isMe={publicId === meId} size="s" />
            <span className="truncate" dir="auto">
              {publicId === meId ? t.card.youAre(name) : name}
            </span>
          </label>
        ))}
      </div>
    </>
  );
}
