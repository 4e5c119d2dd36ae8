// What a row of the access matrix is.

import type { TestApp } from "../helpers/app.js";
import type { CallerName, ContractEntry, PlaceName } from "./contract.js";
import type { Caller, Place, World, WorldMakers } from "./world.js";

export type Input = Record<string, unknown>;

export interface Scene {
  app: TestApp;
  world: World;
  makers: WorldMakers;
  place: Place;
  placeName: PlaceName;
  kind: CallerName;
  caller: Caller;
}

export interface Call {
  input: Input;
  by?: { token: string | null };
  /** What its input stands for, which the answer may tell. */
  reveals?: string;
}

/** A procedure in the matrix: what the contract says of it, and how to call it. */
export interface Row extends ContractEntry {
  /** Which of several rows of a procedure this is. */
  case?: string;
  /** A valid call on what stands in the world. Makes nothing. */
  input(scene: Scene): Input;
  /** Where the call would use up what stands: the same on something of its own, for callers who may. */
  fresh?(scene: Scene): Promise<Call>;
  /** The field that names what is acted on, where the path does not. */
  target?: string;
  /** Whether a call that is allowed changes anything; unless told otherwise a GET does not, all else does. */
  changes?: boolean | ((kind: CallerName) => boolean);
  /** Answers with a stream that does not end. */
  stream?: true;
  /** Answers over REST alone. */
  restOnly?: true;
}

export type Rows = Record<string, Row | Row[]>;

export const listed = (rows: Row | Row[] | undefined): Row[] =>
  rows === undefined ? [] : Array.isArray(rows) ? rows : [rows];

/** The places a row is crossed at: both boards where it acts on a board. */
export const placesOf = ({ on }: Row): PlaceName[] => (on === "board" ? ["open", "private"] : ["open"]);

export const targetOf = ({ at, target }: Row): string | undefined => target ?? /\{(\w+)\}/.exec(at)?.[1];
