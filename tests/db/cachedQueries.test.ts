import { expect, test } from "vitest";
import { cachedQuery } from "../../src/db/cachedQueries.js";
import { card } from "../../src/db/schema/index.js";

test("a cached query's rows are decoded column by column, and NULL stays null", () => {
  const query = cachedQuery((builder) =>
    builder.select({ id: card.id, title: card.title, revision: card.revision }).from(card),
  );
  expect(query.decode(["7", "A", null])).toEqual({ id: 7, title: "A", revision: null });
});
