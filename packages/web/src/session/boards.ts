// The workspaces of the account and their boards, as several features show them.

import { queryOptions } from "@tanstack/react-query";
import { client, type RouterOutputs } from "../client.js";
import { sessionKeys } from "./keys.js";
import { again, queryClient } from "./queryClient.js";
import { type Start, start } from "./start.js";

export type Workspace = Start["workspaces"][number];
export type OwnWorkspace = RouterOutputs["workspace"]["get"];
export type BoardSummary = RouterOutputs["board"]["list"][number];

const SETTINGS_STALE_MS = 300_000;

/** A workspace with its settings. */
export const workspaceSettings = (workspacePublicId: string) =>
  queryOptions({
    queryKey: sessionKeys.workspace(workspacePublicId),
    queryFn: ({ signal }) => client.workspace.get.query({ workspacePublicId }, { signal }),
    staleTime: SETTINGS_STALE_MS,
  });

/** Every workspace of the reader with the boards that they see there. */
export const ownBoards = queryOptions({
  ...again,
  queryKey: sessionKeys.boards,
  queryFn: async ({ signal }) => {
    const { workspaces } = await queryClient.fetchQuery(start);
    return Promise.all(
      workspaces.map(async (workspace) => ({
        workspace,
        boards: await client.board.list.query({ workspacePublicId: workspace.publicId }, { signal }),
      })),
    );
  },
});

/** Reads again which boards there are. */
export const boardsChanged = () =>
  Promise.all([queryClient.invalidateQueries(start), queryClient.invalidateQueries(ownBoards)]);

/** Reads again which boards there are, unless they hold this one as it is called and marked. */
export function noteBoard({
  publicId,
  name,
  isFavourite,
}: Pick<BoardSummary, "publicId" | "name" | "isFavourite">): void {
  const all = queryClient.getQueryData(ownBoards.queryKey)?.flatMap(({ boards }) => boards);
  const known = all?.find((one) => one.publicId === publicId);
  if (all !== undefined && (known?.name !== name || known.isFavourite !== isFavourite)) void boardsChanged();
}

/** Notes that the reader opened a board: it comes first among the recent ones. */
export async function boardOpened(boardPublicId: string): Promise<void> {
  await client.board.opened.mutate({ boardPublicId });
  await queryClient.invalidateQueries({ ...start, refetchType: "none" });
}
