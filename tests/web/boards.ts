// Boards at the page: their cards by the names that the page promises, and what the service has stored.

import type { Page } from "playwright-core";
import { type Board, ok, type Person, type TestApp } from "../helpers/app.js";
import { openAs, type Tab } from "./harness.js";

export const cardsIn = (page: Page, list: string) => page.getByRole("list", { name: `Cards in ${list}`, exact: true });
export const cardNamed = (page: Page, title: string) => page.getByRole("listitem").getByRole("link", { name: title });
/** The region of a page that says this. */
export const announced = (page: Page, text: string | RegExp) =>
  page.locator("[data-announcements]").getByText(text, { exact: true }).waitFor();

export const connection = (page: Page) => page.getByRole("status", { name: "Connection" });

/** Whether the side bar is open, also behind a dialog. */
export const isSideBarOpen = async (page: Page): Promise<boolean> =>
  (await page.getByRole("button", { name: "Side bar", includeHidden: true }).getAttribute("aria-expanded")) === "true";

export const titlesIn = (page: Page, list: string) => cardsIn(page, list).getByRole("link").allTextContents();

/** Opens a board as a person, and waits until it is live. */
export async function openBoard(origin: string, person: Person, { publicId }: Pick<Board, "publicId">): Promise<Tab> {
  const tab = await openAs(person, `${origin}/boards/${publicId}`);
  await connection(tab.page).getByText("Live", { exact: true }).waitFor();
  return tab;
}

/** The lists of a board with their titles, as the service has them. */
export async function storedLists(
  { as }: TestApp,
  person: Person,
  { publicId }: Pick<Board, "publicId">,
): Promise<Record<string, string[]>> {
  const { lists } = ok(
    await as(person).get<{ lists: { name: string; cards: { title: string }[] }[] }>(`/boards/${publicId}`),
  );
  return Object.fromEntries(lists.map(({ name, cards }) => [name, cards.map(({ title }) => title)]));
}

export const listNames = (page: Page) =>
  page.getByRole("region").evaluateAll((all) => all.map((one) => Reflect.get(one, "ariaLabel")));

/** A board with the lists "Ideas" with cards A, B and C, "Next", and "Done" with card D; `ids` are those of the cards. */
export async function boardOfThree(testing: TestApp) {
  const { make } = testing;
  const { owner: admin, board, list, workspace } = await make.list({ name: "Ideas" });
  const ids: Record<string, string> = {};
  for (const title of ["A", "B", "C"]) ids[title] = (await make.card({ list, title })).card.publicId;
  await make.list({ board, name: "Next" });
  const done = (await make.list({ board, name: "Done" })).list;
  ids.D = (await make.card({ list: done, title: "D" })).card.publicId;
  return { admin, board, list, workspace, ids, stored: () => storedLists(testing, admin, board) };
}
