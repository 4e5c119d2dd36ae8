// The access matrix is whole: a procedure that is added without a row fails here, and so does a row that calls something else
// than the contract's operation. The crossing itself is in the files beside this one, a group of procedures each.

import { describe, expect, test } from "vitest";
import { operationsOf } from "../../src/api/rest.js";
import { appRouter } from "../../src/router.js";
import { callerNames } from "./contract.js";
import { CROSSED, isBuilt, sizeOf } from "./crossing.js";
import { allRows } from "./rows/index.js";
import { listed } from "./rows.js";

const procedures = Object.keys(appRouter._def.procedures);

describe("the access matrix", () => {
  test.each(procedures)("has a row for %s", (path) => {
    expect(allRows[path], `Write a row for ${path} in tests/access/rows, from the contract's section 4`).toBeDefined();
  });

  test("has no row for what nobody has to build", () => {
    expect(Object.keys(allRows).filter((path) => !isBuilt(path))).toEqual([]);
  });

  test("calls every operation by the method and path of the contract", () => {
    const wrong = operationsOf(appRouter).flatMap(({ path, method, restPath }) =>
      listed(allRows[path])
        .filter(({ at }) => at !== `${method} ${restPath}`)
        .map(({ at }) => `${path}: ${at}, not ${method} ${restPath}`),
    );
    expect(wrong).toEqual([]);
  });

  test("tells its size", () => {
    const { procedures: built, rows, calls, archived, unknown } = sizeOf(allRows);
    expect(built).toBe(procedures.length);
    console.log(
      `Access matrix: ${built} procedures (${rows} rows) × ${callerNames.length} callers, on both boards and over ${CROSSED.join(" and ")}: ${calls} calls; ${archived} more on an archived board and ${unknown} on unknown targets`,
    );
  });
});
