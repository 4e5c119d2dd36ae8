// Suggestions for misspelled names.

/** Whether two texts differ by one letter: added, left out, replaced or swapped with its neighbour. */
function differByOne(a: string, b: string): boolean {
  if (a.length > b.length) return differByOne(b, a);
  let start = 0;
  while (start < a.length && a[start] === b[start]) start += 1;
  const [restOfA, restOfB] = [a.slice(start), b.slice(start)];
  if (a.length < b.length) return restOfB.slice(1) === restOfA;
  const isReplaced = restOfA.slice(1) === restOfB.slice(1);
  const isSwapped = restOfA[0] === restOfB[1] && restOfA[1] === restOfB[0] && restOfA.slice(2) === restOfB.slice(2);
  return isReplaced || isSwapped;
}

/** The known name that differs from a name by one letter or by case; undefined if none does. */
export function nearestName(name: string, known: readonly string[]): string | undefined {
  const folded = name.toLowerCase();
  return (
    known.find((one) => one.toLowerCase() === folded) ?? known.find((one) => differByOne(one.toLowerCase(), folded))
  );
}
