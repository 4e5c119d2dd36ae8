// Who may what, as the contract says it (sections 2 and 4), written down a second time: the access matrix expects by this, never
// by what the service itself believes.

import type { ErrorCode } from "../../src/api/errors.js";

/** The line of section 4 as it stands there; M: members, G: guests on their boards, admins all. */
const TABLE = `workspace:view MG · workspace:edit · workspace:delete · board:view MG · board:create M · board:edit M ·
  board:delete · list:view MG · list:create M · list:edit M · list:delete M · card:view MG · card:create M · card:edit M ·
  card:delete M · comment:view MG · comment:create MG · comment:edit · comment:delete · member:view MG · member:invite ·
  member:edit · member:remove · meeting:view M · meeting:edit M · tag:edit M · webhook:manage`;

type Role = "admin" | "member" | "guest";

const HOLDERS = new Map(
  TABLE.split("·").map((entry) => {
    const [permission = "", letters = ""] = entry.trim().split(" ");
    const roles: Role[] = ["admin"];
    if (letters.includes("M")) roles.push("member");
    if (letters.includes("G")) roles.push("guest");
    return [permission, roles];
  }),
);

/** Where the caller stands: the boards it sees are those of the two places that the matrix acts on. */
interface Standing {
  /** Which token it comes with: one that counts for nothing, reads alone, or is bound to a workspace; a session otherwise. */
  token?: "none" | "read" | "bound here" | "bound elsewhere";
  /** Its role in the workspace; absent where it is not in it, as far as its token reaches. */
  role?: Role;
  sees?: readonly PlaceName[];
}

/** `open`: a board of `workspace` visibility. `private`: a board that only its members and admins see. */
export type PlaceName = "open" | "private";

const BOTH: readonly PlaceName[] = ["open", "private"];

export const CALLERS = {
  "no token": { token: "none" },
  "a garbage token": { token: "none" },
  "an expired token": { token: "none" },
  "a revoked token": { token: "none" },
  "a disabled account": { token: "none" },
  "a stranger": {},
  "an instance admin": {},
  "a guest of the board": { role: "guest", sees: BOTH },
  "a guest of another board": { role: "guest", sees: [] },
  "an accountless guest": { role: "guest", sees: BOTH },
  "a member": { role: "member", sees: ["open"] },
  "a member on the private board": { role: "member", sees: BOTH },
  "an admin": { role: "admin", sees: BOTH },
  "a removed member": {},
  "a read-only token": { token: "read", role: "admin", sees: BOTH },
  "a token bound here": { token: "bound here", role: "admin", sees: BOTH },
  "a token bound elsewhere": { token: "bound elsewhere" },
} as const satisfies Record<string, Standing>;

export type CallerName = keyof typeof CALLERS;
const isCaller = (name: string): name is CallerName => name in CALLERS;
export const callerNames: readonly CallerName[] = Object.keys(CALLERS).filter(isCaller);
const standingOf = (caller: CallerName): Standing => CALLERS[caller];

export const hasValidToken = (caller: CallerName) => standingOf(caller).token !== "none";

/** The same for every caller, or for all whose token counts. */
export const everyone = (outcome: Outcome): Partial<Record<CallerName, Outcome>> =>
  Object.fromEntries(callerNames.map((caller) => [caller, outcome]));
export const everyoneWithToken = (outcome: Outcome): Partial<Record<CallerName, Outcome>> =>
  Object.fromEntries(callerNames.filter(hasValidToken).map((caller) => [caller, outcome]));

/** What an operation needs: a permission of section 4, a token of some kind, or nothing. */
export type Need = `${string}:${string}` | "any token" | "a session" | "an instance admin" | "nothing";

export type Outcome = "OK" | ErrorCode;

/** An operation as the contract lists it. */
export interface ContractEntry {
  at: string;
  needs: Need;
  on?: "workspace" | "board";
  /** Callers of whom the contract says something of their own. */
  except?: Partial<Record<CallerName, Outcome>>;
}

export const methodOf = ({ at }: Pick<ContractEntry, "at">) => at.split(" ")[0];

export function outcomeOf({ at, needs, on, except }: ContractEntry, caller: CallerName, place: PlaceName): Outcome {
  const stated = except?.[caller];
  if (stated !== undefined) return stated;
  const { token, role, sees = [] } = standingOf(caller);
  if (needs === "nothing") return "OK";
  if (token === "none") return "UNAUTHORIZED";
  // Part two, section 0, Codes.
  if (needs === "an instance admin") return caller === needs ? "OK" : "NOT_FOUND";
  if (token === "read" && methodOf({ at }) !== "GET") return "FORBIDDEN";
  if (needs === "any token") return "OK";
  if (needs === "a session") return token === undefined ? "OK" : "FORBIDDEN";
  const holders = HOLDERS.get(needs);
  if (holders === undefined) throw new Error(`Section 4 has no permission ${needs}`);
  if (role === undefined || !holders.includes(role)) return "FORBIDDEN";
  return on === "board" && !sees.includes(place) ? "FORBIDDEN" : "OK";
}

/** What an operation answers to an unknown target: a POST never says that it does not exist. */
export const unknownOutcomeOf = (entry: Pick<ContractEntry, "at" | "needs">): Outcome =>
  methodOf(entry) === "POST" && entry.needs !== "an instance admin" ? "FORBIDDEN" : "NOT_FOUND";
