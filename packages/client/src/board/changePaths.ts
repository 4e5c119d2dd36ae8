// The changes that a replica shows at once, by the paths of their procedures.

import type { AppRouter, RouterInputs, RouterOutputs } from "../client.js";

type At<Tree, Path extends string> = Path extends `${infer Head}.${infer Rest}`
  ? Head extends keyof Tree
    ? At<Tree[Head], Rest>
    : never
  : Path extends keyof Tree
    ? Tree[Path]
    : never;

/** The input and the result of a change, by the path of its procedure. */
export type InputOf<Path extends string> = At<RouterInputs, Path>;
export type OutputOf<Path extends string> = At<RouterOutputs, Path>;

/** The paths of the mutations below a router. */
type Mutations<Tree> = {
  [Name in keyof Tree & string]: Tree[Name] extends { _def: { type: infer Type } }
    ? Type extends "mutation"
      ? Name
      : never
    : `${Name}.${Mutations<Tree[Name]>}`;
}[keyof Tree & string];

type Routers = AppRouter["_def"]["record"];
type BoardMutation = Mutations<Pick<Routers, "board" | "card">>;

/** The mutations of boards that are shown once the service has answered, each with the reason. */
const NOT_SHOWN = {
  "board.create": "makes another board",
  "board.duplicate": "makes another board",
  "board.delete": "ends the board, which its stream reports",
  "board.opened": "changes the home page alone",
  "board.archive": "decides what every user may do, so the service comes first",
  "board.unarchive": "decides what every user may do, so the service comes first",
  "board.members.add": "needs the names and roles of the workspace's members",
  "board.members.invite": "the service finds or creates the person",
  "board.members.remove": "takes the person off cards of the board by rules of access",
  "board.toggleTag": "needs the tags of the workspace",
} as const satisfies { [Path in BoardMutation]?: string };

/** The changes that are shown at once. */
export type ChangePath = Exclude<BoardMutation, keyof typeof NOT_SHOWN>;
