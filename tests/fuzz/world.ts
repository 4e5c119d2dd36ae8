// What valid requests act on: a workspace of an admin with two boards and everything that can hang on them, by the names of the
// fields that take their identifiers; and single things of each kind, for operations that use them up.

import { randomInt } from "node:crypto";
import { sql } from "drizzle-orm";
import { issueSession } from "../../src/access/tokens.js";
import { newPublicId, newPublicIdIn, workspaceOf } from "../../src/db/ids.js";
import { hashPassword } from "../../src/user/passwords.js";
import { type Board, ok, type Person, type TestApp, unique, type Workspace } from "../helpers/app.js";
import { accountIdOf } from "../helpers/recovery.js";
import { unsubscribeToken } from "../helpers/unsubscribing.js";
import type { Described, Ids } from "./document.js";
import { preparations } from "./people.js";
import { NEEDS_ACCOUNT, TAKES_TOKEN, usedUpBy } from "./special.js";

/** A board of the world. What is on it is made when it is first asked for. */
export interface Place {
  /** Identifiers for fields of requests, the same each time; nothing for those of which no kind is known. */
  idsFor(fields: readonly string[]): Promise<Ids>;
  /** A new one for a field. */
  fresh(field: string): Promise<string>;
}

export interface World {
  owner: Person;
  places: [Place, Place];
}

/** The kind of which a field takes one or several, or a special case. */
const kindOf = (field: string) =>
  field.replace(/s$/, "").replace(/^(?:add|remove|parent)([A-Z])/, (_, letter: string) => letter.toLowerCase());

/** Makes something when it is first asked for. */
function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

const PASSWORD = "correct horse battery";
let passwordHash: Promise<string> | undefined;

export interface Scene {
  ids: Ids;
  token: string | null;
}

/** Makes worlds on the database of an application. */
export function worldMakers(app: TestApp) {
  const { as, make, db } = app;
  const prepared = preparations(app);
  const idOf = (rows: { id: string }[]) => rows[0]?.id ?? "";

  /** Someone new, who runs the instance; not through sign-up, which takes as long as ten other calls. */
  async function account(): Promise<Person> {
    passwordHash ??= hashPassword(PASSWORD, "tests");
    const [publicId, name] = [newPublicId(), unique("Person")];
    const email = `${name.replace(" ", ".").toLowerCase()}@example.org`;
    const [row] = await db.rows<{ id: number }>(sql`
      insert into account (public_id, name, email, email_verified_at, password_hash, is_admin)
      values (${publicId}::text, ${name}::text, ${email}::text, now(), ${await passwordHash}::text, true) returning id`);
    const { accessToken } = await issueSession(db, row?.id ?? 0, { address: "127.0.0.1", userAgent: null });
    return { publicId, name, email, password: PASSWORD, token: accessToken };
  }

  /** A row key that no workspace comes to, and an identifier of the workspace that another one belongs to. */
  const farKey = () => 1e12 + randomInt(1e9);
  const idBeside = (publicId: string) => newPublicIdIn(workspaceOf(publicId) ?? 0);

  const inWorkspace = ({ publicId }: Workspace) => sql`${workspaceOf(publicId)}::bigint`;

  const identity = async (person: Person) =>
    idOf(
      await db.rows(sql`
        insert into identity (public_id, account_id, provider_id, issuer, subject)
        values (${newPublicId()}::text, ${await accountIdOf(db, person)}::bigint, 'example', 'https://id.example.org',
          ${unique("subject")}::text) returning public_id as id`),
    );

  /** A webhook that reaches nobody. */
  const webhook = async (workspace: Workspace) =>
    idOf(
      await db.rows(sql`
        insert into webhook (workspace_id, id, public_id, name, url, events, secret)
        values (${inWorkspace(workspace)}, ${farKey()}::bigint, ${idBeside(workspace.publicId)}::text, 'Hook', 'http://127.0.0.1:9/hook', '["tag.*"]'::jsonb,
          'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw') returning public_id as id`),
    );

  /** The workspace's key and the row key of what an identifier names. */
  const keysOf = async (table: "webhook" | "card", publicId: string) => {
    const workspaceId = sql`${workspaceOf(publicId)}::bigint`;
    const [row] = await db.rows<{ id: number }>(sql`
      select id from ${sql.identifier(table)} where workspace_id = ${workspaceId} and public_id = ${publicId}::text`);
    return sql`${workspaceId}, ${row?.id ?? 0}::bigint`;
  };

  const delivery = async (webhookPublicId: string) =>
    idOf(
      await db.rows(sql`
        insert into webhook_delivery (workspace_id, webhook_id, id, public_id, type, status)
        values (${await keysOf("webhook", webhookPublicId)}, ${farKey()}::bigint, ${idBeside(webhookPublicId)}::text, 'webhook.test',
          'failed') returning public_id as id`),
    );

  const notification = async (person: Person, cardPublicId: string) =>
    idOf(
      await db.rows(sql`
        insert into notification (workspace_id, card_id, id, public_id, account_id, type)
        values (${await keysOf("card", cardPublicId)}, ${farKey()}::bigint, ${idBeside(cardPublicId)}::text,
          ${await accountIdOf(db, person)}::bigint, 'mention') returning public_id as id`),
    );

  async function inviteCode(workspace: Workspace): Promise<string> {
    const email = `${unique("invited").replace(" ", ".")}@example.org`;
    const path = `/workspaces/${workspace.publicId}/members/invite`;
    return (
      ok(await as(workspace.owner).post<{ inviteLink: string }>(path, { email }))
        .inviteLink.split("/")
        .at(-1) ?? ""
    );
  }

  async function meeting({ publicId, owner }: Workspace): Promise<string> {
    const path = `/workspaces/${publicId}/meetings`;
    return ok(await as(owner).put<{ publicId: string }>(path, { title: unique("Meeting") })).publicId;
  }

  /** What can be on a board; what hangs on a card hangs on the one card, and so on. */
  function thingsOn(board: Board) {
    const { workspace, owner } = board;
    const list = once(async () => (await make.list({ board })).list);
    const card = once(async () => (await make.card({ list: await list() })).card);
    const checklist = once(async () => (await make.checklist({ card: await card() })).checklist);
    const hook = once(() => webhook(workspace));
    const alone: Record<string, () => Promise<string>> = {
      workspacePublicId: async () => workspace.publicId,
      boardPublicId: async () => board.publicId,
      listPublicId: async () => (await list()).publicId,
      cardPublicId: async () => (await card()).publicId,
      checklistPublicId: async () => (await checklist()).publicId,
      webhookPublicId: hook,
      password: async () => owner.password,
      email: async () => owner.email,
      actorPublicId: async () => owner.publicId,
      unsubscribeToken: () => unsubscribeToken({ db }, owner),
    };
    const fresh: Record<string, () => Promise<string>> = {
      workspacePublicId: async () => (await make.workspace({ owner })).workspace.publicId,
      boardPublicId: async () => (await make.list({ board: (await make.board({ workspace })).board })).board.publicId,
      listPublicId: async () => (await make.list({ board })).list.publicId,
      cardPublicId: async () => (await make.card({ list: await list() })).card.publicId,
      labelPublicId: async () => (await make.label({ board })).label.publicId,
      userPublicId: async () => (await account()).publicId,
      memberPublicId: async () => (await make.member(board, "member", await account())).memberPublicId,
      tagPublicId: async () => (await make.tag({ workspace })).tag.publicId,
      meetingPublicId: () => meeting(workspace),
      webhookPublicId: () => webhook(workspace),
      deliveryPublicId: async () => delivery(await hook()),
      sessionPublicId: async () => {
        await issueSession(db, await accountIdOf(db, owner), { address: "127.0.0.1", userAgent: null });
        return idOf(
          ok(await as(owner).get<{ publicId: string }[]>("/users/me/sessions")).map(({ publicId: id }) => ({ id })),
        );
      },
      identityPublicId: () => identity(owner),
      tokenPublicId: async () => (await make.token(owner)).publicId,
      notificationPublicId: async () => notification(owner, (await card()).publicId),
      checklistPublicId: async () => (await make.checklist({ card: await card() })).checklist.publicId,
      itemPublicId: async () => (await make.item({ checklist: await checklist() })).item.publicId,
      commentPublicId: async () => (await make.comment({ card: await card() })).comment.publicId,
      inviteCode: () => inviteCode(workspace),
    };
    return { alone, fresh };
  }

  function place(board: Board): Place {
    const { alone, fresh } = thingsOn(board);
    const made = new Map<string, Promise<string[]>>();
    const several = async (kind: string, isPlural: boolean) => {
      const another = fresh[kind];
      const first = await (alone[kind] ?? another)?.();
      if (first === undefined) return [];
      if (another === undefined || (alone[kind] !== undefined && !isPlural)) return [first];
      return [first, await another()];
    };
    return {
      idsFor: async (fields) => {
        const ids: Ids = {};
        for (const field of fields) {
          const known = made.get(field) ?? several(kindOf(field), field.endsWith("s"));
          made.set(field, known);
          const found = await known;
          if (found.length > 0) ids[field] = found;
        }
        return ids;
      },
      fresh: (field) => fresh[field]?.() ?? Promise.reject(new Error(`Nothing makes a ${field}`)),
    };
  }

  async function world(): Promise<World> {
    const owner = await account();
    const { workspace } = await make.workspace({ owner });
    const { board } = await make.board({ workspace });
    const { board: published } = await make.board({ workspace, visibility: "public" });
    return { owner, places: [place(board), place(published)] };
  }

  /** Who calls, and what there is to name. */
  async function scene(
    { owner, places }: World,
    operation: Described,
    { turn, names }: { turn: number; names: readonly string[] },
  ): Promise<Scene> {
    const place = places[turn] ?? places[0];
    const caller = NEEDS_ACCOUNT.includes(operation.name) ? await account() : owner;
    const ids = await place.idsFor(names);
    if (caller !== owner) Object.assign(ids, { email: [caller.email], password: [caller.password] });
    for (const field of usedUpBy(operation)) {
      const made = await place.fresh(field);
      for (const name of [field, `${field}s`]) ids[name] = [made];
    }
    Object.assign(ids, await prepared[operation.name]?.(caller, turn));
    const isSigned = !operation.isPublic || (TAKES_TOKEN.includes(operation.name) && turn === 1);
    return { ids, token: isSigned ? caller.token : null };
  }

  return { world, scene };
}

export type WorldMakers = ReturnType<typeof worldMakers>;
