// A unit of work in which one actor acts: every event that it logs names the actor, the operation and the origin.

import type { Config } from "../config.js";
import type { LoggedEvent, UnitOfWork } from "../db/unitOfWork.js";
import type { Caller, Client, RequestOptions } from "./context.js";

/** The origin of a change, as events name it (capabilities section 0, Events). */
export type Origin = "user" | "token" | "mcp" | "automation" | "undo" | "import" | "system" | "operator";

/** A unit of work in which everything that is logged is one account's doing, and one operation. */
export interface Acting extends Omit<UnitOfWork, "log" | "lastEvent"> {
  /** Logs an event and gives its number, the revision of what it changed. */
  log(event: ActorlessEvent): number;
  /** Whether the service sends mail. */
  readonly sendsMail: boolean;
  readonly by: Actor & {
    /** The origin of the call; null if nobody calls. */
    client: Client | null;
  };
}

/** An event before it is known who does it. */
type ActorlessEvent = Omit<LoggedEvent, "actorId" | "operationPublicId" | "requestKey" | "origin">;

export const originOf = ({ token }: Caller): Origin => (token.kind === "session" ? "user" : "token");

/** The account that acts, null for the service itself, and the origin that the log records. */
export interface Actor {
  accountId: number | null;
  origin: Origin;
}

/** The settings that say whether mail is sent. */
type MailSettings = Pick<Config, "mail">;

/** The properties of a call that changes depend on; `client` is null if nobody calls. */
export interface ActingCall {
  requestOptions: Pick<RequestOptions, "requestKey">;
  config: MailSettings;
  client: Client | null;
}

/** A unit that logs what an actor does, as one operation. */
export function actingIn(
  unit: UnitOfWork,
  actor: Actor,
  operationPublicId: string,
  { requestOptions: { requestKey }, config, client }: ActingCall,
): Acting {
  const { accountId, origin } = actor;
  return {
    sendsMail: config.mail !== null,
    by: { client, ...actor },
    db: unit.db,
    workspaceId: unit.workspaceId,
    touched: unit.touched,
    get now() {
      return unit.now;
    },
    newPublicId: () => unit.newPublicId(),
    newRowId: () => unit.newRowId(),
    newCardNumber: () => unit.newCardNumber(),
    add: (table, ...rows) => unit.add(table, ...rows),
    set: (table, key, values) => unit.set(table, key, values),
    setEach: (table, rows) => unit.setEach(table, rows),
    remove: (table, where) => unit.remove(table, where),
    flush: () => unit.flush(),
    write: (statement) => unit.write(statement),
    removeWorkspace: () => unit.removeWorkspace(),
    log: (event) => unit.log({ actorId: accountId, operationPublicId, requestKey, origin, ...event }),
  };
}

/** The settings of a change by the service or by an operator. */
export interface SystemSettings {
  /** Left out where nobody is notified. */
  config?: MailSettings;
  origin?: "system" | "operator";
}

/** For changes that notify nobody. */
export const WITHOUT_MAIL: MailSettings = { mail: null };
