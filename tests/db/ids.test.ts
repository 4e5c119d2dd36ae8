// Identifiers and codes: what they carry, and what is none.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { newInviteCodeIn, newPublicIdIn, newWorkspaceKey, workspaceOf, workspaceOfCode } from "../../src/db/ids.js";

const LAST_KEY = 62 ** 5 - 1;
const key = fc.oneof(fc.constantFrom(1, LAST_KEY), fc.integer({ min: 1, max: LAST_KEY }));

describe("identifiers and codes", () => {
  test("begin with the key of their workspace in base 62, and lead back to it", () => {
    expect(newPublicIdIn(1)).toMatch(/^00001[0-9A-Za-z]{7}$/);
    expect(newPublicIdIn(LAST_KEY)).toMatch(/^zzzzz[0-9A-Za-z]{7}$/);
    expect(newInviteCodeIn(62)).toMatch(/^00010[0-9A-Za-z]{19}$/);
    fc.assert(
      fc.property(key, (workspaceId) => {
        expect(workspaceOf(newPublicIdIn(workspaceId))).toBe(workspaceId);
        expect(workspaceOfCode(newInviteCodeIn(workspaceId))).toBe(workspaceId);
      }),
    );
  });

  test("of anything else lead to no workspace, and throw nothing", () => {
    const valid = newPublicIdIn(LAST_KEY);
    const wrong = ["", "00000abcdefg", valid.slice(1), `${valid}0`, newInviteCodeIn(1), `${valid.slice(0, 11)}-`];
    for (const text of [...wrong, `é${valid.slice(1)}`, `🂡${valid.slice(2)}`, `\0${valid.slice(1)}`])
      expect([text, workspaceOf(text)]).toEqual([text, null]);
    fc.assert(
      fc.property(fc.string({ minLength: 10, maxLength: 26 }), (text) => {
        for (const found of [workspaceOf(text), workspaceOfCode(text)]) expect(found === null || found > 0).toBe(true);
      }),
    );
  });

  test("are made for keys alone: 0 stands for no workspace", () => {
    for (const none of [0, -1, LAST_KEY + 1, 1.5, Number.NaN]) expect(() => newPublicIdIn(none)).toThrow(RangeError);
  });
});

test("keys are drawn from the whole range", () => {
  const drawn = Array.from({ length: 1000 }, newWorkspaceKey);
  expect(drawn.every((one) => Number.isInteger(one) && one >= 1 && one <= LAST_KEY)).toBe(true);
  for (let part = 0; part < 10; part += 1)
    expect(drawn.some((one) => Math.floor((one / LAST_KEY) * 10) === part)).toBe(true);
});
