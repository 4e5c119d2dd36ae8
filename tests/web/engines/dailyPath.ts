// The daily path: what everybody does on a board, in any engine.

import { expect } from "vitest";
import { anAddress, ok, type TestApp } from "../../helpers/app.js";
import { PASSWORD } from "../people.js";
import type { Visit } from "./visit.js";

const LINES = ["Buy paint", "Paint the boat", "Let it dry"];
const BEGUN = ["Open this card", "Add a card of your own", "Walk with the arrow keys, and press E to rename"];
const COMMENT = "Two coats, please";

const titlesIn = (visit: Visit, list: string) => visit.namesIn(["list", `Cards in ${list}`], "link");
const isLive = (visit: Visit) => visit.reads("status", "Connection", "Live");

/** The titles of each list of the first board of somebody, as the service has stored them. */
async function storedTitles({ anonymous, as }: TestApp, email: string, board: string) {
  const { accessToken: token } = ok(
    await anonymous.post<{ accessToken: string }>("/auth/sign-in", { email, password: PASSWORD }),
  );
  const { lists } = ok(
    await as({ token }).get<{ lists: { name: string; cards: { title: string }[] }[] }>(`/boards/${board}`),
  );
  return Object.fromEntries(lists.map(({ name, cards }) => [name, cards.map(({ title }) => title)]));
}

async function signUp(visit: Visit): Promise<string> {
  const email = anAddress();
  await visit.fill("Name", "Ada Lovelace");
  await visit.fill("E-mail", email);
  await visit.fill("Password", PASSWORD);
  await visit.click("button", "Sign up");
  await visit.find("heading", "First steps");
  await isLive(visit);
  return email;
}

async function pasteLines(visit: Visit): Promise<void> {
  await visit.click("button", "Add a card to To do");
  await visit.focuses("textbox", "Title of the new card");
  await visit.paste(LINES.join("\n"));
  await visit.driver.press("Enter");
  await expect.poll(() => titlesIn(visit, "To do")).toEqual([...BEGUN, ...LINES]);
  await visit.driver.press("Escape");
}

async function comment(visit: Visit): Promise<void> {
  await visit.driver.press("Enter");
  await visit.find("dialog", "Let it dry");
  await visit.fill("Write a comment", COMMENT);
  await visit.click("button", "Comment");
  await visit.reads("dialog", "Let it dry", COMMENT);
  await visit.driver.press("Escape");
  await visit.focuses("link", "Let it dry");
}

/** Signs up, pastes cards, drags one, walks to another one, comments on it, goes away and comes back. */
export async function dailyPath(testing: TestApp, visit: Visit): Promise<void> {
  const here = await testing.listening();
  await visit.driver.open(here);
  const email = await signUp(visit);
  await pasteLines(visit);

  await visit.drag(["link", "Paint the boat"], ["link", "Complete this card"]);
  await expect.poll(() => titlesIn(visit, "Doing")).toContain("Paint the boat");
  await visit.focuses("link", "Paint the boat");
  await visit.driver.press("ArrowLeft");
  for (let times = 0; times < 5; times += 1) await visit.driver.press("ArrowDown");
  await visit.focuses("link", "Let it dry");
  await comment(visit);

  const board = String(await visit.driver.evaluate("location.pathname.split('/').at(-1)"));
  const shown = { "To do": await titlesIn(visit, "To do"), Doing: await titlesIn(visit, "Doing") };
  await expect.poll(() => storedTitles(testing, email, board)).toMatchObject(shown);
  await visit.click("link", "Boards");
  await visit.find("heading", "Boards");
  await visit.driver.evaluate("history.back()");
  await visit.find("heading", "First steps");
  await visit.driver.open(`${here}/boards/${board}`);
  await isLive(visit);
  expect({ "To do": await titlesIn(visit, "To do"), Doing: await titlesIn(visit, "Doing") }).toEqual(shown);
  await visit.click("link", "Let it dry");
  await visit.reads("dialog", "Let it dry", COMMENT);
  await visit.driver.press("Escape");
}
