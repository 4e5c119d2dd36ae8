// What tests of the search have in common: cards to find, and what is found.

import { ok, type TestApp, type Workspace } from "../helpers/app.js";
import type { Bearer } from "../helpers/requests.js";

export interface Found {
  type: "board" | "card";
  publicId: string;
  title: string;
  boardPublicId: string;
  boardName: string;
  cardNumber: number | null;
  excerpt: string | null;
}

export interface Page {
  items: Found[];
  nextCursor: string | null;
}

export const pathOf = ({ publicId }: Workspace, query: string, more = "") =>
  `/workspaces/${publicId}/search?query=${encodeURIComponent(query)}${more}`;

export function searchesOn({ as, make }: TestApp) {
  const search = async (workspace: Workspace, query: string, person: Bearer = workspace.owner) =>
    ok(await as(person).get<Page>(pathOf(workspace, query, "&limit=100"))).items;

  /** What is found, by title, best first. */
  const titles = async (workspace: Workspace, query: string, person?: Bearer) =>
    (await search(workspace, query, person)).map(({ title }) => title);

  /** A board with a list and cards of these titles, in this order. */
  async function withCards(...cards: (string | { title: string; description: string })[]) {
    const { board } = await make.board({ name: "Plan" });
    const { list, workspace, owner } = await make.list({ board });
    const made = [];
    for (const card of cards) {
      made.push((await make.card({ list, ...(typeof card === "string" ? { title: card } : card) })).card);
    }
    return { board, list, workspace, owner, cards: made };
  }

  return { search, titles, withCards };
}
