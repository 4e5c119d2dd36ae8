// The controls of a part of the page, as people with a screen reader hear them.

import type { Locator, Page } from "playwright-core";

const ROLES = "button|link|menuitem|menuitemradio|textbox|searchbox|checkbox|switch|radio|combobox|option|tab";
/** A line of a snapshot: the role, the name and the state of a control, and maybe its value. */
const CONTROL = new RegExp(String.raw`^\s*- '?((?:${ROLES})(?: ".*?(?<!\\)")?)((?: \[[^\]]+\])*)`);
/** States of what the keyboard has reached, and of what is open. */
const PASSING = / \[(?:active|expanded|selected|ref=\w+)\]/g;

/** The controls of a part of the page in their order: the role, the name and the state of each. */
export async function controlsIn(part: Locator): Promise<string[]> {
  const lines = (await part.ariaSnapshot()).split("\n");
  return lines.flatMap((line) => {
    const [, control, states = ""] = CONTROL.exec(line) ?? [];
    return control === undefined ? [] : [control + states.replaceAll(PASSING, "")];
  });
}

/** The identifiers of what pages show. */
export type Ids = Record<"workspace" | "board" | "archived" | "card" | "gone" | "webhook", string>;

/** A part of a page, and the controls that it has for each role. */
export interface Shown {
  address: (ids: Ids) => string;
  /** The part of the page: its content if it has no other. */
  part?: (page: Page) => Locator;
  /** Opens that part. */
  open?: (page: Page) => Promise<unknown>;
  /** Each control behind the first letters of the roles that have it. */
  controls: string;
}

/** The controls of a table that a role has. */
export const controlsOf = (role: "admin" | "member" | "guest", table: string): string[] =>
  table.split("\n").flatMap((line) => {
    const [, roles, control] = /^\s*([amg]+)\s+(.+)$/.exec(line) ?? [];
    return control !== undefined && roles?.includes(role.charAt(0)) ? [control] : [];
  });
