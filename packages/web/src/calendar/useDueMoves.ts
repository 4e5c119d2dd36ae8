import { useState } from "react";
import type { Undoing } from "../board/moving/Undo.js";
import type { Undoables } from "../board/moving/undoables.js";
import { failureOf } from "../client.js";
import { addDays } from "../parts/days.js";
import { texts } from "../texts/later.js";
import { cardNow, type DueCard, dayOfCard, makeDue } from "./queries.js";
import { dayInWords } from "./words.js";

/** The moves of each workspace that can be taken back, also by who comes back to its calendar. */
const offered = new Map<string, Undoables>();

/** Makes cards due on other days, which can be taken back for a while; and what a screen reader says of it, and why it was refused. */
export function useDueMoves(workspacePublicId: string, { Undoables }: Undoing) {
  const undoables = offered.get(workspacePublicId) ?? new Undoables();
  offered.set(workspacePublicId, undoables);
  const [said, say] = useState("");
  const [refusal, setRefusal] = useState<string | null>(null);
  const textOf = ({ title }: DueCard, day: string | null) =>
    day === null ? texts.calendar.noLongerDue(title) : texts.calendar.isDue(title, dayInWords(day));
  const make = async (card: DueCard, day: string | null): Promise<boolean> => {
    setRefusal(null);
    try {
      await makeDue(workspacePublicId, card, day);
      say(textOf(card, day));
      return true;
    } catch (reason) {
      setRefusal(texts.calendar.refused(card.title, failureOf(reason).text));
      return false;
    }
  };
  const move = async (card: DueCard, day: string | null): Promise<void> => {
    const before = dayOfCard(card);
    if (day === before) return;
    const id = undoables.offer({
      text: textOf(card, day),
      subject: `due date of ${card.publicId}`,
      run: () => void make(card, before),
    });
    if (!(await make(card, day))) undoables.forget(id);
  };
  return {
    undoables,
    said,
    refusal,
    move: (card: DueCard, day: string | null) => void move(card, day),
    moveBy: (card: DueCard, days: number) => {
      const now = cardNow(workspacePublicId, card);
      void move(now, addDays(dayOfCard(now), days));
    },
  };
}
