// Search in comments, under conditions, and in scripts without blanks; what a result says of its words.

import { describe, expect, test } from "vitest";
import { expectError, ok, testApp } from "../helpers/app.js";
import { type Page, pathOf, searchesOn } from "./searches.js";

const app = await testApp();
const { as, make } = app;
const { withCards } = searchesOn(app);

interface Excerpted {
  title: string;
  excerpt: string | null;
}

/** What a search finds, with the parameters behind its query. */
async function found(at: Parameters<typeof pathOf>[0], query: string, more = "", person = at.owner) {
  return ok(await as(person).get<Page & { items: Excerpted[] }>(pathOf(at, query, more))).items;
}

const titlesOf = (items: readonly { title: string }[]) => items.map(({ title }) => title);

describe("with comments", () => {
  test("cards of which one comment has all words come behind all others, newest first and each once", async () => {
    const { workspace, owner, cards } = await withCards(
      "first",
      { title: "second", description: "the blue whale" },
      "third whale blue",
      "fourth",
      "split",
    );
    const say = async (index: number, comment: string) =>
      ok(await as(owner).post(`/cards/${cards[index]?.publicId}/comments`, { comment }));
    await say(0, "A blue thing. And a whale!");
    await say(0, "Blue whales again, later");
    await say(1, "blue whale");
    await say(3, "Whales are blüe");
    await say(4, "blue");
    await say(4, "whale");

    expect(titlesOf(await found(workspace, "blue whale"))).toEqual(["third whale blue", "second"]);
    const items = await found(workspace, "blue whale", "&comments=true");
    expect(items.map(({ title, excerpt }) => [title, excerpt])).toEqual([
      ["third whale blue", null],
      ["second", "the blue whale"],
      ["fourth", "Whales are blüe"],
      ["first", "Blue whales again, later"],
    ]);
  });

  test("pages lead through cards found by comments without loss or doubles", async () => {
    const { workspace, owner, cards } = await withCards("a", "b find", "c", { title: "d", description: "find" }, "e");
    for (const { publicId } of cards) {
      for (const comment of ["find me", "find me again"])
        ok(await as(owner).post(`/cards/${publicId}/comments`, { comment }));
    }
    const whole = titlesOf(await found(workspace, "find", "&comments=true"));
    expect(whole).toEqual(["b find", "d", "e", "c", "a"]);
    const paged: string[] = [];
    let cursor = "";
    for (let page = 0; page < whole.length; page += 1) {
      const { items, nextCursor } = ok(
        await as(owner).get<Page>(pathOf(workspace, "find", `&comments=true&limit=1${cursor}`)),
      );
      paged.push(...titlesOf(items));
      cursor = `&cursor=${nextCursor}`;
      if (nextCursor === null) break;
    }
    expect(paged).toEqual(whole);
    const other = ok(await as(owner).get<Page>(pathOf(workspace, "find", "&limit=1")));
    expectError(
      await as(owner).get(pathOf(workspace, "find", `&comments=true&cursor=${other.nextCursor}`)),
      "BAD_REQUEST",
      "cursor",
    );
  });

  test("an edited comment is found by its new words alone, and a deleted one not at all", async () => {
    const { workspace, owner, cards } = await withCards("a");
    const path = `/cards/${cards[0]?.publicId}/comments`;
    const { publicId } = ok(await as(owner).post<{ publicId: string }>(path, { comment: "before" }));
    ok(await as(owner).put(`${path}/${publicId}`, { comment: "after" }));
    expect(await found(workspace, "before", "&comments=true")).toEqual([]);
    expect(titlesOf(await found(workspace, "after", "&comments=true"))).toEqual(["a"]);
    ok(await as(owner).delete(`${path}/${publicId}`));
    expect(await found(workspace, "after", "&comments=true")).toEqual([]);
  });

  test("who cannot see the card finds nothing, nor does anybody on archived cards and boards", async () => {
    const { workspace, owner, board, cards } = await withCards("a", "b");
    for (const { publicId } of cards) ok(await as(owner).post(`/cards/${publicId}/comments`, { comment: "secret" }));
    const member = await make.member(workspace, "member");
    expect(titlesOf(await found(workspace, "secret", "&comments=true", member))).toEqual(["b", "a"]);
    ok(await as(owner).put(`/boards/${board.publicId}`, { visibility: "private" }));
    expect(await found(workspace, "secret", "&comments=true", member)).toEqual([]);
    ok(await as(owner).post(`/cards/${cards[0]?.publicId}/archive`));
    expect(titlesOf(await found(workspace, "secret", "&comments=true"))).toEqual(["b"]);
    ok(await as(owner).post(`/boards/${board.publicId}/archive`));
    expect(await found(workspace, "secret", "&comments=true")).toEqual([]);
  });
});

describe("conditions", () => {
  test("of board, assignee and completion find cards alone, and all must hold", async () => {
    const { workspace, owner, board, cards } = await withCards("plan one", "plan two", "plan three");
    const { me } = ok(await as(owner).get<{ me: { memberPublicId: string } }>(`/boards/${board.publicId}`));
    const { list: elsewhere } = await make.list({ board: (await make.board({ workspace, name: "Other plan" })).board });
    await make.card({ list: elsewhere, title: "plan elsewhere" });
    const [one, two] = cards.map(({ publicId }) => publicId);
    for (const card of [one, two]) ok(await as(owner).put(`/cards/${card}/members/${me.memberPublicId}`));
    ok(await as(owner).put(`/cards/${one}`, { completed: true }));
    ok(await as(owner).post(`/cards/${one}/comments`, { comment: "remark" }));

    const onBoard = `&boardPublicId=${board.publicId}`;
    const mine = `&memberPublicId=${me.memberPublicId}`;
    expect(titlesOf(await found(workspace, "plan", onBoard))).toEqual(["plan three", "plan two", "plan one"]);
    expect(titlesOf(await found(workspace, "plan", mine))).toEqual(["plan two", "plan one"]);
    expect(titlesOf(await found(workspace, "plan", "&completed=true"))).toEqual(["plan one"]);
    expect(titlesOf(await found(workspace, "plan", "&completed=false"))).toEqual([
      "plan elsewhere",
      "plan three",
      "plan two",
    ]);
    expect(titlesOf(await found(workspace, "plan", `${onBoard}${mine}&completed=false`))).toEqual(["plan two"]);
    expect(titlesOf(await found(workspace, "remark", `&comments=true${mine}`))).toEqual(["plan one"]);
    expect(await found(workspace, "remark", "&comments=true&completed=false")).toEqual([]);
    expect(await found(workspace, "#1", "&completed=false")).toEqual([]);
  });

  test("on a board of which the caller may not know, and for an unknown member, nothing is found", async () => {
    const { workspace, owner, board } = await withCards("plan");
    ok(await as(owner).put(`/boards/${board.publicId}`, { visibility: "private" }));
    const member = await make.member(workspace, "member");
    for (const publicId of [board.publicId, "AAAAAAAAAAAA"]) {
      expect(await found(workspace, "plan", `&boardPublicId=${publicId}`, member)).toEqual([]);
    }
    expect(await found(workspace, "plan", "&memberPublicId=AAAAAAAAAAAA")).toEqual([]);
  });
});

describe("an excerpt", () => {
  test("has up to 160 characters around the first word found, as written", async () => {
    const before = "Über dies und das. ".repeat(20);
    const after = " und so weiter".repeat(20);
    const { workspace } = await withCards({ title: "long", description: `${before}Die Straße nach Łódź${after}` });
    for (const query of ["strasse lodz", "LODZ", "łódź", "Straße"]) {
      const [item] = await found(workspace, query);
      expect([...(item?.excerpt ?? "")].length).toBeLessThanOrEqual(160);
      expect(item?.excerpt).toContain("Die Straße nach Łódź und so");
      expect(item?.excerpt).toContain("und das. ");
    }
  });

  test("counts characters, not units of UTF-16, and may begin with the text", async () => {
    const { workspace } = await withCards({ title: "emoji", description: `🎉 rocket ${"🚀".repeat(400)}` });
    const [item] = await found(workspace, "rocket");
    expect([...(item?.excerpt ?? "")]).toHaveLength(160);
    expect(item?.excerpt?.startsWith("🎉 rocket 🚀")).toBe(true);
  });
});

describe("scripts that are written without blanks", () => {
  test.each([
    ["Thai", "ประชุมทีมวันศุกร์", "วันศุกร์", "วันเสาร์"],
    ["Lao", "ກອງປະຊຸມວັນສຸກ", "ວັນສຸກ", "ວັນເສົາ"],
    ["Khmer", "ប្រជុំក្រុមថ្ងៃសុក្រ", "ថ្ងៃសុក្រ", "ថ្ងៃសៅរ៍"],
    ["Burmese", "သောကြာနေ့အစည်းအဝေး", "အစည်းအဝေး", "ဟင်းချက်"],
  ])("%s: a word is found within a title, a description and a comment", async (_, text, word, other) => {
    const { workspace, owner, cards } = await withCards(text, { title: "described", description: text }, "commented");
    ok(await as(owner).post(`/cards/${cards[2]?.publicId}/comments`, { comment: text }));
    const items = await found(workspace, word, "&comments=true");
    expect(titlesOf(items)).toEqual([text, "described", "commented"]);
    expect(items.map(({ excerpt }) => excerpt)).toEqual([null, text, text]);
    expect(await found(workspace, other, "&comments=true")).toEqual([]);
  });
});
