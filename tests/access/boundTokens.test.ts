// What a token that is bound to a workspace lists is of that workspace alone, over REST and over tRPC (contract section 2, Token).

import { expect, test } from "vitest";
import { type Fields, ok, testApp } from "../helpers/app.js";
import { FACES, type Face, requestOf } from "./requests.js";
import { worldMakers } from "./world.js";

const app = await testApp();
const makers = worldMakers(app);
const world = await makers.world();
const bound = world.callers["a token bound elsewhere"];
const person = bound.person ?? world.owner;
const place = world.other;

async function call<Body>(face: Face, path: string, at: string, token = bound.token ?? ""): Promise<Body> {
  const body = ok(await app.as({ token }).send<Fields>(requestOf(face, path, at, {})));
  const answer: unknown = face === "REST" ? body : Object(body.result).data;
  return answer as Body;
}

const unreadOf = (face: Face, token: string | null = bound.token) =>
  call<{ count: number }>(face, "notification.unreadCount", "GET /notifications/unread-count", token ?? "");

test.each(FACES)("workspaces, over %s", async (face) => {
  const listed = await call<{ publicId: string }[]>(face, "workspace.list", "GET /workspaces");
  expect(listed.map(({ publicId }) => publicId)).toEqual([place.ids.workspacePublicId]);
  const all = await call<{ publicId: string }[]>(face, "workspace.list", "GET /workspaces", person.token);
  expect(all).toHaveLength(2);
});

test.each(FACES)("notifications, and which of them are read, over %s", async (face) => {
  const own = await makers.notification(person, place);
  const elsewhere = (await unreadOf(face, person.token)).count - 1;
  expect(elsewhere).toBeGreaterThan(0);
  const listed = await call<{ publicId: string; workspace: unknown }[]>(
    face,
    "notification.list",
    "GET /notifications",
  );
  expect(listed.map(({ publicId }) => publicId)).toContain(own);
  const { name } = place.board.workspace;
  for (const { workspace } of listed) expect(workspace).toEqual({ publicId: place.ids.workspacePublicId, name });
  expect(await unreadOf(face)).toEqual({ count: 1 });
  expect(await call(face, "notification.readAll", "POST /notifications/read-all")).toEqual({ count: 1 });
  expect(await unreadOf(face)).toEqual({ count: 0 });
  expect(await unreadOf(face, person.token)).toEqual({ count: elsewhere });
});
