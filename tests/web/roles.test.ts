// The controls of each page, by role, in a real browser: all of them, so that one more is seen, and one less.
//
// @module-tag slow

import { describe, expect, test } from "vitest";
import { ok, testApp } from "../helpers/app.js";
import { chromiumPath } from "../helpers/browser.js";
import { controlsIn, controlsOf, type Ids } from "./controls.js";
import { PAGES } from "./controlsOfPages.js";
import { SETTINGS } from "./controlsOfSettings.js";
import { NO_BROWSER, openAs } from "./harness.js";
import { button } from "./people.js";

const { as, make, listening } = await testApp({ WEBHOOK_ALLOW_PRIVATE: "true" });

/** Things with fixed names, in the workspace Harbour of the admin Ada, the member Bea and the guest Gus. */
async function harbour() {
  const admin = await make.user({ name: "Ada" });
  const { workspace } = await make.workspace({ owner: admin, name: "Harbour" });
  const { board } = await make.board({ workspace, name: "Boats", visibility: "public" });
  const { board: archived } = await make.board({ workspace, name: "Hulks" });
  const { list } = await make.list({ board, name: "Ideas" });
  await make.list({ board, name: "Done" });
  const { label } = await make.label({ board, name: "Sea", colourCode: "#0090ff" });
  await make.tag({ workspace, name: "Fleet", colourCode: "#0090ff" });
  const member = await make.member(board, "member", await make.user({ name: "Bea" }));
  const guest = await make.member(board, "guest", await make.user({ name: "Gus" }));
  await make.member(archived, "guest", await make.user({ name: "Ina" }));
  const described = { description: "Twice", dueDate: "2026-12-24", labelPublicIds: [label.publicId] };
  const { card } = await make.card({ list, title: "Paint", ...described });
  const { card: gone } = await make.card({ list, title: "Tar" });
  const { checklist } = await make.checklist({ card, name: "Steps" });
  await make.item({ checklist, title: "Scrape" });
  const mentions = `@[Bea](${member.memberPublicId}) @[Gus](${guest.memberPublicId})`;
  await make.comment({ card, by: admin, comment: mentions });
  await make.comment({ card, by: guest });
  ok(await as(admin).post("/cards/bulk/archive", { cardPublicIds: [gone.publicId] }));
  ok(await as(admin).post(`/boards/${archived.publicId}/archive`));
  const below = `/workspaces/${workspace.publicId}`;
  const hook = { name: "Bell", url: "http://127.0.0.1:9/", events: ["card.*"] };
  const webhook = ok(await as(admin).post<{ publicId: string }>(`${below}/webhooks`, hook));
  const meeting = { title: "Stand-up", scheduledAt: "2026-12-24T09:00:00.000Z", callLink: "https://example.org/" };
  ok(await as(admin).put(`${below}/meetings`, meeting));
  const ids: Ids = {
    ...{ workspace: workspace.publicId, board: board.publicId, archived: archived.publicId },
    ...{ card: card.publicId, gone: gone.publicId, webhook: webhook.publicId },
  };
  return { ids, people: { admin, member, guest } };
}

const ROLES = ["admin", "member", "guest"] as const;

describe.skipIf(chromiumPath === undefined)(`the controls of pages${NO_BROWSER}`, async () => {
  const here = await listening();
  const { ids, people } = await harbour();

  test.each(ROLES)("are those of the role: %s", { timeout: 240_000 }, async (role) => {
    const { page, expectNoTrouble } = await openAs(people[role], `${here}/notifications`);
    for (const [name, { address, part, open, controls }] of Object.entries({ ...PAGES, ...SETTINGS })) {
      await page.evaluate(`history.pushState(null, "", ${JSON.stringify(address(ids))})`);
      await open?.(page);
      await expect
        .poll(() => controlsIn(part?.(page) ?? page.getByRole("main")), { message: name })
        .toEqual(controlsOf(role, controls));
      if (open !== undefined) await page.keyboard.press("Escape");
    }
    expectNoTrouble();
  });

  test("an instance admin is offered nothing that is done to their own account", async () => {
    const admin = await make.instanceAdmin(await make.user({ name: "Root" }));
    const { page, expectNoTrouble } = await openAs(admin, `${here}/admin/users`);
    const row = page.getByRole("list", { name: "Accounts" }).getByRole("listitem").filter({ hasText: admin.email });
    await row.waitFor();
    expect(await controlsIn(row)).toEqual([]);
    expectNoTrouble();
  });

  test("the calendar of a guest has no meetings to make or to fail at", async () => {
    const { list, board, workspace } = await make.list();
    await make.card({ list, title: "A day", dueDate: "2026-12-24" });
    const guest = await make.member(board, "guest");
    const { page, expectNoTrouble } = await openAs(guest, `${here}/calendar/${workspace.publicId}?day=2026-12-01`);
    await page.getByRole("link", { name: "A day" }).waitFor();
    expect(await button(page, "New meeting").count()).toBe(0);
    expect(await page.getByRole("alert").count()).toBe(0);
    expectNoTrouble();
  });
});
