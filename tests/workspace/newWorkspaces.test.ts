// Making a workspace: what it has from the beginning, and the slug and prefix made from its name.

import { sql } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { permissionsOf } from "../../src/access/permissions.js";
import { storeWorkspace } from "../../src/workspace/workspaces.js";
import { contentsOf, expectError, freshSlug, ok, type Person, testApp, unique } from "../helpers/app.js";
import { workspaceRowsOn } from "./workspaceRows.js";

const app = await testApp();
const { as, anonymous, make, db } = app;
const { keyOf, stored } = workspaceRowsOn(app);

const turnIntoGuestAccount = (person: Person) =>
  db.rows(sql`update account set is_guest = true where public_id = ${person.publicId}::text`);

describe("creating", () => {
  test("a new workspace has the defaults, a slug and a prefix made from its name, and its creator as admin", async () => {
    const ada = await make.user();
    const word = unique("North").replace(" ", "");

    const made = ok(await as(ada).post("/workspaces", { name: `  ${word} Été  ` }));

    expect(made).toEqual({
      publicId: expect.stringMatching(/^[0-9A-Za-z]{12}$/),
      name: `${word} Été`,
      slug: `${word.toLowerCase()}-ete`,
      description: "",
      plan: "free",
      showEmailsToMembers: true,
      weekStartDay: 1,
      cardPrefix: "NE",
      role: "admin",
      me: { memberPublicId: expect.any(String), role: "admin", permissions: permissionsOf("admin") },
    });
    const { publicId, role: _, me: __, ...settings } = made;
    expect(await stored({ publicId: String(publicId) })).toEqual(settings);
    const id = await keyOf({ publicId: String(publicId) });
    expect(
      await db.rows(sql`select a.public_id as account, m.role, k.event_seq as "eventSeq", k.card_number as "cardNumber"
        from member m join account a on a.id = m.account_id join workspace_counter k on k.workspace_id = m.workspace_id
        where m.workspace_id = ${id}::bigint`),
    ).toEqual([{ account: ada.publicId, role: "admin", eventSeq: 0, cardNumber: 0 }]);
  });

  test("slug, description and prefix are kept as given, the slug in lower case", async () => {
    const slug = freshSlug();
    const made = ok(
      await as(await make.user()).post("/workspaces", {
        name: "x".repeat(255),
        slug: slug.toUpperCase(),
        description: " kept as sent ",
        cardPrefix: "AB12345678",
      }),
    );
    expect(made).toMatchObject({ slug, description: " kept as sent ", cardPrefix: "AB12345678" });
  });

  test.each([
    ["Acme", "ACM"],
    ["Product Team", "PT"],
    ["one two three four five", "OTTF"],
    ["Łódź", "ODZ"],
    ["Étoile d'Or", "ED"],
    ["3M", "3M"],
    ["日本", "WB"],
    ["日本 Team", "TEA"],
    ["Back-end", "BE"],
    ["!!!", "WB"],
  ])("cards of the workspace %s are quoted as %s", async (name, cardPrefix) => {
    expect(ok(await as(await make.user()).post("/workspaces", { name }))).toMatchObject({ cardPrefix });
  });

  test("names that make no slug, a short one, a reserved one or a taken one still get a legal, free slug", async () => {
    const ada = await make.user();
    const slugOf = async (name: string) => ok(await as(ada).post<{ slug: string }>("/workspaces", { name })).slug;
    const word = unique("Twin").replace(" ", "").toLowerCase();

    expect(await slugOf("日本")).toMatch(/^workspace(-\d+)?$/);
    expect(await slugOf("Q")).toMatch(/^q-workspace(-\d+)?$/);
    expect(await slugOf("Settings")).toBe("settings-2");
    expect([await slugOf(word), await slugOf(word), await slugOf(word)]).toEqual([word, `${word}-2`, `${word}-3`]);
    const long = `${"y".repeat(70)}${word}`;
    expect([await slugOf(long), await slugOf(long)]).toEqual(["y".repeat(60), `${"y".repeat(58)}-2`]);
  });

  test("workspaces of one name made at once all get slugs, all different", async () => {
    const name = unique("Rush");
    const people = await Promise.all(Array.from({ length: 4 }, () => make.user()));

    const made = await Promise.all(
      Array.from({ length: 24 }, (_, n) =>
        as(people[n % 4] ?? { token: "" }).post<{ slug: string }>("/workspaces", { name }),
      ),
    );

    const slugs = made.map((res) => ok(res).slug);
    expect(new Set(slugs).size).toBe(24);
    expect(slugs.every((slug) => /^rush-[0-9a-f]+(-[0-9a-z]+)?$/.test(slug))).toBe(true);
  });

  test("neither the number nor the order of workspaces shows in their keys", async () => {
    const keys = [];
    for (let count = 0; count < 20; count += 1) keys.push(Number(await keyOf((await make.workspace()).workspace)));
    expect(Math.max(...keys)).toBeGreaterThan(62 ** 5 / 4);
    expect(keys.toSorted((one, other) => one - other)).not.toEqual(keys);
  });

  test("a key that another workspace has is drawn again", async () => {
    const taken = Number(await keyOf((await make.workspace()).workspace));
    const fields = { name: "Second", slug: freshSlug(), cardPrefix: "SEC" };
    const draws = [taken, taken, 62 ** 5 - 1];

    const stored = await storeWorkspace(db, fields, () => draws.shift() ?? expect.fail());

    expect(stored).toMatchObject({
      workspaceId: 62 ** 5 - 1,
      publicId: expect.stringMatching(/^zzzzz/),
      name: "Second",
    });
  });

  test("more workspaces of one name than are numbered get random tails", async () => {
    const ada = await make.user();
    const word = unique("Crowd").replace(" ", "").toLowerCase();
    await db.rows(sql`insert into workspace (id, public_id, name, slug, card_prefix)
      select 800000000 + n, ${word}::text || n, 'x', ${word}::text || case when n = 1 then '' else '-' || n end, 'WB' from generate_series(1, 51) n`);

    const { slug } = ok(await as(ada).post<{ slug: string }>("/workspaces", { name: word }));

    expect(slug).toMatch(new RegExp(`^${word}-[0-9a-z]{12}$`));
  });

  test("a given slug that is taken in any case or reserved is refused, and nothing is made", async () => {
    const { workspace } = await make.workspace({ slug: freshSlug() });
    const ada = await make.user();
    const before = await contentsOf(db);

    for (const slug of [workspace.slug, workspace.slug.toUpperCase(), "new", "Settings", "api", "docs", "invite"]) {
      expectError(await as(ada).post("/workspaces", { name: "Mine", slug }), "BAD_REQUEST", "slug");
    }
    expect(await contentsOf(db)).toEqual(before);
  });

  test("of workspaces made at once with one given slug a single one is made", async () => {
    const ada = await make.user();
    const slug = freshSlug();

    const answers = await Promise.all(
      Array.from({ length: 6 }, () => as(ada).post("/workspaces", { name: "Mine", slug })),
    );

    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    for (const res of answers.filter(({ status }) => status !== 200)) expectError(res, "BAD_REQUEST", "slug");
    expect(ok(await as(ada).get<unknown[]>("/workspaces"))).toHaveLength(1);
  });

  test.each([
    ["name", {}],
    ["name", { name: "   " }],
    ["name", { name: "x".repeat(256) }],
    ["name", { name: null }],
    ["name", { name: "a\u0000b" }],
    ["slug", { name: "x", slug: "ab" }],
    ["slug", { name: "x", slug: "---" }],
    ["slug", { name: "x", slug: "a b c" }],
    ["slug", { name: "x", slug: "a".repeat(61) }],
    ["description", { name: "x", description: "d".repeat(5001) }],
    ["description", { name: "x", description: null }],
    ["cardPrefix", { name: "x", cardPrefix: "ab" }],
    ["cardPrefix", { name: "x", cardPrefix: "" }],
    ["cardPrefix", { name: "x", cardPrefix: "ABCDEFGHIJK" }],
    ["cardPrefix", { name: "x", cardPrefix: "AB\n" }],
    ["plan", { name: "x", plan: "pro" }],
  ])("a wrong %s is refused: %j", async (field, body) => {
    expectError(await as(await make.user()).post("/workspaces", body), "BAD_REQUEST", field);
  });

  test("an accountless guest, a bound token, a read token and nobody cannot make one, whatever the slug", async () => {
    const { owner, workspace } = await make.workspace();
    const guest = await make.user();
    await turnIntoGuestAccount(guest);
    const bound = await make.token(owner, { workspacePublicId: workspace.publicId });
    const reader = await make.token(owner, { scope: "read" });

    for (const person of [guest, bound, reader]) {
      expectError(await as(person).post("/workspaces", { name: "Mine", slug: workspace.slug }), "FORBIDDEN");
      expectError(await as(person).post("/workspaces", { name: "" }), "BAD_REQUEST", "name");
    }
    expectError(await anonymous.post("/workspaces", { name: "Mine" }), "UNAUTHORIZED");
  });
});
