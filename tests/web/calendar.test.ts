// The calendar of a workspace, in a real browser: cards by due date, which are moved to other days, and meetings.
//
// @module-tag slow

import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { ok, type Person, testApp } from "../helpers/app.js";
import { chromiumPath } from "../helpers/browser.js";
import { announced } from "./boards.js";
import { NO_BROWSER, openAs } from "./harness.js";
import { button, fill, heading } from "./people.js";
import { fingersOn, pointOn } from "./pointers.js";

const { as, make, listening } = await testApp();

interface Due {
  dueDate: string | null;
  dueHasTime: boolean;
}

describe.skipIf(chromiumPath === undefined)(`the calendar${NO_BROWSER}`, async () => {
  const here = await listening();
  const day = (page: Page, name: string) => page.getByRole("region", { name, exact: true });
  const dueOf = async (person: Person, { publicId }: { publicId: string }) => {
    const { dueDate, dueHasTime } = ok(await as(person).get<Due>(`/cards/${publicId}`));
    return { dueDate, dueHasTime };
  };

  const open = (person: Person, workspace: { publicId: string }, query: string) =>
    openAs(person, `${here}/calendar/${workspace.publicId}${query}`);

  test("shows cards on their day in the reader's time zone, month by month and as a week, and leads to them", async () => {
    const { owner, list, workspace } = await make.list();
    const card = async (title: string, dueDate: string) => (await make.card({ list, title, dueDate })).card;
    await card("A day", "2026-12-24");
    await card("Late in the evening", "2026-12-24T23:30:00.000Z");
    await card("Of the month before", "2026-11-30");
    for (const title of ["One", "Two", "Three", "Four", "Five"]) await card(title, "2026-12-10");
    const { page, look, expectNoTrouble } = await open(owner, workspace, "?day=2026-12-01");
    await heading(page, "December 2026").waitFor();
    await day(page, "Thursday 24 December").getByRole("link", { name: "A day" }).waitFor();
    await day(page, "Friday 25 December").getByRole("link", { name: "00:30 Late in the evening" }).waitFor();
    await day(page, "Monday 30 November").getByRole("link", { name: "Of the month before" }).waitFor();
    await look("calendar-month");
    await button(page, "2 more").click();
    await day(page, "Thursday 10 December").getByRole("link", { name: "Five" }).waitFor();
    await look("calendar-week");
    await button(page, "Next week").click();
    await button(page, "Next week").click();
    await button(page, "Month").click();
    await heading(page, "December 2026").waitFor();
    await button(page, "Next month").click();
    await heading(page, "January 2027").waitFor();
    await button(page, "Previous month").click();
    await page.getByRole("link", { name: "A day" }).click();
    await page.getByRole("dialog", { name: "A day" }).waitFor();
    await page.getByRole("dialog", { name: "A day" }).getByRole("button", { name: "Close" }).click();
    await heading(page, "December 2026").waitFor();
    const focused = "document.activeElement?.textContent";
    await expect.poll(() => page.evaluate(focused)).toBe("A day");
    expectNoTrouble();
  });

  test("is shown also by a device that has no time zone", async () => {
    const { owner, list, workspace } = await make.list();
    await make.card({ list, title: "A day", dueDate: "2026-12-24" });
    const { page, expectNoTrouble } = await open(owner, workspace, "?day=2026-12-01");
    await page.addInitScript({
      content: `const { resolvedOptions } = Intl.DateTimeFormat.prototype;
        Intl.DateTimeFormat.prototype.resolvedOptions = function () {
          return { ...resolvedOptions.call(this), timeZone: "Etc/Unknown" };
        };`,
    });
    await page.reload();
    await day(page, "Thursday 24 December").getByRole("link", { name: "A day" }).waitFor();
    expectNoTrouble();
  });

  test("a card is moved to another day by mouse, by keys and by its menu, and keeps its time", async () => {
    const { owner, list, workspace } = await make.list();
    const { card } = await make.card({ list, title: "Report", dueDate: "2026-12-08" });
    const { card: timed } = await make.card({ list, title: "Call", dueDate: "2026-12-08T09:00:00.000Z" });
    const { page, look, expectNoTrouble } = await open(owner, workspace, "?day=2026-12-01");
    const link = page.getByRole("link", { name: "Report" });
    await link.hover();
    await page.mouse.down();
    // The dragged card is between the pointer and the day.
    await day(page, "Friday 11 December").hover({ force: true });
    await page.keyboard.press("Escape");
    await day(page, "Tuesday 8 December").getByRole("link", { name: "Report" }).hover();
    await page.mouse.up();
    expect(await page.getByRole("dialog").count()).toBe(0);
    await link.hover();
    await page.mouse.down();
    await day(page, "Friday 11 December").hover({ force: true });
    await page.getByText("Due Friday 11 December").waitFor();
    await page.mouse.up();
    await day(page, "Friday 11 December").getByRole("link", { name: "Report" }).waitFor();
    await expect.poll(() => dueOf(owner, card)).toEqual({ dueDate: "2026-12-11T00:00:00.000Z", dueHasTime: false });
    await announced(page, "Report is due Friday 11 December. Ctrl+Z takes it back");

    await page.getByRole("link", { name: "Call" }).focus();
    await page.keyboard.press("Alt+ArrowDown");
    await day(page, "Tuesday 15 December").getByRole("link", { name: "Call" }).waitFor();
    await expect.poll(() => dueOf(owner, timed)).toEqual({ dueDate: "2026-12-15T09:00:00.000Z", dueHasTime: true });

    await button(page, "Actions for Report").click();
    await page.getByRole("menuitem", { name: "Due date…" }).click();
    await page.getByRole("dialog", { name: "Report" }).waitFor();
    await look("calendar-due");
    await fill(page, { "Due date": "2026-12-17" });
    await button(page, "Save").click();
    await day(page, "Thursday 17 December").getByRole("link", { name: "Report" }).waitFor();
    await expect.poll(async () => (await dueOf(owner, card)).dueDate).toBe("2026-12-17T00:00:00.000Z");
    await button(page, "Actions for Report").click();
    await page.getByRole("menuitem", { name: "No date" }).click();
    await link.waitFor({ state: "detached" });
    await expect.poll(async () => (await dueOf(owner, card)).dueDate).toBeNull();
    expectNoTrouble();
  });

  test("changes by others appear, a finger drags a card after a long press, and a drag is taken back", async () => {
    const { owner, list, workspace } = await make.list();
    const { card } = await make.card({ list, title: "Report", dueDate: "2026-12-08" });
    const { card: timed } = await make.card({ list, title: "Call", dueDate: "2026-12-08T09:00:00.000Z" });
    const { page, expectNoTrouble } = await open(owner, workspace, "?day=2026-12-01");
    await page.setViewportSize({ width: 390, height: 844 });
    await page.getByRole("link", { name: "Report" }).waitFor();
    for (let day = 10; day < 20; day += 1)
      await make.card({ list, title: `Card of ${day}`, dueDate: `2026-12-${day}` });
    await day(page, "Saturday 19 December").getByRole("link", { name: "Card of 19" }).waitFor();
    ok(await as(owner).put(`/cards/${timed.publicId}`, { title: "Renamed" }));
    await page.getByRole("link", { name: "10:00 Renamed" }).waitFor();

    const fingers = await fingersOn(page);
    await fingers.down(await pointOn(page.getByRole("link", { name: "Report" })));
    await page.getByText("Due Tuesday 8 December").waitFor();
    await fingers.move(await pointOn(day(page, "Friday 11 December")));
    await page.getByText("Due Friday 11 December").waitFor();
    await fingers.up();
    await expect.poll(() => dueOf(owner, card)).toEqual({ dueDate: "2026-12-11T00:00:00.000Z", dueHasTime: false });
    await day(page, "Friday 11 December").getByRole("link", { name: "Report" }).waitFor();
    await page.getByRole("status", { name: "Last change" }).getByText("Report is due Friday 11 December").waitFor();
    await button(page, "Undo").click();
    await day(page, "Tuesday 8 December").getByRole("link", { name: "Report" }).waitFor();
    await expect.poll(() => dueOf(owner, card)).toEqual({ dueDate: "2026-12-08T00:00:00.000Z", dueHasTime: false });

    // On its way, the first change is slower than the second one.
    await page.route("**/card.update**", (route) => setTimeout(() => void route.continue(), 300), { times: 1 });
    const answers: string[] = [];
    page.on("response", (answer) => answer.url().includes("card.update") && answers.push(answer.url()));
    await page.getByRole("link", { name: "Renamed" }).focus();
    // Both before the page is rendered again.
    await page.evaluate(`for (const key of ["ArrowDown", "ArrowRight"])
      document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key, altKey: true, bubbles: true }))`);
    await expect.poll(() => answers).toHaveLength(2);
    expect((await dueOf(owner, timed)).dueDate).toBe("2026-12-16T09:00:00.000Z");
    await page.keyboard.press("Control+z");
    await expect.poll(async () => (await dueOf(owner, timed)).dueDate).toBe("2026-12-08T09:00:00.000Z");
    expectNoTrouble();
  });

  test("changes by others appear also if the calendar was there before the boards of its workspace", async () => {
    const { owner, board, list, workspace } = await make.list();
    await make.card({ list, title: "Report", dueDate: "2026-12-08" });
    const { page, expectNoTrouble } = await open(owner, workspace, "?day=2026-12-01");
    let goOn = () => {};
    const isHeld = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    await page.route("**/trpc/board.list**", (route) => isHeld.then(() => route.continue()));
    await page.reload();
    await page.getByRole("link", { name: "Report" }).waitFor();
    goOn();
    await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: board.name }).waitFor();
    await make.card({ list, title: "Call", dueDate: "2026-12-09" });
    await page.getByRole("link", { name: "Call" }).waitFor();
    expectNoTrouble();
  });

  test("home and Ctrl+K lead to the calendar on a phone, where a finger drags a card to a day that was empty", async () => {
    const { owner, list, workspace } = await make.list();
    const { card } = await make.card({ list, title: "Report", dueDate: "2026-12-08" });
    const { page, expectNoTrouble } = await openAs(owner, here);
    await page.setViewportSize({ width: 360, height: 740 });
    await page.getByRole("link", { name: `Calendar of ${workspace.name}` }).click();
    await page.waitForURL(`${here}/calendar/${workspace.publicId}`);
    await page.getByRole("link", { name: "Boards" }).last().click();
    await heading(page, "Boards").waitFor();
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox").fill("calendar");
    await page.getByRole("option", { name: `Calendar of ${workspace.name}` }).click();
    await page.waitForURL(`${here}/calendar/${workspace.publicId}`);

    await page.goto(`${here}/calendar/${workspace.publicId}?day=2026-12-01`);
    const report = page.getByRole("link", { name: "Report" });
    await report.waitFor();
    expect(await day(page, "Thursday 10 December").isVisible()).toBe(false);
    const fingers = await fingersOn(page);
    const begun = await pointOn(report);
    await fingers.down(begun);
    await page.getByText("Due Tuesday 8 December").waitFor();
    await fingers.move(await pointOn(day(page, "Thursday 10 December")));
    await page.getByText("Due Thursday 10 December").waitFor();
    const last = day(page, "Thursday 31 December");
    await fingers.move({ ...begun, y: 660 });
    await expect.poll(async () => (await last.boundingBox())?.y).toBeLessThan(600);
    await fingers.move({ ...begun, y: 400 });
    await fingers.move(await pointOn(last));
    await page.getByText("Due Thursday 31 December").waitFor();
    await fingers.up();
    await last.getByRole("link", { name: "Report" }).waitFor();
    expect(await day(page, "Tuesday 8 December").isVisible()).toBe(false);
    await expect.poll(() => dueOf(owner, card)).toEqual({ dueDate: "2026-12-31T00:00:00.000Z", dueHasTime: false });
    expectNoTrouble();
  });

  test("a meeting is planned, repeated, joined, changed and deleted, which others see soon", async () => {
    const { owner, board, workspace } = await make.list();
    const { page, look, expectNoTrouble } = await open(owner, workspace, "?day=2026-12-07");
    await button(page, "New meeting").click();
    const dialog = page.getByRole("dialog");
    await fill(page, { Title: "Planning", Begins: "2026-12-07T09:30", Place: "https://meet.example.org/plan" });
    await dialog.getByLabel("Repeats").selectOption("Every week");
    await look("calendar-meeting");
    await button(page, "Save").click();
    for (const name of ["Monday 7 December", "Monday 14 December"])
      await day(page, name).getByRole("button", { name: "09:30 Planning" }).waitFor();
    await day(page, "Monday 7 December").getByRole("button", { name: "Planning" }).click();
    const join = dialog.getByRole("link", { name: "Join" });
    expect([await join.getAttribute("href"), await join.getAttribute("rel")]).toEqual([
      "https://meet.example.org/plan",
      "noreferrer",
    ]);
    await dialog.getByLabel("Repeats").selectOption("Once");
    await fill(page, { Place: "Room 5" });
    await button(page, "Save").click();
    await day(page, "Monday 14 December").getByRole("button", { name: "Planning" }).waitFor({ state: "detached" });

    const guest = await make.member(board, "member");
    const theirs = await open(guest, workspace, "?day=2026-12-07");
    await theirs.page.clock.install();
    await theirs.page.reload();
    await theirs.page.getByRole("button", { name: "Planning" }).waitFor();

    await page.getByRole("button", { name: "Planning" }).click();
    await dialog.getByText("Room 5", { exact: true }).waitFor();
    expect(await join.count()).toBe(0);
    await button(page, "Delete the meeting").click();
    await page.getByRole("alertdialog").getByRole("button", { name: "Delete the meeting" }).click();
    await expect.poll(async () => ok(await as(owner).get(`/workspaces/${workspace.publicId}/meetings`))).toEqual([]);
    await page.getByRole("button", { name: "Planning" }).waitFor({ state: "detached" });
    await theirs.page.clock.fastForward("00:30");
    await theirs.page.getByRole("button", { name: "Planning" }).waitFor({ state: "detached" });
    expectNoTrouble();
    theirs.expectNoTrouble();
  });

  test("leads from the last day of a long month to that of the next, whose last day may begin a week", async () => {
    const { owner, list, workspace } = await make.list();
    await make.card({ list, title: "On the last day", dueDate: "2027-01-31" });
    const { page, expectNoTrouble } = await open(owner, workspace, "?day=2027-01-31");
    await button(page, "Next month").click();
    await heading(page, "February 2027").waitFor();
    expect(new URL(page.url()).search).toBe("?day=2027-02-28");
    for (const month of ["March", "April", "May"]) {
      await button(page, "Next month").click();
      await heading(page, `${month} 2027`).waitFor();
    }
    await day(page, "Monday 31 May").waitFor();
    expectNoTrouble();
  });

  test("a card that the service does not move is back on its day, which says why, and nothing is offered to be taken back", async () => {
    const { owner, list, workspace } = await make.list();
    await make.card({ list, title: "Report", dueDate: "2026-12-08" });
    await make.card({ list, title: "Call", dueDate: "2026-12-08T09:00:00.000Z" });
    const { page } = await open(owner, workspace, "?day=2026-12-01");
    const eighth = day(page, "Tuesday 8 December").getByRole("link");
    await eighth.first().waitFor();
    // What is due all day comes first.
    expect(await eighth.allTextContents()).toEqual(["Report", "10:00Call"]);
    await page.route("**/card.update**", (route) => route.fulfill({ status: 404 }));
    await eighth.first().focus();
    await page.keyboard.press("Alt+ArrowDown");
    await page
      .getByRole("alert")
      .getByText(/^Report: .* The due date was not changed\.$/)
      .waitFor();
    await expect.poll(() => eighth.allTextContents()).toEqual(["Report", "10:00Call"]);
    expect(await button(page, "Undo").count()).toBe(0);
  });
});
