import { useState } from "react";
import { takenBackByKey } from "../board/undo/sentences.js";
import { type Sides, Undoables } from "../board/undo/undoables.js";
import { failureOf } from "../client.js";
import { announce } from "../parts/announce.js";
import { addDays } from "../parts/days.js";
import { texts } from "../texts/later.js";
import { cardNow, type DueCard, dayOfCard, isDueOn, makeDue } from "./queries.js";
import { dayInWords } from "./words.js";

/** A card that was made due on another day, or on none. */
interface DueMove extends Sides<string | null> {
  card: DueCard;
}

/** The moves of each workspace that can be taken back, also by who comes back to its calendar. */
const offered = new Map<string, Undoables<DueMove>>();

/** Makes cards due on other days, which is said and can be taken back; and why it was refused. */
export function useDueMoves(workspacePublicId: string) {
  const [refusal, setRefusal] = useState<string | null>(null);
  const make = async (card: DueCard, day: string | null): Promise<boolean> => {
    setRefusal(null);
    try {
      await makeDue(workspacePublicId, card, day);
      return true;
    } catch (reason) {
      setRefusal(texts.calendar.refused(card.title, failureOf(reason).text));
      return false;
    }
  };
  const undoables =
    offered.get(workspacePublicId) ??
    new Undoables<DueMove>({
      isThere: () => true,
      is: ({ card, ...days }, side) => isDueOn(workspacePublicId, card, days[side]),
      make: (moves, side) => {
        for (const { card, ...days } of moves) void make(card, days[side]);
      },
    });
  offered.set(workspacePublicId, undoables);
  const textOf = ({ title }: DueCard, day: string | null) =>
    day === null ? texts.calendar.noLongerDue(title) : texts.calendar.isDue(title, dayInWords(day));
  const move = async (card: DueCard, day: string | null): Promise<void> => {
    const before = dayOfCard(card);
    if (day === before) return;
    const text = textOf(card, day);
    const subject = `due date of ${card.publicId}`;
    const id = undoables.offer({ text, subject, parts: [{ card, before, after: day }] });
    announce(takenBackByKey(text));
    if (!(await make(card, day))) undoables.forget(id);
  };
  return {
    undoables,
    refusal,
    move: (card: DueCard, day: string | null) => void move(card, day),
    moveBy: (card: DueCard, days: number) => {
      const now = cardNow(workspacePublicId, card) ?? card;
      void move(now, addDays(dayOfCard(now), days));
    },
  };
}
