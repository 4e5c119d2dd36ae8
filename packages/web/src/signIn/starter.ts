// The first workspace of a new account, with a small board whose cards teach. They are cards like any other.

import { client, type User } from "../client.js";

const TEAL = "#12a594";

/** Makes the workspace and its board. Returns the identifier of the board. */
export async function makeStarter({ name }: User): Promise<string> {
  const { starter } = await import("../texts/starter.js");
  const workspace = await client.workspace.create.mutate({ name: starter.workspace(name) });
  const { publicId: boardPublicId } = await client.board.create.mutate({
    workspacePublicId: workspace.publicId,
    name: starter.board,
    lists: starter.lists,
    labels: [{ name: starter.label, colourCode: TEAL }],
  });
  const { lists, labels } = await client.board.get.query({ boardPublicId });
  const [label] = labels;
  for (const { list, title, description, completed } of starter.cards) {
    const listPublicId = lists[list]?.publicId;
    if (listPublicId === undefined) continue;
    const labelPublicIds = label === undefined || completed ? [] : [label.publicId];
    const card = await client.card.create.mutate({ listPublicId, title, description, labelPublicIds });
    if (completed) await client.card.update.mutate({ cardPublicId: card.publicId, completed });
  }
  return boardPublicId;
}
