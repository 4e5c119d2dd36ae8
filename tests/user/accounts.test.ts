// One's own account (contract section 2): what it shows, its password, and its end.

import { sql } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { anAddress, contentsOf, expectError, type Fields, ok, testApp } from "../helpers/app.js";

const { as, anonymous, make, db } = await testApp();

const signIn = (email: string, password: string) =>
  anonymous.post<{ accessToken: string; expiresAt: string; user: Fields }>("/auth/sign-in", { email, password });

describe("one's account", () => {
  test("is shown without anything secret", async () => {
    const ada = await make.user();
    expect(Object.keys(ok(await as(ada).get("/users/me"))).sort()).toEqual([
      "createdAt",
      "email",
      "emailVerifiedAt",
      "image",
      "isGuest",
      "name",
      "pendingEmail",
      "publicId",
      "timeZone",
    ]);
  });

  test("changes name and image, keeps what is left out, and clears the image with null", async () => {
    const ada = await make.user();
    const image = "https://example.org/a.png?x=1#y";
    expect(ok(await as(ada).put("/users/me", { name: "  Ada  ", image }))).toMatchObject({ name: "Ada", image });
    expect(ok(await as(ada).put("/users/me", { name: "Countess" }))).toMatchObject({ name: "Countess", image });
    expect(ok(await as(ada).put("/users/me", { image: null }))).toMatchObject({ name: "Countess", image: null });
    expect(ok(await as(ada).get("/users/me"))).toMatchObject({ name: "Countess", image: null, email: ada.email });
  });

  test("an empty object changes nothing and is 200", async () => {
    const ada = await make.user();
    const before = ok(await as(ada).get("/users/me"));
    for (const body of [{}, undefined]) expect(ok(await as(ada).put("/users/me", body))).toEqual(before);
  });

  test.each([
    "http://example.org/a.png",
    "javascript:alert(1)",
    "https://",
    "//example.org/a",
    "",
    "https://a b/",
    `https://a.org/${"a".repeat(2035)}`,
  ])("refuses %j as its image", async (image) => {
    const ada = await make.user();
    expectError(await as(ada).put("/users/me", { image }), "BAD_REQUEST", "image");
    expect(ok(await as(ada).get("/users/me")).image).toBeNull();
  });

  test("takes an image of 2048 characters and a name of 255 code points", async () => {
    const ada = await make.user();
    const image = `https://a.org/${"a".repeat(2034)}`;
    const name = "😀".repeat(255);
    expect(ok(await as(ada).put("/users/me", { image, name }))).toMatchObject({ image, name });
    expectError(await as(ada).put("/users/me", { name: `${name}a` }), "BAD_REQUEST", "name");
  });

  test("does not take another address, and writes member.updated into each of its workspaces, once", async () => {
    const { workspace, owner } = await make.workspace();
    const second = (await make.workspace({ owner })).workspace;
    const elsewhere = (await make.workspace()).workspace;
    const events = async (publicId: string) =>
      db.rows<{ type: string; data: { changes?: unknown } }>(sql`
        select e.type, e.data from event e join workspace w on w.id = e.workspace_id
        where w.public_id = ${publicId}::text and e.type = 'member.updated' order by e.seq`);

    expectError(await as(owner).put("/users/me", { email: anAddress() }), "BAD_REQUEST", "email");
    ok(await as(owner).put("/users/me", { name: "Renamed" }));
    ok(await as(owner).put("/users/me", { name: "Renamed" }));

    for (const { publicId } of [workspace, second]) {
      const written = await events(publicId);
      expect(written).toHaveLength(1);
      expect(written[0]?.data.changes).toEqual({ name: { from: owner.name, to: "Renamed" } });
      expect(JSON.stringify(written)).not.toContain(owner.email);
    }
    expect(await events(elsewhere.publicId)).toEqual([]);
  });
});

describe("changing the password", () => {
  const NEW = "another horse battery";

  test("ends every other session, keeps this one and the personal tokens, and only the new password signs in", async () => {
    const ada = await make.user();
    const other = ok(await signIn(ada.email, ada.password)).accessToken;
    const personal = await make.token(ada);

    expect(ok(await as(ada).put("/users/me/password", { currentPassword: ada.password, newPassword: NEW }))).toEqual({
      success: true,
    });

    expectError(await as({ token: other }).get("/users/me"), "UNAUTHORIZED");
    ok(await as(ada).get("/users/me"));
    ok(await as(personal).get("/users/me"));
    expectError(await signIn(ada.email, ada.password), "UNAUTHORIZED");
    ok(await signIn(ada.email, NEW));
  });

  test("with a wrong current password is BAD_REQUEST and changes nothing", async () => {
    const ada = await make.user();
    const other = ok(await signIn(ada.email, ada.password)).accessToken;
    const body = { currentPassword: "not the password", newPassword: NEW };
    expectError(await as(ada).put("/users/me/password", body), "BAD_REQUEST", "currentPassword");
    ok(await as({ token: other }).get("/users/me"));
    ok(await signIn(ada.email, ada.password));
  });

  test("of one leaves everybody else's sessions", async () => {
    const [ada, bob] = [await make.user(), await make.user()];
    ok(await as(ada).put("/users/me/password", { currentPassword: ada.password, newPassword: NEW }));
    ok(await as(bob).get("/users/me"));
  });
});

describe("deleting the account", () => {
  test("ends its tokens and sign-in, and frees the address", async () => {
    const ada = await make.user();
    const personal = await make.token(ada);
    expect(ok(await as(ada).post("/users/me/delete", { password: ada.password }))).toEqual({ success: true });

    expectError(await as(ada).get("/users/me"), "UNAUTHORIZED");
    expectError(await as(personal).get("/users/me"), "UNAUTHORIZED");
    expectError(await signIn(ada.email, ada.password), "UNAUTHORIZED");
    const again = await make.user({ email: ada.email });
    expect(again.publicId).not.toBe(ada.publicId);
    expect(ok(await as(again).get("/workspaces"))).toEqual([]);
  });

  test("leaves a tombstone named Deleted user that holds nothing of the person", async () => {
    const ada = await make.user();
    ok(await as(ada).put("/users/me", { image: "https://example.org/a.png" }));
    ok(await as(ada).post("/users/me/delete", { password: ada.password }));
    const rows = await db.rows<Fields>(sql`
      select name, email, password_hash, image from account where public_id = ${ada.publicId}::text`);
    expect(rows).toEqual([{ name: "Deleted user", email: null, password_hash: null, image: null }]);
  });

  test("needs the right password, and without it changes nothing", async () => {
    const ada = await make.user();
    const before = await contentsOf(db);
    for (const body of [undefined, {}, { password: "not the password" }]) {
      expectError(await as(ada).post("/users/me/delete", body), "BAD_REQUEST", "password");
    }
    const noted = { sign_in_failure: 0, audit_entry: 0 };
    expect({ ...(await contentsOf(db)), ...noted }).toEqual({ ...before, ...noted });
    ok(await as(ada).get("/users/me"));
  });

  test("by the last admin of a workspace with other members is BAD_REQUEST; with another admin it works", async () => {
    const { owner, workspace } = await make.workspace();
    const member = await make.member(workspace, "member");
    const before = await contentsOf(db);
    expectError(await as(owner).post("/users/me/delete", { password: owner.password }), "BAD_REQUEST");
    expect(await contentsOf(db)).toEqual(before);

    const admin = await make.member(workspace, "admin");
    ok(await as(owner).post("/users/me/delete", { password: owner.password }));
    ok(await as(admin).get(`/workspaces/${workspace.publicId}`));
    ok(await as(member).get(`/workspaces/${workspace.publicId}`));
  });

  test("takes along the workspaces with nobody else in them, and frees their slugs", async () => {
    const { owner, workspace } = await make.workspace({ slug: `s-${Date.now()}` });
    ok(await as(owner).post("/users/me/delete", { password: owner.password }));
    const rows = await db.rows(sql`select 1 from workspace where public_id = ${workspace.publicId}::text`);
    expect(rows).toEqual([]);
    const again = await make.workspace({ slug: workspace.slug });
    expect(again.workspace.slug).toBe(workspace.slug);
  });

  test("of a member ends its memberships and assignments, and says so in the workspace's log", async () => {
    const { card, board, workspace, owner } = await make.card();
    const bob = await make.member(board, "member");
    ok(await as(owner).put(`/cards/${card.publicId}/members/${bob.memberPublicId}`));

    ok(await as(bob).post("/users/me/delete", { password: bob.password }));

    expect(ok(await as(owner).get<{ members: Fields[] }>(`/cards/${card.publicId}`)).members).toEqual([]);
    const [row] = await db.rows<{ members: number; boards: number; events: number }>(sql`
      select (select count(*) from member m where m.public_id = ${bob.memberPublicId}::text) as members,
        (select count(*) from board_member bm join member m on m.workspace_id = bm.workspace_id and m.id = bm.member_id
          where m.public_id = ${bob.memberPublicId}::text) as boards,
        (select count(*) from event e join workspace w on w.id = e.workspace_id
          where w.public_id = ${workspace.publicId}::text and e.type = 'member.removed'
            and e.data->>'memberPublicId' = ${bob.memberPublicId}::text) as events`);
    expect(row).toEqual({ members: 0, boards: 0, events: 1 });
  });

  test("by two last admins at once leaves the workspace with one of them", async () => {
    for (let round = 0; round < 8; round += 1) {
      const { owner, workspace } = await make.workspace();
      const second = await make.member(workspace, "admin");
      const member = await make.member(workspace, "member");
      const answers = await Promise.all(
        [owner, second].map((person) => as(person).post("/users/me/delete", { password: person.password })),
      );
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 400]);
      ok(await as(member).get(`/workspaces/${workspace.publicId}`));
    }
  });
});
