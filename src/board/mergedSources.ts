// Several sources as one, each taken at the pace of the reader.

/** An item of a source, or its end. */
interface Taken<T> {
  source: AsyncGenerator<T, void>;
  result: Promise<IteratorResult<T, void>>;
}

/** The items of several sources as they come, until all have ended or one throws. Each is asked when its last was taken. */
export async function* merged<T>(sources: readonly AsyncGenerator<T, void>[]): AsyncGenerator<T, void> {
  const ready: Taken<T>[] = [];
  let onNews = () => {};
  // No Promise.race: it would add a listener to the pending promise of each quiet source with every item of the others.
  const ask = (source: AsyncGenerator<T, void>) => {
    const result = source.next();
    const put = () => {
      ready.push({ source, result });
      onNews();
    };
    result.then(put, put);
  };
  try {
    for (const source of sources) ask(source);
    for (let open = sources.length; open > 0; ) {
      const taken = ready.shift();
      if (taken === undefined) {
        await new Promise<void>((resolve) => {
          onNews = resolve;
        });
        continue;
      }
      const { done, value } = await taken.result;
      if (done === true) open -= 1;
      else {
        yield value;
        ask(taken.source);
      }
    }
  } finally {
    for (const source of sources) void source.return();
  }
}
