// What tests of board files have in common: exports, and documents freed from what no file can keep.

import { sql } from "drizzle-orm";
import type { BoardFile } from "../../src/board/file.js";
import { type Client, ok, type TestApp } from "../helpers/app.js";
import type { Imported } from "./imports.js";

export type { BoardFile };

/** A board file without identifiers, numbers and slug: links are the places of what they name. */
export function withoutIds(file: BoardFile) {
  const placeIn = (parts: readonly { publicId: string }[]) => {
    const places = new Map(parts.map(({ publicId }, place) => [publicId, place]));
    return (publicId: string | null) => (publicId === null ? null : places.get(publicId));
  };
  const [person, label, list] = [placeIn(file.people), placeIn(file.labels), placeIn(file.lists)];
  const { slug: _, ...board } = file;
  return {
    ...board,
    people: file.people.map(({ name, email }) => ({ name, email })),
    memberPublicIds: file.memberPublicIds.map(person),
    labels: file.labels.map(({ publicId: _, ...named }) => named),
    lists: file.lists.map(({ name }) => name),
    cards: file.cards.map(({ publicId: _, cardNumber: __, ...card }) => {
      const comment = placeIn(card.comments);
      return {
        ...card,
        listPublicId: list(card.listPublicId),
        labelPublicIds: card.labelPublicIds.map(label),
        memberPublicIds: card.memberPublicIds.map(person),
        comments: card.comments.map(({ publicId: _, parentCommentPublicId, ...said }) => ({
          ...said,
          parentCommentPublicId: comment(parentCommentPublicId),
        })),
      };
    }),
  };
}

export function changedFile(file: BoardFile, change: (copy: BoardFile) => void): BoardFile {
  const copy = structuredClone(file);
  change(copy);
  return copy;
}

export function filesOf(client: Client) {
  const exported = async (boardPublicId: string) => ok(await client.get<BoardFile>(`/boards/${boardPublicId}/export`));
  const send = (workspace: { publicId: string }, board: unknown, more: object = {}) =>
    client.post<Imported>("/imports/boards", { workspacePublicId: workspace.publicId, board, ...more });
  const imported = async (workspace: { publicId: string }, board: unknown) => {
    const answer = ok(await send(workspace, board));
    return { answer, file: await exported(answer.boardPublicId) };
  };
  return { exported, send, imported };
}

/** A board with some of everything, in every state that a file has to carry. */
export async function richBoard({ as, make, db }: TestApp) {
  const { workspace, owner } = await make.workspace();
  const { board } = await make.board({
    workspace,
    name: "Ünïcode 🚀 “board”",
    visibility: "private",
    lists: ["To do", "Empty", "Done", "done", "Gone"],
    labels: ["Zebra", "ant", "Ant 2", "日本語"].map((name) => ({ name, colourCode: "#1F6feb" })),
  });
  const guest = await make.member(board, "guest");
  const member = await make.member(board, "member");
  const { tag } = await make.tag({ workspace, name: "Größe" });
  const client = as(owner);
  ok(await client.put(`/boards/${board.publicId}/tags/${tag.publicId}`));
  const { lists, labels } = ok(
    await client.get<{ lists: { publicId: string; name: string }[]; labels: { publicId: string }[] }>(
      `/boards/${board.publicId}`,
    ),
  );
  const listNamed = (name: string) => ({
    ...(lists.find((list) => list.name === name) ?? { publicId: "", name }),
    owner,
    board,
  });

  const { card: long } = await make.card({
    list: listNamed("To do"),
    title: "=HYPERLINK(1)",
    description: `${"𝒳".repeat(49_900)}\r\n@[${member.name}](${member.memberPublicId}) @${guest.email}`,
    dueDate: "2027-02-28T23:59:59.999Z",
    priority: "urgent",
    labelPublicIds: labels.map(({ publicId }) => publicId),
    memberPublicIds: [guest.memberPublicId, member.memberPublicId],
  });
  await make.card({ list: listNamed("To do"), index: 0, title: "First" });
  const { card: done } = await make.card({ list: listNamed("done"), description: "  kept as sent \t" });
  ok(await client.put(`/cards/${done.publicId}`, { completed: true }));
  const { checklist } = await make.checklist({ card: done, name: "Second; of two" });
  for (const title of ["a; b", "[x] not ticked", "– ünï"]) await make.item({ checklist, title });
  const { item } = await make.item({ checklist });
  ok(await client.put(`/checklist-items/${item.publicId}`, { completed: true, index: 0 }));
  await make.checklist({ card: done, name: "Empty" });

  const { comment: first } = await make.comment({ card: long, by: guest, comment: "  *first*\n\n" });
  await make.comment({ card: long, by: member, parentCommentPublicId: first.publicId });
  const { comment: gone } = await make.comment({ card: long });
  const { comment: left } = await make.comment({ card: long, by: member, parentCommentPublicId: gone.publicId });
  ok(await client.put(`/cards/${long.publicId}/comments/${left.publicId}`, { comment: "edited" }));
  ok(await client.delete(`/cards/${long.publicId}/comments/${gone.publicId}`));
  await make.comment({ card: long, by: guest, parentCommentPublicId: left.publicId });

  const { card: archived } = await make.card({ list: listNamed("Done"), title: "Archived" });
  await make.comment({ card: archived });
  ok(await client.post(`/cards/${archived.publicId}/archive`));
  for (const title of ["of a deleted list", "too"]) await make.card({ list: listNamed("Gone"), title });
  ok(await client.delete(`/lists/${listNamed("Gone").publicId}`));
  await db.rows(sql`update card set created_at = '2020-02-29T12:00:00.123Z' where public_id = ${done.publicId}::text`);
  return { board, workspace, owner, guest, member, long, done };
}
