// Fills a service with the demo's workspace, through the typed client and as the people in it.

import { createClient, WorkBoardError } from "../../packages/client/src/client.js";
import { BOARDS, type DemoBoard, type DemoCard, MEETING, PASSWORD, PEOPLE, type Who, WORKSPACE } from "./content.js";

type Client = ReturnType<typeof createClient>;

/** The address of the demo, and the sign-in of its admin. */
export interface Demo {
  token: string;
  workspacePublicId: string;
  boardPublicId: string;
  /** False where it was there already, and nothing was changed. */
  isNew: boolean;
}

/** The demo cannot be created; the message is one line. */
export class DemoError extends Error {}

const DAY_MS = 86_400_000;
const dayFromToday = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 10);

/** The members of the workspace by who they are, with their clients. */
type Team = Record<Who, { client: Client; memberPublicId: string }>;

const isError = (error: unknown, code: WorkBoardError["code"]) =>
  error instanceof WorkBoardError && error.code === code;

/** The admin's token: of the account that is there with the demo's password, or of a new one. */
async function admin(url: string): Promise<{ token: string; isNew: boolean }> {
  const service = createClient({ url });
  const { name, email } = PEOPLE.mara;
  try {
    const { accessToken: token = "" } = await service.user.signIn.mutate({ email, password: PASSWORD });
    return { token, isNew: false };
  } catch (error) {
    if (!isError(error, "UNAUTHORIZED")) throw error;
  }
  try {
    const { accessToken: token = "" } = await service.user.signUp.mutate({ name, email, password: PASSWORD });
    return { token, isNew: true };
  } catch (error) {
    if (isError(error, "FORBIDDEN"))
      throw new DemoError("the demo creates accounts, but SIGN_UP of this service is not open");
    if (isError(error, "BAD_REQUEST")) throw new DemoError(`the account ${email} already exists with another password`);
    throw error;
  }
}

/** Invites the others into the workspace, who sign up and accept. */
async function assemble(url: string, mara: Client, workspacePublicId: string): Promise<Team> {
  const others = { jonas: "admin", ines: "member", tomoko: "member" } as const;
  const join = async (who: keyof typeof others) => {
    const { name, email } = PEOPLE[who];
    const invitation = await mara.workspace.members.invite.mutate({ workspacePublicId, email, role: others[who] });
    const inviteCode = invitation.inviteLink?.split("/invite/")[1] ?? "";
    const signedUp = await createClient({ url }).user.signUp.mutate({ name, email, password: PASSWORD });
    const client = createClient({ url, token: signedUp.accessToken });
    await client.workspace.invites.accept.mutate({ inviteCode });
    return { client, memberPublicId: invitation.publicId };
  };
  const members = await mara.workspace.members.list.query({ workspacePublicId });
  const own = { client: mara, memberPublicId: members[0]?.publicId ?? "" };
  return { mara: own, jonas: await join("jonas"), ines: await join("ines"), tomoko: await join("tomoko") };
}

/** Makes a card on a list as its author, with everything on it. */
async function addCard(team: Team, listPublicId: string, labels: Map<string, string>, card: DemoCard): Promise<void> {
  const { title, description, priority, due, checklist, comments = [], isDone = false, isArchived = false } = card;
  const { client } = team[card.by];
  const { publicId: cardPublicId } = await client.card.create.mutate({
    listPublicId,
    title,
    ...(description !== undefined && { description }),
    ...(priority !== undefined && { priority }),
    ...(due !== undefined && { dueDate: `${dayFromToday(due)}T16:00:00Z` }),
    labelPublicIds: (card.labels ?? []).map((name) => labels.get(name) ?? ""),
    memberPublicIds: (card.people ?? []).map((who) => team[who].memberPublicId),
  });
  if (checklist !== undefined) {
    const [name, ...items] = checklist;
    const { publicId: checklistPublicId } = await client.card.checklists.create.mutate({ cardPublicId, name });
    for (const item of items) {
      const added = await client.card.checklists.addItem.mutate({ checklistPublicId, title: item.replace(/^x /, "") });
      if (!item.startsWith("x ")) continue;
      await client.card.checklists.updateItem.mutate({ itemPublicId: added.publicId, completed: true });
    }
  }
  for (const [who, comment] of comments) await team[who].client.card.comments.create.mutate({ cardPublicId, comment });
  if (isDone) await client.card.update.mutate({ cardPublicId, completed: true });
  if (isArchived) await client.card.archive.mutate({ cardPublicId });
}

async function addBoard(team: Team, workspacePublicId: string, board: DemoBoard): Promise<string> {
  const { client } = team.mara;
  const { publicId: boardPublicId } = await client.board.create.mutate({
    workspacePublicId,
    name: board.name,
    visibility: board.visibility,
    lists: Object.keys(board.lists),
    labels: Object.entries(board.labels).map(([name, colourCode]) => ({ name, colourCode })),
  });
  if (board.visibility === "private") {
    await client.board.members.add.mutate({ boardPublicId, memberPublicId: team.jonas.memberPublicId });
  }
  const made = await client.board.get.query({ boardPublicId });
  const labels = new Map(made.labels.map(({ name, publicId }) => [name, publicId]));
  for (const { publicId, name } of made.lists) {
    for (const card of board.lists[name] ?? []) await addCard(team, publicId, labels, card);
  }
  return boardPublicId;
}

/**
 * Fills the service at `url`, or finds the demo there and changes nothing.
 * @throws DemoError where it can do neither.
 */
export async function fillDemo(url: string): Promise<Demo> {
  const { token, isNew } = await admin(url);
  const mara = createClient({ url, token });
  const found = (await mara.workspace.list.query()).find(({ name }) => name === WORKSPACE.name);
  if (found !== undefined) {
    const [board] = await mara.board.list.query({ workspacePublicId: found.publicId, favourite: true });
    return { token, workspacePublicId: found.publicId, boardPublicId: board?.publicId ?? "", isNew: false };
  }
  if (!isNew)
    throw new DemoError(`the account ${PEOPLE.mara.email} already exists, but has no workspace ${WORKSPACE.name}`);

  const { publicId: workspacePublicId } = await mara.workspace.create.mutate(WORKSPACE);
  const team = await assemble(url, mara, workspacePublicId);
  const boards: string[] = [];
  for (const board of BOARDS) boards.push(await addBoard(team, workspacePublicId, board));
  const [boardPublicId = ""] = boards;
  await mara.board.update.mutate({ boardPublicId, isFavourite: true });
  const daysToMonday = (8 - new Date().getUTCDay()) % 7 || 7;
  const scheduledAt = `${dayFromToday(daysToMonday)}T09:00:00Z`;
  await mara.workspace.meetings.save.mutate({ workspacePublicId, ...MEETING, scheduledAt });
  return { token, workspacePublicId, boardPublicId, isNew: true };
}
