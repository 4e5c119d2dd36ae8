// What the access matrix acts on: a workspace with an open and a private board, everything that can hang on them, and someone for
// each kind of caller; and two more workspaces with the same things.

import { and, eq, sql } from "drizzle-orm";
import { workspaceOf } from "../../src/db/ids.js";
import {
  account,
  card,
  notification as notificationTable,
  webhookDelivery,
  webhook as webhookTable,
} from "../../src/db/schema/index.js";
import type { UnitOfWork } from "../../src/db/unitOfWork.js";
import { appRouter } from "../../src/router.js";
import { type Board, ok, type TestApp, unique, type Workspace } from "../helpers/app.js";
import type { Checklist, List, Person } from "../helpers/make.js";
import { type CallerName, callerNames, type PlaceName } from "./contract.js";

export interface Caller {
  token: string | null;
  /** Who it is, with a session of its own; null where nobody is behind the token, or somebody without an address. */
  person: Person | null;
  memberPublicId: string | null;
  /** An unread notification of its own, about a card of the private board. */
  notificationPublicId: string | null;
}

/** What belongs to a workspace as a whole, by the names of the fields that take it. */
interface Grounds {
  workspacePublicId: string;
  /** A member who is on every board of the workspace. */
  memberPublicId: string;
  memberEmail: string;
  tagPublicId: string;
  meetingPublicId: string;
  webhookPublicId: string;
  deliveryPublicId: string;
  /** Of an invitation by address, which nobody accepts. */
  inviteCode: string;
}

interface Belongings {
  boardPublicId: string;
  listPublicId: string;
  otherListPublicId: string;
  cardPublicId: string;
  otherCardPublicId: string;
  labelPublicId: string;
  checklistPublicId: string;
  itemPublicId: string;
  commentPublicId: string;
  otherCommentPublicId: string;
}

export interface Place {
  ids: Grounds & Belongings;
  board: Board;
  list: List;
  checklist: Checklist;
}

export interface World {
  owner: Person;
  places: Record<PlaceName, Place>;
  /** A third board, which only a guest of its own is on. */
  elsewhere: Place;
  /** A board like the open one, which is archived. */
  archived: Place;
  /** A workspace of which the owner, and whoever has a token bound elsewhere, is an admin too. */
  other: Place;
  strange: Place;
  publicBoardPublicId: string;
  /** The comment that the removed member left on a board. */
  leftComments: Record<PlaceName, string>;
  exported: unknown;
  callers: Record<CallerName, Caller>;
}

const has = (path: string) => path in appRouter._def.procedures;

/** Makes the world of a test file, and single things of it again. */
export function worldMakers({ as, anonymous, make, db }: TestApp) {
  async function idOf(query: Promise<{ id: string }[]>): Promise<string> {
    const [row] = await query;
    if (row === undefined) throw new Error("Nothing was stored");
    return row.id;
  }

  /** Stores something of the workspace that an identifier belongs to, as its one writer; the new identifier. */
  const stored = (publicId: string, store: (unit: UnitOfWork, made: string) => Promise<void>) =>
    db.change(workspaceOf(publicId) ?? 0, { accountId: null }, async (unit) => {
      const made = unit.newPublicId();
      // A change begins with a read: row keys are counted from then on.
      await unit.db.rows(sql`select id from workspace where id = ${unit.workspaceId}::bigint`);
      await store(unit, made);
      return made;
    });

  const webhook = (workspacePublicId: string) =>
    stored(workspacePublicId, async (unit, publicId) =>
      unit.add(webhookTable, {
        id: unit.newRowId(),
        publicId,
        name: "Hook",
        url: "http://127.0.0.1:9/hook",
        events: ["tag.*"],
        secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
      }),
    );

  const delivery = (webhookPublicId: string) =>
    stored(webhookPublicId, async (unit, publicId) => {
      const [found] = await unit.db
        .select()
        .from(webhookTable)
        .where(and(eq(webhookTable.workspaceId, unit.workspaceId), eq(webhookTable.publicId, webhookPublicId)));
      if (found === undefined) throw new Error("no such webhook");
      const fields = { webhookId: found.id, type: "webhook.test", status: "failed" as const };
      unit.add(webhookDelivery, { id: unit.newRowId(), publicId, ...fields });
    });

  const notification = (person: Pick<Person, "publicId">, { ids }: Place) =>
    stored(ids.cardPublicId, async (unit, publicId) => {
      const [found] = await unit.db
        .select({ accountId: account.id, cardId: card.id })
        .from(account)
        .innerJoin(card, and(eq(card.workspaceId, unit.workspaceId), eq(card.publicId, ids.cardPublicId)))
        .where(eq(account.publicId, person.publicId));
      if (found === undefined) throw new Error("no such person or card");
      unit.add(notificationTable, { id: unit.newRowId(), publicId, type: "mention", ...found });
    });

  async function meeting({ publicId, owner }: Workspace): Promise<string> {
    const path = `/workspaces/${publicId}/meetings`;
    return ok(await as(owner).put<{ publicId: string }>(path, { title: unique("Meeting") })).publicId;
  }

  async function invitation({ publicId, owner }: Workspace): Promise<string> {
    const email = `${unique("invited").replace(" ", ".")}@example.org`;
    const path = `/workspaces/${publicId}/members/invite`;
    const { inviteLink } = ok(await as(owner).post<{ inviteLink: string }>(path, { email }));
    return inviteLink.split("/").at(-1) ?? "";
  }

  async function link({ publicId, owner }: Workspace): Promise<string> {
    return ok(await as(owner).post<{ inviteCode: string }>(`/workspaces/${publicId}/invites`)).inviteCode;
  }

  async function comment(by: { token: string }, cardPublicId: string): Promise<string> {
    const path = `/cards/${cardPublicId}/comments`;
    return ok(await as(by).post<{ publicId: string }>(path, { comment: unique("Comment") })).publicId;
  }

  async function grounds(workspace: Workspace): Promise<Grounds> {
    const member = await make.member(workspace, "member");
    const webhookPublicId = await webhook(workspace.publicId);
    return {
      workspacePublicId: workspace.publicId,
      memberPublicId: member.memberPublicId,
      memberEmail: member.email,
      tagPublicId: (await make.tag({ workspace })).tag.publicId,
      meetingPublicId: await meeting(workspace),
      webhookPublicId,
      deliveryPublicId: await delivery(webhookPublicId),
      inviteCode: await invitation(workspace),
    };
  }

  const addToBoard = async ({ publicId, owner }: Board, memberPublicId: string) =>
    ok(await as(owner).post(`/boards/${publicId}/members`, { memberPublicId }));

  async function place(board: Board, ground: Grounds): Promise<Place> {
    await addToBoard(board, ground.memberPublicId);
    const { list } = await make.list({ board });
    const { list: otherList } = await make.list({ board });
    const { label } = await make.label({ board });
    const { card } = await make.card({ list, dueDate: "2027-01-15T10:00:00.000Z", description: "needle" });
    const { card: otherCard } = await make.card({ list });
    const { checklist, item } = await make.item({ checklist: (await make.checklist({ card })).checklist });
    const ids = {
      ...ground,
      boardPublicId: board.publicId,
      listPublicId: list.publicId,
      otherListPublicId: otherList.publicId,
      cardPublicId: card.publicId,
      otherCardPublicId: otherCard.publicId,
      labelPublicId: label.publicId,
      checklistPublicId: checklist.publicId,
      itemPublicId: item.publicId,
      commentPublicId: await comment(board.owner, card.publicId),
      otherCommentPublicId: await comment(board.owner, otherCard.publicId),
    };
    return { ids, board, list, checklist };
  }

  async function estate(owner: Person): Promise<Place> {
    const { workspace } = await make.workspace({ owner });
    return place((await make.board({ workspace })).board, await grounds(workspace));
  }

  type Scenery = Pick<World, "places" | "elsewhere" | "other" | "strange">;

  const named = (person: Person, memberPublicId: string | null): Caller => ({
    token: person.token,
    person,
    memberPublicId,
    notificationPublicId: null,
  });

  /** Joins both boards of the matrix in a role. */
  async function onBoards({ places }: Scenery, role: "member" | "guest"): Promise<Caller> {
    const { memberPublicId, ...person } = await make.member(places.open.board, role);
    await addToBoard(places.private.board, memberPublicId);
    return named(person, memberPublicId);
  }

  async function joinedWithoutAccount({ places }: Scenery): Promise<Caller> {
    const { workspace } = places.open.board;
    const res = await anonymous.post("/invites/accept", { inviteCode: await link(workspace) });
    ok(res);
    const token = res.headers["x-access-token"] ?? "";
    const { publicId, name } = ok(await as({ token }).get<{ publicId: string; name: string }>("/users/me"));
    const memberPublicId = await idOf(
      db.rows(sql`
        select m.public_id as id from member m join account a on a.id = m.account_id where a.public_id = ${publicId}::text`),
    );
    for (const { board } of Object.values(places)) await addToBoard(board, memberPublicId);
    return named({ token, publicId, name, email: "", password: "" }, memberPublicId);
  }

  async function admin({ places }: Scenery): Promise<Caller & { person: Person }> {
    const { memberPublicId, ...person } = await make.member(places.open.board.workspace, "admin");
    return { ...named(person, memberPublicId), person };
  }

  async function adminWithToken(scenery: Scenery, fields: Parameters<typeof make.token>[1]) {
    const caller = await admin(scenery);
    const made = await make.token(caller.person, fields);
    return { ...caller, token: made.token, tokenPublicId: made.publicId };
  }

  const KINDS: Record<CallerName, (scenery: Scenery) => Promise<Caller>> = {
    "no token": async () => ({ token: null, person: null, memberPublicId: null, notificationPublicId: null }),
    "a garbage token": async () => ({
      token: `wb_${"A".repeat(43)}`,
      person: null,
      memberPublicId: null,
      notificationPublicId: null,
    }),
    "an expired token": async (scenery) => {
      const caller = await adminWithToken(scenery, { expiresAt: "2099-01-01T00:00:00.000Z" });
      await db.rows(sql`
        update access_token set expires_at = now() - interval '1 second' where public_id = ${caller.tokenPublicId}::text`);
      return caller;
    },
    "a revoked token": async (scenery) => {
      const caller = await adminWithToken(scenery, {});
      ok(await as(caller.person).delete(`/tokens/${caller.tokenPublicId}`));
      return caller;
    },
    // Its tokens are left as they are: the account alone has to keep them out.
    "a disabled account": async (scenery) => {
      const caller = await admin(scenery);
      await db.rows(sql`update account set disabled_at = now() where public_id = ${caller.person.publicId}::text`);
      return caller;
    },
    "a stranger": async () => named(await make.user(), null),
    "an instance admin": async () => named(await make.instanceAdmin(), null),
    "a guest of the board": (scenery) => onBoards(scenery, "guest"),
    "a guest of another board": async ({ elsewhere }) => {
      const { memberPublicId, ...person } = await make.member(elsewhere.board, "guest");
      return named(person, memberPublicId);
    },
    "an accountless guest": joinedWithoutAccount,
    "a member": async ({ places }) => {
      const { memberPublicId, ...person } = await make.member(places.open.board.workspace, "member");
      return named(person, memberPublicId);
    },
    "a member on the private board": async ({ places }) => {
      const { memberPublicId, ...person } = await make.member(places.private.board, "member");
      return named(person, memberPublicId);
    },
    "an admin": admin,
    "a removed member": async (scenery) => {
      const caller = await onBoards(scenery, "member");
      const { workspace } = scenery.places.open.board;
      ok(await as(workspace.owner).delete(`/workspaces/${workspace.publicId}/members/${caller.memberPublicId}`));
      return caller;
    },
    "a read-only token": (scenery) => adminWithToken(scenery, { scope: "read" }),
    "a token bound here": (scenery) =>
      adminWithToken(scenery, { workspacePublicId: scenery.places.open.ids.workspacePublicId }),
    "a token bound elsewhere": async (scenery) => {
      const caller = await admin(scenery);
      await make.member(scenery.other.board.workspace, "admin", caller.person);
      const made = await make.token(caller.person, { workspacePublicId: scenery.other.ids.workspacePublicId });
      return { ...caller, token: made.token };
    },
  };

  const again = (scenery: Scenery, kind: CallerName): Promise<Caller> => KINDS[kind](scenery);

  async function world(): Promise<World> {
    const { owner, workspace } = await make.workspace();
    const ground = await grounds(workspace);
    const boardOf = async (visibility: "workspace" | "private" | "public") =>
      (await make.board({ workspace, visibility })).board;
    const places = {
      open: await place(await boardOf("workspace"), ground),
      private: await place(await boardOf("private"), ground),
    };
    const elsewhere = await place(await boardOf("private"), ground);
    const archived = await place(await boardOf("workspace"), ground);
    ok(await as(owner).post(`/boards/${archived.board.publicId}/archive`));
    const { board: publicBoard, list } = await make.list({ board: await boardOf("public") });
    await make.card({ list });
    const stranger = await make.user();
    const scenery = { places, elsewhere, other: await estate(owner), strange: await estate(stranger) };

    const leftComments: Partial<Record<PlaceName, string>> = {};
    const callers: Partial<Record<CallerName, Caller>> = {};
    for (const kind of callerNames) {
      const caller = kind === "a stranger" ? named(stranger, null) : await again(scenery, kind);
      if (caller.person !== null) caller.notificationPublicId = await notification(caller.person, places.private);
      callers[kind] = caller;
    }
    for (const name of ["open", "private"] as const) {
      const left = await comment(owner, places[name].ids.cardPublicId);
      await db.rows(sql`
        update comment set author_id = (select id from account where public_id = ${callers["a removed member"]?.person?.publicId ?? ""}::text)
        where public_id = ${left}::text`);
      leftComments[name] = left;
    }
    const exported = has("board.export") ? ok(await as(owner).get(`/boards/${places.open.board.publicId}/export`)) : {};
    return {
      owner,
      ...scenery,
      archived,
      publicBoardPublicId: publicBoard.publicId,
      leftComments: complete(leftComments, ["open", "private"]),
      exported,
      callers: complete(callers, callerNames),
    };
  }

  return { world, again, webhook, delivery, notification, meeting, link, comment, addToBoard };
}

export type WorldMakers = ReturnType<typeof worldMakers>;

/** A record that holds every key: one without throws. */
function complete<K extends string, V>(record: Partial<Record<K, V>>, keys: readonly K[]): Record<K, V> {
  for (const key of keys) if (record[key] === undefined) throw new Error(`Nothing was made for ${key}`);
  return record as Record<K, V>;
}
