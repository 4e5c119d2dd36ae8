// A change of one's own role arrives on every board that one follows, on it or not, because it decides what one may do there (clients
// section 1, Who am I here).

import { expect, test } from "vitest";
import { applyEvent } from "../../packages/client/src/board/applyEvent.js";
import type { Event } from "../../packages/client/src/board/things.js";
import { readBoard, readEvents } from "../events/replay/snapshots.js";
import { type MemberPerson, ok, type Person, testApp, type Workspace } from "../helpers/app.js";
import { type Reading, read } from "../helpers/streams.js";

const { as, make, listening } = await testApp();
const url = await listening();

/** Two boards that all members see, and two members who are on neither. */
async function places() {
  const { board: one, workspace, owner } = await make.board();
  const { board: two } = await make.board({ workspace });
  const [ada, bob] = [await make.member(workspace, "member"), await make.member(workspace, "member")];
  return { boards: [one, two], workspace, owner, ada, bob };
}

const setRole = async (workspace: Workspace, { memberPublicId }: MemberPerson, role: string) =>
  ok(await as(workspace.owner).put(`/workspaces/${workspace.publicId}/members/${memberPublicId}/role`, { role }));

/** The new roles that a stream told, with the boards that each is about; no boards in the stream of a board. */
const rolesIn = ({ messages }: Reading) =>
  messages
    .flatMap(({ data }) => (data === undefined ? [] : [JSON.parse(data)]))
    .map((message) => ({ boards: message.boardPublicIds?.toSorted(), ...(message.event ?? message) }))
    .filter(({ type }) => type === "member.role.changed")
    .map(({ boards, data }) => ({ boards, to: data.to }));

const opened = async (path: string, { token }: Person, lastEventId?: string) => {
  const reading = await read(`${url}/api/v1${path}`, token, lastEventId);
  await reading.until(() => reading.messages.length > 0);
  return reading;
};

test("in the streams of boards and of pages, as it happens and read later, and to nobody else who follows them", async () => {
  const { boards, workspace, owner, ada, bob } = await places();
  const ids = boards.map(({ publicId }) => publicId);
  const [page, single] = [`/stream?boards=${ids}`, `/boards/${ids[0]}/stream`];
  const readings = await Promise.all([opened(page, ada), opened(single, ada)]);
  const others = await Promise.all([opened(page, bob), opened(single, bob), opened(single, owner)]);
  const start = readings[0]?.lastId();

  await setRole(workspace, ada, "admin");
  await setRole(workspace, ada, "member");
  await make.card({ board: boards[0] });

  const roles = [{ to: "admin" }, { to: "member" }];
  const ofPage = roles.map((role) => ({ boards: ids.toSorted(), ...role }));
  const isCreated = (reading: Reading) => reading.messages.some(({ data }) => data?.includes("card.created"));
  for (const reading of [...readings, ...others]) await reading.until(() => isCreated(reading));
  expect(readings.map(rolesIn)).toEqual([ofPage, roles.map((role) => ({ boards: undefined, ...role }))]);
  expect(others.map(rolesIn)).toEqual([[], [], []]);

  const later = await opened(page, ada, start);
  await later.until(() => isCreated(later));
  expect(rolesIn(later)).toEqual(ofPage);
  const events = await readEvents(as(ada), workspace, { after: 0, boardPublicId: ids[0] ?? "" });
  expect(events.filter(({ type }) => type === "member.role.changed")).toHaveLength(2);
  const ofOwner = await readEvents(as(owner), workspace, { after: 0, boardPublicId: ids[0] ?? "" });
  expect(ofOwner.filter(({ type }) => type === "member.role.changed")).toEqual([]);
  for (const reading of [...readings, ...others, later]) reading.leave();
});

test("so that a copy of a board has the role and the permissions that the board answers next", async () => {
  const { boards, workspace, ada } = await places();
  const [{ publicId } = expect.fail()] = boards;
  const before = await readBoard(as(ada), publicId);
  const reading = await opened(`/boards/${publicId}/stream`, ada);

  await setRole(workspace, ada, "admin");

  await reading.until(() => reading.items().length === 1);
  const [event = expect.fail()] = reading.items<Event>();
  const after = applyEvent(before, event);
  expect(after.me).toEqual((await readBoard(as(ada), publicId)).me);
  expect(after.me.permissions).not.toEqual(before.me.permissions);
  reading.leave();
});

test("where it takes a board away, the board ends", async () => {
  const { boards, workspace, ada } = await places();
  const [one = expect.fail(), two = expect.fail()] = boards;
  ok(await as(workspace.owner).post(`/boards/${two.publicId}/members`, { memberPublicId: ada.memberPublicId }));
  const reading = await opened(`/stream?boards=${one.publicId},${two.publicId}`, ada);

  await setRole(workspace, ada, "guest");

  await reading.until(() => rolesIn(reading).length === 1);
  expect(rolesIn(reading)).toEqual([{ boards: [two.publicId], to: "guest" }]);
  expect(reading.messages.filter(({ event }) => event === "end").map(({ data }) => JSON.parse(data ?? ""))).toEqual([
    expect.objectContaining({ boardPublicId: one.publicId, code: "FORBIDDEN" }),
  ]);
  reading.leave();
});
