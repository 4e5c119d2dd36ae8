import { Archive, CircleCheck, type IconNode, ListChecks, Move, Pencil, Plus, Tag, UserRound } from "lucide";
import { describe, type Event, type EventKind, englishTexts } from "work-board-client";
import type { PartEvent } from "work-board-client/board";
import { useShownBoard } from "../board/context.js";
import { Icon } from "../parts/Icon.js";
import { useUser } from "../session/user.js";
import { t } from "../texts/index.js";
import { texts } from "../texts/later.js";
import * as styles from "./Text.module.css";
import { Timestamp } from "./Timestamp.js";

const PART_ICONS: Record<EventKind<PartEvent>, IconNode> = { checklist: ListChecks };

/** The icons of events by the beginnings of their types. */
const ICONS: readonly (readonly [string, IconNode])[] = [
  ["card.created", Plus],
  ["card.moved", Move],
  ["card.label", Tag],
  ["card.member", UserRound],
  ["card.completed", CircleCheck],
  ["card.archived", Archive],
  ...Object.entries(PART_ICONS),
];

/** Dates have the form that they have on the rest of the page. */
const EVENT_TEXTS = { ...englishTexts, datesLocale: navigator.language };

/** An event of a card in a quiet sentence. */
export function Activity({ event, cardPublicId }: { event: Event; cardPublicId: string }) {
  const { followed, meId } = useShownBoard();
  const user = useUser();
  const [, icon = Pencil] = ICONS.find(([beginning]) => event.type.startsWith(beginning)) ?? [];
  const nameOf = (kind: string, publicId: string): string | undefined => {
    const { lists, labels, members } = followed.state().board ?? {};
    if (kind === "card" && publicId === cardPublicId) return texts.time.thisCard;
    if (kind === "member" && publicId === meId) return t.card.you;
    const named = { list: lists, label: labels, member: members }[kind];
    return named?.find((one) => one.publicId === publicId)?.name;
  };
  const parts = describe(event, { nameOf, texts: EVENT_TEXTS });
  return (
    <li>
      <span className={styles.dot} aria-hidden="true">
        <Icon of={icon} />
      </span>
      <p className={styles.act}>
        {parts.map(({ kind, text, publicId }, index) =>
          kind === "text" ? (
            <span key={index}>{text}</span>
          ) : (
            <b key={index} dir="auto">
              {kind === "person" && publicId === user.publicId ? texts.time.you : text}
            </b>
          ),
        )}
        <span> · </span>
        <Timestamp at={event.createdAt} />
      </p>
    </li>
  );
}
