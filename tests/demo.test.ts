// What `npm run demo` fills a service with, under the limits that a service has unless told otherwise.
// @module-tag slow

import { expect, test } from "vitest";
import { BOARDS } from "../scripts/demo/content.js";
import { fillDemo } from "../scripts/demo/fill.js";
import { contentsOf, ok, testApp } from "./helpers/app.js";

const { as, db, listening, another } = await testApp({
  RATE_LIMIT_PER_MINUTE: "300",
  AUTH_RATE_LIMIT_PER_MINUTE: "10",
});
const url = await listening();
/** The demo is some 150 calls, one after the other. */
const FILLING_TIMEOUT_MS = 120_000;

interface Board {
  lists: { name: string; cards: { title: string }[] }[];
}

test(
  "it adds three boards to what is there, just as they are written, and changes nothing the second time",
  async () => {
    const unlimited = await another({ AUTH_RATE_LIMIT_PER_MINUTE: "0" });
    const { workspace, owner } = await unlimited.make.workspace();

    const demo = await fillDemo(url);

    expect(demo.isNew).toBe(true);
    const boards = ok(
      await as(demo).get<{ publicId: string; name: string }[]>(`/workspaces/${demo.workspacePublicId}/boards`),
    );
    expect(boards.map(({ name }) => name).sort()).toEqual(BOARDS.map(({ name }) => name).sort());
    for (const written of BOARDS) {
      const publicId = boards.find(({ name }) => name === written.name)?.publicId;
      const { lists } = ok(await as(demo).get<Board>(`/boards/${publicId}`));
      const open = Object.entries(written.lists).map(([name, cards]) => [
        name,
        cards.filter(({ isArchived }) => !isArchived).map(({ title }) => title),
      ]);
      expect(lists.map(({ name, cards }) => [name, cards.map(({ title }) => title)])).toEqual(open);
    }

    const before = await contentsOf(db);
    const again = await fillDemo(url);
    expect(again).toEqual({ ...demo, token: again.token, isNew: false });
    // Signing in gives a token and an entry of the audit log, and is all that it does.
    const { access_token, audit_entry } = before;
    const signedIn = { access_token: Number(access_token) + 1, audit_entry: Number(audit_entry) + 1 };
    expect(await contentsOf(db)).toEqual({ ...before, ...signedIn });
    expect(ok(await as(owner).get<{ publicId: string }[]>("/workspaces"))).toEqual([
      expect.objectContaining({ publicId: workspace.publicId }),
    ]);
  },
  FILLING_TIMEOUT_MS,
);
