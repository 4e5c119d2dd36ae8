// What an answer must never hold, depending on who gets it.

import type { Answer } from "../helpers/app.js";
import type { CallerName } from "./contract.js";
import type { Call } from "./rows.js";
import type { Place, World } from "./world.js";

const ON_BOARD = [
  "boardPublicId",
  "listPublicId",
  "otherListPublicId",
  "cardPublicId",
  "otherCardPublicId",
  "labelPublicId",
  "checklistPublicId",
  "itemPublicId",
  "commentPublicId",
  "otherCommentPublicId",
] as const;

const boardIds = ({ ids }: Place) => ON_BOARD.map((name) => ids[name]);
const allIds = ({ ids }: Place) =>
  Object.entries(ids)
    .filter(([name]) => name.endsWith("PublicId"))
    .map(([, id]) => id);

/** Identifiers of what a caller of a kind may not know of. */
function hiddenFrom(kind: CallerName, world: World): string[] {
  const { open, private: closed } = world.places;
  const strange = allIds(world.strange);
  const own = [open, closed, world.elsewhere];
  const withoutWorkspace = own.flatMap(allIds).filter((id) => id !== open.ids.workspacePublicId);
  const boardless = ["a member", "an admin"] as const;
  const strangers = boardless.flatMap((name) => world.callers[name].memberPublicId ?? []);
  switch (kind) {
    // Notifications about the workspace name it also to those who left it.
    case "a stranger":
      return [...allIds(world.other), ...withoutWorkspace];
    case "a removed member":
      return [...allIds(world.other), ...strange, ...withoutWorkspace];
    case "a guest of the board":
    case "an accountless guest":
      return [...allIds(world.other), ...strange, ...boardIds(world.elsewhere), ...strangers];
    case "a guest of another board":
      return [...allIds(world.other), ...strange, ...boardIds(open), ...boardIds(closed), ...strangers];
    case "a member":
      return [...allIds(world.other), ...strange, ...boardIds(closed), ...boardIds(world.elsewhere)];
    case "a member on the private board":
      return [...allIds(world.other), ...strange, ...boardIds(world.elsewhere)];
    case "a token bound here":
      return [...allIds(world.other), ...strange];
    case "a token bound elsewhere":
      return [...strange, ...own.flatMap(allIds)];
    case "an admin":
    case "a read-only token":
      return strange;
    // The audit log names workspaces and webhooks, and nothing on a board.
    case "an instance admin":
      return [world.other, ...own].flatMap(boardIds);
    // An invitation reveals which workspace it opens.
    default:
      return [...allIds(world.other), ...strange, ...withoutWorkspace];
  }
}

const GUESTS: readonly CallerName[] = ["a guest of the board", "a guest of another board", "an accountless guest"];
const ADDRESS = /[\w.+-]+@[\w-]+(?:\.[\w-]+)+/g;

/** People who acted or wrote on a board are named there, with their membership (clients section 1, Who am I here). */
const ACTOR = /(?<="image":(?:null|"[^"]*"),)"memberPublicId":"\w+"/g;

/** What an answer gives away; null where nothing. What the call itself named is no secret. */
export function leakOf(res: Answer<unknown>, kind: CallerName, world: World, { input, reveals }: Call): string | null {
  const said = JSON.stringify([input, reveals]);
  const text = res.text.replaceAll(ACTOR, "");
  const ids = hiddenFrom(kind, world).filter((id) => text.includes(id) && !said.includes(id));
  const own = world.callers[kind].person?.email;
  const addresses = GUESTS.includes(kind) ? (res.text.match(ADDRESS) ?? []) : [];
  const leaked = [...ids, ...addresses.filter((address) => address !== own && !said.includes(address))];
  return leaked.length === 0 ? null : `gives away ${leaked.join(", ")}: ${res.text.slice(0, 300)}`;
}
