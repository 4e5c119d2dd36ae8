// Guarantees of the labels that come from Trello: each keeps a name and a colour of its own, however odd those are there.

import { expect, test } from "vitest";
import { testApp } from "../helpers/app.js";
import { exportOf, reasons, trelloImportsInto } from "./trello.js";

const app = await testApp();
const { imported } = trelloImportsInto(app, await app.make.workspace());

const label = (id: string, name: string, color: string | null) => ({ id, name, color });

async function labelsOf(labels: object[]) {
  const { answer, file } = await imported(exportOf({ labels: labels as never }));
  return { answer, labels: file.labels.map(({ name, colourCode }) => [name, colourCode]) };
}

test("labels of one long name in several colours are told apart within 64 characters", async () => {
  const name = "🚀".repeat(64);
  const odd = "of a colour without an end";
  const { labels } = await labelsOf([
    label("1", name, "red"),
    label("2", name, "green"),
    label("3", name, odd),
    label("4", `${name}x`, "blue"),
    label("5", "", "c".repeat(70)),
  ]);
  expect(labels.map(([one]) => one)).toEqual([
    name,
    `${"🚀".repeat(56)} (green)`,
    `${"🚀".repeat(41)} (${odd.slice(0, 20)})`,
    `${"🚀".repeat(57)} (blue)`,
    "c".repeat(64),
  ]);
});

test("a third label of one name and hue has a number", async () => {
  const { labels } = await labelsOf([
    label("1", "Bug", "red"),
    label("2", "Bug (blue)", "red"),
    label("3", "Bug", "blue"),
  ]);
  expect(labels.map(([one]) => one)).toEqual(["Bug", "Bug (blue)", "Bug (2)"]);
});

test("colours that Trello does not have, among them words that every object knows, are replaced, each by another", async () => {
  const colours = ["teal", "constructor", "red_bright", "__proto__"];
  const { answer, labels } = await labelsOf(colours.map((color) => label(color, color, color)));
  expect(reasons(answer, "colourReplaced").map(([, value]) => value)).toEqual(colours);
  expect(new Set(labels.map(([, colour]) => colour)).size).toBe(colours.length);
});

test("no colour is grey, whether it is null, empty or left out", async () => {
  const { answer, labels } = await labelsOf([label("1", "a", null), label("2", "b", ""), { id: "3", name: "c" }]);
  expect(labels.map(([, colour]) => colour)).toEqual(Array(3).fill("#b3b9c4"));
  expect(reasons(answer, "colourReplaced")).toEqual([]);
});
