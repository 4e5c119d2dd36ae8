// Lists that come page by page.

/** A page of a list: its `nextCursor` is the `cursor` of the next page, and null at the end. */
interface Page {
  nextCursor: string | null;
}

/** A page of events: its `nextCursor` is the `after` of the next page, also where that has nothing yet. */
interface EventPage {
  nextCursor: number;
  hasMore: boolean;
}

/** The input of a list, with the place where a page begins. */
type Paged = { cursor?: string | undefined } | { after?: number | undefined };

/** The place where the next page begins; null at the end. */
function placeBehind(page: Page | EventPage): Paged | null {
  if ("hasMore" in page) return page.hasMore ? { after: page.nextCursor } : null;
  return page.nextCursor === null ? null : { cursor: page.nextCursor };
}

/**
 * The pages of a list, one after the other: `for await (const { items } of pages(client.card.comments.list.query, { cardPublicId }))`.
 * Each is read when it is asked for. Those of `workspace.events` end with the last event that is there.
 */
export async function* pages<Input extends Paged, Result extends Page | EventPage>(
  call: (input: Input) => Promise<Result>,
  input: Input,
): AsyncGenerator<Result, void, undefined> {
  for (let place: Paged | null = {}; place !== null; ) {
    const page: Result = await call({ ...input, ...place });
    yield page;
    place = placeBehind(page);
  }
}
