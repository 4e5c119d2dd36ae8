// The people whom the components below may offer.

import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import type { AssignedPerson } from "work-board-client/board";
import { useBoardState } from "./context.js";
import { assigneesOf } from "./people.js";
import { assignable } from "./queries.js";

/** The people who can be assigned; the members of the board until the service has answered, and while nobody wants to know. */
export function useAssignable(isWanted = true) {
  const boardPublicId = useBoardState((board) => board.publicId);
  const members = useBoardState((board) => board.members);
  const { data } = useQuery({ ...assignable(boardPublicId), enabled: isWanted });
  return data ?? members.filter(({ status }) => status === "active");
}

/** The people who can be assigned, and those who are: a guest may not assign the others who are assigned, but filters for them. */
export function usePeople(): readonly AssignedPerson[] {
  const people = useAssignable();
  const cards = useBoardState((board) => board.cards);
  return useMemo(() => {
    const byId = new Map(people.map((one) => [one.publicId, one] as [string, AssignedPerson]));
    for (const one of assigneesOf({ cards })) if (!byId.has(one.publicId)) byId.set(one.publicId, one);
    return [...byId.values()];
  }, [people, cards]);
}
