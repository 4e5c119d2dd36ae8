import { texts } from "../texts/later.js";
import { Avatar } from "./Avatar.js";

/** A person in a list: who it is, and what tells them apart from others of that name. */
export const PersonName = ({ name, isMe, hint }: { name: string; isMe: boolean; hint: string | null }) => (
  <>
    <Avatar name={name} isMe={isMe} />
    <span className="names" dir="auto">
      <span>{isMe ? texts.card.youAre(name) : name}</span>
      {hint !== null && <span className="hint">{hint}</span>}
    </span>
  </>
);
