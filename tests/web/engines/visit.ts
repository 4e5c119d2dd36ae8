// A person at a page in any engine, who finds things by roles and names. axe computes both from the document.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { setTimeout as sleep } from "node:timers/promises";
import type { Driver } from "./driver.js";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const WITHIN_MS = 30_000;
const POLL_MS = 40;

/** An element that is shown. */
interface Shown {
  name: string;
  text: string;
  hasFocus: boolean;
  x: number;
  y: number;
  width: number;
  height: number;
}

/** A role and a name, or the beginning of a name up to a comma. */
type Wanted = readonly [role: string, name: string];

/** A function of the page: what is shown of a role and name within the elements of a path, and scrolled into view if asked. */
const FIND = `(path, scrolls) => {
  axe.setup(document.documentElement);
  try {
    const { aria, text, dom } = axe.commons;
    const isNamed = (name, wanted) => wanted === null || name === wanted || name.startsWith(wanted + ",");
    const below = (root, [role, wanted]) =>
      [...root.querySelectorAll("*")].filter(
        (one) => aria.getRole(one) === role && isNamed(text.accessibleText(one), wanted) && dom.isVisibleToScreenReaders(one),
      );
    const found = path.reduce((roots, step) => roots.flatMap((root) => below(root, step)), [document]);
    if (scrolls) found[0]?.scrollIntoView({ block: "nearest", inline: "nearest" });
    return found.map((one) => {
      const { x, y, width, height } = one.getBoundingClientRect();
      const hasFocus = one === document.activeElement;
      return { name: text.accessibleText(one), text: one.textContent, hasFocus, x, y, width, height };
    });
  } finally {
    axe.teardown();
  }
}`;

/** Waits until a look gives something. */
async function waitFor<Value>(look: () => Promise<Value | undefined>, what: string): Promise<Value> {
  for (const end = Date.now() + WITHIN_MS; Date.now() < end; await sleep(POLL_MS)) {
    const value = await look();
    if (value !== undefined) return value;
  }
  throw new Error(`Never shown: ${what}`);
}

const centre = ({ x, y, width, height }: Shown) => ({ x: x + width / 2, y: y + height / 2 });

export class Visit {
  readonly driver: Driver;

  constructor(driver: Driver) {
    this.driver = driver;
  }

  async #find(path: readonly (readonly [string, string | null])[], scrolls = false): Promise<Shown[]> {
    if (!(await this.driver.evaluate("'axe' in window"))) await this.driver.evaluate(`(() => { ${axe} })()`);
    return (await this.driver.evaluate(`(${FIND})(${JSON.stringify(path)}, ${scrolls})`)) as Shown[];
  }

  /** The first thing of a role and a name, once it is shown and stands still. */
  find(role: string, name: string): Promise<Shown> {
    let before: Shown | undefined;
    const look = async () => {
      const [now] = await this.#find([[role, name]], true);
      const isStill = now !== undefined && now.x === before?.x && now.y === before.y;
      before = now;
      return isStill ? now : undefined;
    };
    return waitFor(look, `${role} "${name}"`);
  }

  /** The names of everything of a role within something. */
  async namesIn(within: Wanted, role: string): Promise<string[]> {
    return (await this.#find([within, [role, null]])).map(({ name }) => name);
  }

  /** Waits until something has a text. */
  reads(role: string, name: string, text: string): Promise<true> {
    const look = async () => (await this.#find([[role, name]])).some((one) => one.text.includes(text)) || undefined;
    return waitFor(look, `"${text}" in ${role} "${name}"`);
  }

  /** Waits until something has the focus. */
  focuses(role: string, name: string): Promise<true> {
    const look = async () => (await this.#find([[role, name]])).some(({ hasFocus }) => hasFocus) || undefined;
    return waitFor(look, `the focus on ${role} "${name}"`);
  }

  async click(role: string, name: string): Promise<void> {
    await this.driver.moveTo(centre(await this.find(role, name)));
    await this.driver.mouseDown();
    await this.driver.mouseUp();
  }

  async fill(name: string, text: string): Promise<void> {
    await this.click("textbox", name);
    await this.focuses("textbox", name);
    await this.driver.type(text);
  }

  /** Puts a text where the caret is, as pasting does. */
  async paste(text: string): Promise<void> {
    await this.driver.evaluate(`document.execCommand("insertText", false, ${JSON.stringify(text)})`);
  }

  /** Drags one thing over another one, and drops it. */
  async drag(from: Wanted, to: Wanted): Promise<void> {
    await this.driver.moveTo(centre(await this.find(...from)));
    await this.driver.mouseDown();
    await this.driver.moveTo(centre(await this.find(...to)));
    await this.driver.moveTo(centre(await this.find(...to)));
    await this.driver.mouseUp();
  }
}
