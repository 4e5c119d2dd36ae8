// The steps of a replay that act on workspaces, people, boards, lists and labels, by the procedure that each of them calls.

import { ok, unique } from "../../helpers/app.js";
import { cardOf, commentOn, exportOf, trelloId } from "../../import/trello.js";
import { aBoard, aCard, aList, type Call, type Choice, membersOf, pick, type Scene, type Step } from "./scene.js";

/** So many boards there are at most: each is read whole again and again. */
const BOARDS_MAX = 6;
const COLOURS = ["#1f6feb", "#aabbcc"];
const ROLES = ["admin", "member", "guest"];
const VISIBILITIES = ["workspace", "private", "public"];

const colourOf = ({ turns }: Choice) => pick(COLOURS, turns[3]);
const pathOf = ({ workspace }: Scene) => `/workspaces/${workspace.publicId}`;
const codeOf = (inviteLink: string | null | undefined) => inviteLink?.split("/").at(-1);

const keepCode = (scene: Scene) => (answer: { inviteLink?: string | null }) => {
  const code = codeOf(answer.inviteLink);
  if (code !== undefined) scene.codes.push(code);
};

const madeBy =
  (make: Step): Step =>
  (scene, choice) =>
    scene.boards.length < BOARDS_MAX ? make(scene, choice) : null;

/** Somebody of the workspace who is not its first admin. */
async function aMember(scene: Scene, turn: number) {
  const { email } = scene.accounts.owner;
  return pick(
    (await membersOf(scene)).filter((member) => member.email !== email),
    turn,
  );
}

/** A new account that joins by a link, comes onto a board and a card of it, and leaves again. */
const closeAccount: Step = async (scene, { turns }): Promise<Call | null> => {
  const { app, admin, workspace } = scene;
  const person = await app.make.user();
  const link = await admin.post<{ inviteLink: string }>(`/workspaces/${workspace.publicId}/invites`);
  const client = app.as(person);
  ok(await client.post("/invites/accept", { inviteCode: codeOf(link.body.inviteLink) }));
  const memberPublicId = (await membersOf(scene)).find(({ email }) => email === person.email)?.publicId;
  const found = aCard(scene, turns[0]);
  if (found !== undefined) {
    await admin.post(`/boards/${found.board.publicId}/members`, { memberPublicId });
    await admin.put(`/cards/${found.card.publicId}/members/${memberPublicId}`);
    await client.post(`/cards/${found.card.publicId}/comments`, { comment: "I leave" });
  }
  return { method: "POST", path: "/users/me/delete", body: { password: person.password }, by: client };
};

const peopleSteps: Record<string, Step> = {
  "workspace.update": (scene, { word }) => ({ method: "PUT", path: pathOf(scene), body: { name: word } }),
  "workspace.members.invite": (scene, { turns, flag }) => ({
    method: "POST",
    path: `${pathOf(scene)}/members/invite`,
    body: {
      email:
        (flag ? pick(scene.accounts.others, turns[0])?.email : undefined) ?? `${unique("p").replace(" ", "")}@a.de`,
      role: pick(ROLES, turns[1]),
    },
    keep: keepCode(scene),
  }),
  "workspace.members.setRole": async (scene, { turns }): Promise<Call | null> => {
    const member = await aMember(scene, turns[0]);
    const role = pick(
      ROLES.filter((one) => one !== member?.role),
      turns[1],
    );
    const path = `${pathOf(scene)}/members/${member?.publicId}/role`;
    return member === undefined ? null : { method: "PUT", path, body: { role } };
  },
  "workspace.members.remove": async (scene, { turns }): Promise<Call | null> => {
    const member = await aMember(scene, turns[0]);
    return member === undefined ? null : { method: "DELETE", path: `${pathOf(scene)}/members/${member.publicId}` };
  },
  "workspace.invites.create": (scene) => ({
    method: "POST",
    path: `${pathOf(scene)}/invites`,
    keep: keepCode(scene),
  }),
  "workspace.invites.revoke": (scene) => ({ method: "DELETE", path: `${pathOf(scene)}/invites` }),
  "workspace.invites.accept": (scene, { turns }) => {
    const [inviteCode, person] = [scene.codes.at(-1 - (turns[0] % 3)), pick(scene.accounts.others, turns[1])];
    if (inviteCode === undefined || person === undefined) return null;
    return { method: "POST", path: "/invites/accept", body: { inviteCode }, by: scene.app.as(person) };
  },
  "user.signUp": (scene, { word }) => {
    const inviteCode = scene.codes.at(-1);
    const email = `${unique("new").replace(" ", "")}@example.org`;
    const body = { name: word, email, password: "correct horse battery", inviteCode };
    return inviteCode === undefined ? null : { method: "POST", path: "/auth/sign-up", body, by: scene.app.anonymous };
  },
  "user.update": (scene, { turns, flag, word }) => {
    const person = pick([scene.guest, scene.accounts.owner, ...scene.accounts.others], turns[0]) ?? scene.guest;
    const image = flag ? "https://example.org/a.png" : null;
    return { method: "PUT", path: "/users/me", body: { name: word, image }, by: scene.app.as(person) };
  },
  "user.delete": closeAccount,
  "workspace.tags.create": (scene, choice) => ({
    method: "POST",
    path: `${pathOf(scene)}/tags`,
    body: { name: unique(choice.word), colourCode: colourOf(choice) },
  }),
  "workspace.tags.update": async (scene, choice): Promise<Call | null> => {
    const tag = await aTag(scene, choice);
    const body = { name: unique(choice.word), colourCode: colourOf(choice) };
    return tag === undefined ? null : { method: "PUT", path: `${pathOf(scene)}/tags/${tag.publicId}`, body };
  },
  "workspace.tags.delete": async (scene, choice): Promise<Call | null> => {
    const tag = await aTag(scene, choice);
    return tag === undefined ? null : { method: "DELETE", path: `${pathOf(scene)}/tags/${tag.publicId}` };
  },
};

async function aTag(scene: Scene, { turns }: Choice) {
  return pick(ok(await scene.admin.get<{ publicId: string }[]>(`${pathOf(scene)}/tags`)), turns[0]);
}

const onBoard =
  (method: Call["method"], end: string, bodyOf: (choice: Choice) => object | undefined = () => undefined): Step =>
  (scene, choice) => {
    const board = aBoard(scene, choice.turns[0]);
    const body = bodyOf(choice);
    const path = `/boards/${board?.publicId}${end}`;
    return board === undefined ? null : { method, path, ...(body !== undefined && { body }) };
  };

const boardSteps: Record<string, Step> = {
  "board.create": madeBy((scene, choice) => ({
    method: "POST",
    path: `${pathOf(scene)}/boards`,
    body: {
      name: choice.word,
      visibility: pick(VISIBILITIES, choice.turns[1]),
      lists: ["To do", "Done"],
      labels: [{ name: "Label 1", colourCode: colourOf(choice) }],
    },
  })),
  "board.update": onBoard("PUT", "", ({ turns, flag, word }) => ({
    ...(flag ? { name: word } : { visibility: pick(VISIBILITIES, turns[1]) }),
    ...(turns[2] % 3 === 0 && { slug: `slug-${turns[3]}`, isFavourite: flag }),
  })),
  "board.opened": onBoard("PUT", "/opened"),
  "board.delete": (scene, choice) => (scene.boards.length < 3 ? null : onBoard("DELETE", "")(scene, choice)),
  "board.duplicate": madeBy(onBoard("POST", "/duplicate", ({ turns }) => ({ withCards: turns[1] % 4 > 0 }))),
  "board.archive": onBoard("POST", "/archive"),
  "board.unarchive": (scene, { turns }) => {
    const board = pick(
      scene.boards.filter(({ isArchived }) => isArchived),
      turns[0],
    );
    return board === undefined ? null : { method: "POST", path: `/boards/${board.publicId}/unarchive` };
  },
  "board.toggleTag": async (scene, choice): Promise<Call | null> => {
    const tag = await aTag(scene, choice);
    const board = aBoard(scene, choice.turns[1]);
    if (tag === undefined || board === undefined) return null;
    return { method: "PUT", path: `/boards/${board.publicId}/tags/${tag.publicId}` };
  },
  "board.members.add": async (scene, { turns }): Promise<Call | null> => {
    const [board, member] = [aBoard(scene, turns[0]), await aMember(scene, turns[1])];
    if (board === undefined || member === undefined) return null;
    const body = { memberPublicId: member.publicId };
    return { method: "POST", path: `/boards/${board.publicId}/members`, body };
  },
  "board.members.invite": (scene, choice) => {
    const { turns, flag } = choice;
    const others = scene.accounts.others.map(({ email }) => email);
    const email = (flag ? pick(others, turns[1]) : undefined) ?? `guest${turns[2] % 3}@example.org`;
    return onBoard("POST", "/members/invite", () => ({ email }))(scene, choice);
  },
  "board.members.remove": (scene, { turns }) => {
    const board = aBoard(scene, turns[0]);
    const member = pick(board?.members ?? [], turns[1]);
    if (board === undefined || member === undefined) return null;
    return { method: "DELETE", path: `/boards/${board.publicId}/members/${member.publicId}` };
  },
};

const listSteps: Record<string, Step> = {
  "board.lists.create": (scene, { turns, word }) => {
    const boardPublicId = aBoard(scene, turns[0])?.publicId;
    return boardPublicId === undefined ? null : { method: "POST", path: "/lists", body: { name: word, boardPublicId } };
  },
  "board.lists.update": (scene, { turns, index, flag, word }) => {
    const found = aList(scene, turns);
    const body = { ...(flag && { name: word }), ...(index !== undefined && { index }) };
    return found === undefined ? null : { method: "PUT", path: `/lists/${found.list.publicId}`, body };
  },
  "board.lists.delete": (scene, { turns }) => {
    const found = aList(scene, turns);
    return found === undefined ? null : { method: "DELETE", path: `/lists/${found.list.publicId}` };
  },
  "board.labels.create": (scene, choice) => {
    const boardPublicId = aBoard(scene, choice.turns[0])?.publicId;
    // Few names, so that boards have labels of the same one.
    const body = { boardPublicId, name: `Label ${choice.turns[1] % 4}`, colourCode: colourOf(choice) };
    return boardPublicId === undefined ? null : { method: "POST", path: "/labels", body };
  },
  "board.labels.update": (scene, choice) => {
    const label = aLabel(scene, choice);
    const body = { name: `Label ${choice.turns[2] % 4}`, colourCode: colourOf(choice) };
    return label === undefined ? null : { method: "PUT", path: `/labels/${label.publicId}`, body };
  },
  "board.labels.delete": (scene, choice) => {
    const label = aLabel(scene, choice);
    return label === undefined ? null : { method: "DELETE", path: `/labels/${label.publicId}` };
  },
};

const aLabel = (scene: Scene, { turns }: Choice) =>
  pick(
    scene.boards.flatMap(({ labels }) => labels),
    turns[0],
  );

const importSteps: Record<string, Step> = {
  "import.csv": madeBy((scene, { word, turns }) => ({
    method: "POST",
    path: "/imports/csv/boards",
    body: {
      workspacePublicId: scene.workspace.publicId,
      boardName: word,
      rows: [
        [word, "To do", "Label 1; Label 2", pick([scene.guest, ...scene.accounts.others], turns[0])?.email, "a\n[x] b"],
        ["Second", "Done", "label 2", "", ""],
        [word, "to do", "", "", ""],
      ],
      mapping: { title: 0, list: 1, labels: 2, assignee: 3, checklist: 4 },
    },
  })),
  "import.trello": madeBy((scene, { word }) => {
    const [first, second] = [trelloId(1), trelloId(2)];
    const checklist = { id: "C", idCard: first, name: "Check", checkItems: [{ name: "item", state: "complete" }] };
    const board = exportOf({
      name: word,
      labels: [{ id: "R", name: "Label 1", color: "red" }],
      cards: [cardOf(first, { idLabels: ["R"] }), cardOf(second, { closed: true })],
      checklists: [checklist],
      actions: [commentOn(first, word, "2024-01-03T10:00:00.000Z")],
    });
    const body = { workspacePublicId: scene.workspace.publicId, board };
    return { method: "POST", path: "/imports/trello/boards", body };
  }),
  "import.board": madeBy(async (scene, { turns }): Promise<Call | null> => {
    const source = aBoard(scene, turns[0]);
    if (source === undefined) return null;
    const board = ok(await scene.admin.get(`/boards/${source.publicId}/export`));
    const body = { workspacePublicId: scene.workspace.publicId, board };
    return { method: "POST", path: "/imports/boards", body };
  }),
};

export const WORKSPACE_STEPS = { ...peopleSteps, ...boardSteps, ...listSteps, ...importSteps };
