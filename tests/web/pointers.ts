// Mice and fingers on the page.

import type { CDPSession, Locator, Page } from "playwright-core";

export interface Point {
  x: number;
  y: number;
}

/** A point of an element, by the part of its height: 0 is the top. */
export async function pointOn(element: Locator, part = 0.5): Promise<Point> {
  const box = await element.boundingBox();
  if (box === null) throw new Error("The element is not shown");
  return { x: box.x + Math.min(box.width / 2, 100), y: box.y + box.height * part };
}

/** Presses the mouse on an element and drags it a little. */
export async function grab(page: Page, element: Locator): Promise<void> {
  const { x, y } = await pointOn(element);
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x + 8, y + 4, { steps: 2 });
}

/** Drags what the mouse holds over a part of an element. */
export async function dragOver(page: Page, element: Locator, part?: number): Promise<void> {
  const { x, y } = await pointOn(element, part);
  await page.mouse.move(x, y, { steps: 4 });
}

/** Fingers on a screen. All of them are named at each step. */
export interface Fingers {
  down(...points: Point[]): Promise<void>;
  move(...points: Point[]): Promise<void>;
  /** Lifts all but the named ones. */
  up(...points: Point[]): Promise<void>;
}

const steps = 4;

export async function fingersOn(page: Page): Promise<Fingers> {
  const session: CDPSession = await page.context().newCDPSession(page);
  await session.send("Emulation.setTouchEmulationEnabled", { enabled: true, maxTouchPoints: 2 });
  let now: Point[] = [];
  const send = async (type: "touchStart" | "touchMove" | "touchEnd", points: Point[]) => {
    const touchPoints = points.map(({ x, y }, id) => ({ x: Math.round(x), y: Math.round(y), id }));
    await session.send("Input.dispatchTouchEvent", { type, touchPoints });
  };
  return {
    async down(...points) {
      now = points;
      await send("touchStart", points);
    },
    async move(...points) {
      for (let step = 1; step <= steps; step += 1) {
        const between = points.map(({ x, y }, id) => {
          const from = now[id] ?? { x, y };
          return { x: from.x + ((x - from.x) * step) / steps, y: from.y + ((y - from.y) * step) / steps };
        });
        await send("touchMove", between);
      }
      now = points;
    },
    async up(...points) {
      now = points;
      // An end has no points: a finger that a move no longer names is lifted.
      await send(points.length === 0 ? "touchEnd" : "touchMove", points);
    },
  };
}

/** Longer than the press after which a finger drags. */
export const LONG_PRESS_MS = 400;
