// Makes what tests are about, through HTTP, each with a name that nothing else has.

import { randomBytes } from "node:crypto";
import { eq, sql } from "drizzle-orm";
import { issueSession } from "../../src/access/tokens.js";
import type { Database } from "../../src/db/client.js";
import { newPublicId, workspaceOf } from "../../src/db/ids.js";
import { account, auditEntry, boardMember, member as memberTable } from "../../src/db/schema/index.js";
import { auditRow, personTarget } from "../../src/user/auditLog.js";
import { hashPassword } from "../../src/user/passwords.js";
import { type Bearer, type Client, ok } from "./requests.js";

export interface Person extends Bearer {
  publicId: string;
  name: string;
  email: string;
  password: string;
}

export interface MemberPerson extends Person {
  memberPublicId: string;
}

interface Owned {
  publicId: string;
  owner: Person;
}

export interface Workspace extends Owned {
  name: string;
  slug: string;
}

export interface Board extends Owned {
  name: string;
  slug: string;
  workspace: Workspace;
}

export interface List extends Owned {
  name: string;
  board: Board;
}

export interface Card extends Owned {
  cardNumber: number;
  title: string;
  list: List;
}

export interface Label extends Owned {
  name: string;
  colourCode: string;
  board: Board;
}

export interface Checklist extends Owned {
  name: string;
  card: Card;
}

export interface Comment {
  publicId: string;
  comment: string;
  author: { publicId: string; name: string; image: string | null; memberPublicId: string | null };
  parentCommentPublicId: string | null;
  importedFrom: { name: string; createdAt: string } | null;
  createdAt: string;
  editedAt: string | null;
}

export type Role = "admin" | "member" | "guest";

/** A word that occurs nowhere else. */
export const unique = (word: string) => `${word} ${randomBytes(5).toString("hex")}`;
/** An address that nobody has. */
export const anAddress = () => `${unique("someone").replace(" ", ".")}@example.org`;
/** A slug that no workspace has. */
export const freshSlug = () => unique("slug").replace(" ", "-");

const PASSWORD = "correct horse battery";
let passwordHash: Promise<string> | undefined;
/** Who calls, as an injected request has it. */
const CLIENT = { address: "127.0.0.1", userAgent: "lightMyRequest" };

/** Optional fields as tests write them: one that is undefined counts as left out. */
type Some<T> = { [K in keyof T]?: T[K] | undefined };

/**
 * The makers. Each makes what it needs on the way: `make.card()` also a list, a board, a workspace and its admin. Give `owner`,
 * `workspace`, `board`, `list` or `card` to build on what is there; other fields go into the call as they are.
 */
export function makersFor(as: (person: Bearer) => Client, anonymous: Client, db: Database) {
  /** Anybody: not by signing up, because hashing a password for each takes a good part of the time of all tests. */
  async function anybody(emailVerifiedAt: string | null): Promise<Person> {
    passwordHash ??= hashPassword(PASSWORD, "tests");
    const name = unique("Person");
    const email = `${unique("person").replace(" ", ".")}@example.org`;
    const publicId = newPublicId();
    const lastSignInAt = new Date().toISOString();
    const fields = { publicId, name, email, passwordHash: await passwordHash, lastSignInAt, emailVerifiedAt };
    const [stored] = await db.insert(account).values(fields).returning({ id: account.id });
    if (stored === undefined) throw new Error("no account was stored");
    const signedUp = { type: "account.signedUp", actorId: stored.id, target: personTarget(fields) } as const;
    await db.insert(auditEntry).values(auditRow(CLIENT, signedUp));
    const { accessToken } = await issueSession(db, stored.id, CLIENT);
    return { publicId, name, email, password: PASSWORD, token: accessToken };
  }

  /** Someone with an account: who is of no particular name, address or password is there without having signed up. */
  async function user(fields: Some<{ name: string; email: string; password: string }> = {}): Promise<Person> {
    if (Object.values(fields).every((field) => field === undefined)) return anybody(new Date().toISOString());
    const name = fields.name ?? unique("Person");
    const password = fields.password ?? PASSWORD;
    const email = fields.email ?? `${unique("person").replace(" ", ".")}@example.org`;
    const body = ok(
      await anonymous.post<{ accessToken: string; user: { publicId: string; name: string; email: string } }>(
        "/auth/sign-up",
        { name, email, password },
      ),
    );
    await db
      .update(account)
      .set({ emailVerifiedAt: new Date().toISOString() })
      .where(eq(account.email, body.user.email));
    return { ...body.user, password, token: body.accessToken };
  }

  const unverified = () => anybody(null);

  async function workspace({ owner, ...fields }: Some<{ owner: Person; name: string; slug: string }> = {}) {
    const admin = owner ?? (await user());
    const made = ok(
      await as(admin).post<{ publicId: string; name: string; slug: string }>("/workspaces", {
        name: unique("Workspace"),
        ...fields,
      }),
    );
    const created: Workspace = { ...made, owner: admin };
    return { owner: admin, workspace: created };
  }

  async function board({
    workspace: given,
    owner,
    ...fields
  }: Some<{
    workspace: Workspace;
    owner: Person;
    name: string;
    slug: string;
    visibility: "workspace" | "private" | "public";
    lists: string[];
    labels: { name: string; colourCode: string }[];
  }> = {}) {
    const parent = given ?? (await workspace({ owner })).workspace;
    const admin = owner ?? parent.owner;
    const made = ok(
      await as(admin).post<{ publicId: string; name: string; slug: string }>(`/workspaces/${parent.publicId}/boards`, {
        name: unique("Board"),
        ...fields,
      }),
    );
    const created: Board = { ...made, owner: admin, workspace: parent };
    return { owner: admin, workspace: parent, board: created };
  }

  async function list({ board: given, ...fields }: Some<{ board: Board; name: string }> = {}) {
    const parent = given ?? (await board()).board;
    const { owner } = parent;
    const made = ok(
      await as(owner).post<{ publicId: string; name: string }>("/lists", {
        name: unique("List"),
        boardPublicId: parent.publicId,
        ...fields,
      }),
    );
    const created: List = { ...made, owner, board: parent };
    return { owner, workspace: parent.workspace, board: parent, list: created };
  }

  async function card({
    list: given,
    board: on,
    ...fields
  }: Some<{
    list: List;
    board: Board;
    title: string;
    description: string;
    index: number;
    dueDate: string;
    priority: string;
    labelPublicIds: string[];
    memberPublicIds: string[];
  }> = {}) {
    const parent = given ?? (await list({ board: on })).list;
    const { owner } = parent;
    const title = fields.title ?? unique("Card");
    const made = ok(
      await as(owner).post<{ publicId: string; cardNumber: number }>("/cards", {
        listPublicId: parent.publicId,
        ...fields,
        title,
      }),
    );
    const created: Card = { ...made, title, owner, list: parent };
    return { owner, workspace: parent.board.workspace, board: parent.board, list: parent, card: created };
  }

  async function label({ board: given, ...fields }: Some<{ board: Board; name: string; colourCode: string }> = {}) {
    const parent = given ?? (await board()).board;
    const { owner } = parent;
    const made = ok(
      await as(owner).post<{ publicId: string; name: string; colourCode: string }>("/labels", {
        boardPublicId: parent.publicId,
        name: unique("Label"),
        colourCode: "#1f6feb",
        ...fields,
      }),
    );
    const created: Label = { ...made, owner, board: parent };
    return { owner, workspace: parent.workspace, board: parent, label: created };
  }

  async function tag({
    workspace: given,
    ...fields
  }: Some<{ workspace: Workspace; name: string; colourCode: string }> = {}) {
    const parent = given ?? (await workspace()).workspace;
    const made = ok(
      await as(parent.owner).post<{ publicId: string; name: string; colourCode: string }>(
        `/workspaces/${parent.publicId}/tags`,
        { name: unique("Tag"), colourCode: "#1f6feb", ...fields },
      ),
    );
    return { owner: parent.owner, workspace: parent, tag: made };
  }

  async function checklist({ card: given, ...fields }: Some<{ card: Card; name: string }> = {}) {
    const parent = given ?? (await card()).card;
    const { owner } = parent;
    const made = ok(
      await as(owner).post<{ publicId: string; name: string }>(`/cards/${parent.publicId}/checklists`, {
        name: unique("Checklist"),
        ...fields,
      }),
    );
    const created: Checklist = { ...made, owner, card: parent };
    return { owner, card: parent, checklist: created };
  }

  async function item({ checklist: given, ...fields }: Some<{ checklist: Checklist; title: string }> = {}) {
    const parent = given ?? (await checklist()).checklist;
    const { owner } = parent;
    const made = ok(
      await as(owner).post<{ publicId: string; title: string; completed: boolean }>(
        `/checklists/${parent.publicId}/items`,
        { title: unique("Item"), ...fields },
      ),
    );
    return { owner, card: parent.card, checklist: parent, item: made };
  }

  async function comment({
    card: given,
    by,
    ...fields
  }: Some<{ card: Card; by: Person; comment: string; parentCommentPublicId: string }> = {}) {
    const parent = given ?? (await card()).card;
    const author = by ?? parent.owner;
    const made = ok(
      await as(author).post<Comment>(`/cards/${parent.publicId}/comments`, { comment: unique("Comment"), ...fields }),
    );
    return { owner: parent.owner, card: parent, comment: made };
  }

  /** Someone of a role in a workspace; given a board, also a member of that board. */
  async function member(place: Workspace | Board, role: Role, person?: Person): Promise<MemberPerson> {
    const joined = person ?? (await user());
    const home = "workspace" in place ? place.workspace : place;
    const workspaceId = workspaceOf(home.publicId) ?? 0;
    // Not through an invitation: its events, notifications and role changes would stand in the way of every other test.
    const memberPublicId = await db.change(workspaceId, { accountId: null }, async (unit) => {
      const [ids] = await unit.db.rows<{ accountId: number; boardId: number | null }>(sql`
        select a.id as "accountId", (
          select id from board where workspace_id = ${workspaceId}::bigint and public_id = ${place.publicId}::text) as "boardId"
        from account a where a.public_id = ${joined.publicId}::text`);
      if (ids === undefined) throw new Error("no such account");
      const [memberId, publicId] = [unit.newRowId(), unit.newPublicId()];
      unit.add(memberTable, { id: memberId, publicId, accountId: ids.accountId, role });
      if (ids.boardId !== null) unit.add(boardMember, { boardId: ids.boardId, memberId });
      return publicId;
    });
    return { ...joined, memberPublicId };
  }

  async function instanceAdmin(person?: Person): Promise<Person> {
    const admin = person ?? (await user());
    await db.update(account).set({ isAdmin: true }).where(eq(account.publicId, admin.publicId));
    return admin;
  }

  async function token(
    owner: Person,
    fields: Some<{ name: string; scope: "read" | "write"; workspacePublicId: string; expiresAt: string }> = {},
  ) {
    const { accessToken, ...made } = ok(
      await as(owner).post<{ accessToken: string; publicId: string; name: string }>("/tokens", {
        name: unique("Token"),
        scope: "write",
        ...fields,
      }),
    );
    return { ...made, token: accessToken };
  }

  return {
    user,
    unverified,
    workspace,
    board,
    list,
    card,
    label,
    tag,
    checklist,
    item,
    comment,
    member,
    instanceAdmin,
    token,
  };
}

export type Make = ReturnType<typeof makersFor>;
