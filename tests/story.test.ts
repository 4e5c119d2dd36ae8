// A team's first weeks, over HTTP alone (contract sections 2 to 5).

import { expect, test } from "vitest";
import { expectError, ok, testApp } from "./helpers/app.js";

const { as, make } = await testApp();

interface Made {
  publicId: string;
}

interface Calendar {
  title: string;
  boardName: string;
}

const codeOf = (link: string) => link.split("/invite/")[1];

test("a team plans, comments, meets and parts, and everyone sees just what they may", async () => {
  const [ada, max, gil] = [
    await make.user({ name: "Ada" }),
    await make.user({ name: "Max" }),
    await make.user({ name: "Gil" }),
  ];
  const workspace = ok(await as(ada).post<Made>("/workspaces", { name: "Difference Engine" })).publicId;
  const lists = ["To do", "Done"];
  const board = ok(await as(ada).post<Made>(`/workspaces/${workspace}/boards`, { name: "Mill", lists })).publicId;
  const secret = ok(
    await as(ada).post<Made>(`/workspaces/${workspace}/boards`, { name: "Patents", visibility: "private", lists }),
  ).publicId;

  const asMember = ok(
    await as(ada).post<{ inviteLink: string }>(`/workspaces/${workspace}/members/invite`, { email: max.email }),
  );
  ok(await as(max).post("/invites/accept", { inviteCode: codeOf(asMember.inviteLink) }));
  ok(await as(ada).post(`/boards/${board}/members/invite`, { email: gil.email }));
  const people = ok(
    await as(ada).get<{ publicId: string; inviteLink: string | null; email: string }[]>(
      `/workspaces/${workspace}/members`,
    ),
  );
  const invitation = people.find(({ email }) => email === gil.email);
  ok(await as(gil).post("/invites/accept", { inviteCode: codeOf(invitation?.inviteLink ?? "") }));
  const memberId = (email: string) => people.find((person) => person.email === email)?.publicId ?? "";

  const listsOf = async (id: string) =>
    ok(await as(ada).get<{ lists: Made[] }>(`/boards/${id}`)).lists.map(({ publicId }) => publicId);
  const [toDo = ""] = await listsOf(board);
  const [secretToDo = ""] = await listsOf(secret);
  const card = ok(
    await as(max).post<Made>("/cards", { title: "Cut the gears", listPublicId: toDo, dueDate: "2026-12-03T09:00:00Z" }),
  ).publicId;
  ok(await as(ada).post("/cards", { title: "File the claim", listPublicId: secretToDo, dueDate: "2026-12-04" }));

  const mention = `@[Ada](${memberId(ada.email)}) and @[Gil](${memberId(gil.email)}), have a look`;
  const comment = ok(await as(max).post<Made>(`/cards/${card}/comments`, { comment: mention }));
  ok(
    await as(gil).post(`/cards/${card}/comments`, { comment: "Looks right", parentCommentPublicId: comment.publicId }),
  );
  const types = async (person: { token: string }) =>
    ok(await as(person).get<{ type: string }[]>("/notifications")).map(({ type }) => type);
  expect(await types(ada)).toEqual(["mention", "workspace.member.added", "workspace.member.added"]);
  expect(await types(gil)).toEqual(["mention"]);
  expect(await types(max)).toEqual(["comment.reply"]);

  const meeting = { title: "Weekly", scheduledAt: "2026-12-01T10:00:00Z", recurrence: "weekly" };
  ok(await as(max).put(`/workspaces/${workspace}/meetings`, meeting));
  const range = "from=2026-12-01&to=2026-12-16";
  const [planned] = ok(await as(ada).get<{ occurrences: string[] }[]>(`/workspaces/${workspace}/meetings?${range}`));
  expect(planned?.occurrences).toEqual([
    "2026-12-01T10:00:00.000Z",
    "2026-12-08T10:00:00.000Z",
    "2026-12-15T10:00:00.000Z",
  ]);
  expectError(await as(gil).get(`/workspaces/${workspace}/meetings`), "FORBIDDEN");

  const calendar = async (person: { token: string }) =>
    ok(await as(person).get<Calendar[]>(`/workspaces/${workspace}/calendar?anchor=2026-12-02&view=week`)).map(
      ({ title, boardName }) => `${boardName}: ${title}`,
    );
  expect(await calendar(ada)).toEqual(["Mill: Cut the gears", "Patents: File the claim"]);
  expect(await calendar(max)).toEqual(["Mill: Cut the gears"]);
  expect(await calendar(gil)).toEqual(["Mill: Cut the gears"]);
  expectError(await as(max).get(`/boards/${secret}`), "FORBIDDEN");
  const found = ok(await as(max).get<{ items: { title: string }[] }>(`/workspaces/${workspace}/search?query=claim`));
  expect(found.items).toEqual([]);

  ok(await as(ada).delete(`/workspaces/${workspace}/members/${memberId(gil.email)}`));
  expectError(await as(gil).get(`/boards/${board}`), "FORBIDDEN");
  expectError(await as(gil).get(`/workspaces/${workspace}/calendar`), "FORBIDDEN");
  const comments = ok(await as(ada).get<{ items: { author: { name: string } }[] }>(`/cards/${card}/comments`));
  expect(comments.items.map(({ author }) => author.name)).toEqual(["Max", "Gil"]);
});
