// The people who can be assigned and mentioned on a board: everybody who sees it, also without being one of its members.

import { queryOptions, useQuery } from "@tanstack/react-query";
import { client } from "../client.js";
import { queries } from "../queries.js";
import { useBoardState } from "./context.js";

const key = ["assignable"];

export const assignable = (boardPublicId: string) =>
  queryOptions({
    queryKey: [...key, boardPublicId],
    queryFn: ({ signal }) => client.board.assignable.query({ boardPublicId }, { signal }),
  });

/** Reads again who can be assigned: people or their roles have changed. */
export const assignableChanged = () => queries.invalidateQueries({ queryKey: key });

/** The people who can be assigned; the members of the board until the service has answered, and while nobody wants to know. */
export function useAssignable(isWanted = true) {
  const boardPublicId = useBoardState((board) => board.publicId);
  const members = useBoardState((board) => board.members);
  const { data } = useQuery({ ...assignable(boardPublicId), enabled: isWanted });
  return data ?? members.filter(({ status }) => status === "active");
}
