// Lists that come page by page.

/** A page of a list: its `nextCursor` is the `cursor` of the next page, and null at the end. */
interface Page {
  nextCursor: string | null;
}

/**
 * The pages of a list, one after the other: `for await (const { items } of pages(client.card.comments.list.query, { cardPublicId }))`.
 * Each is read when it is asked for.
 */
export async function* pages<Input extends { cursor?: string | undefined }, Result extends Page>(
  call: (input: Input) => Promise<Result>,
  input: Input,
): AsyncGenerator<Result, void, undefined> {
  let next: Input | null = input;
  while (next !== null) {
    const page: Result = await call(next);
    yield page;
    next = page.nextCursor === null ? null : { ...input, cursor: page.nextCursor };
  }
}
