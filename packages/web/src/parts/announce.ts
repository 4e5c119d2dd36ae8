// Sentences for screen readers. They are spoken by regions that stand in the document, empty, from the start: a pair in the page and a
// pair in each modal dialog, outside of which everything is inert.

type Urgency = "polite" | "assertive";
type Region = Pick<Element, "textContent">;

/** That of the page first, then those of the dialogs over it. */
const regions: Record<Urgency, Region[]> = { polite: [], assertive: [] };

/** Screen readers break a sentence off for the thing that takes the focus in the same moment, so that it comes behind that. */
const BEHIND_FOCUS_MS = 100;

let waiting: ReturnType<typeof setTimeout> | undefined;

/** Adds a region that speaks. Returns a function that removes it. */
export function addRegion(urgency: Urgency, region: Region): () => void {
  const all = regions[urgency];
  all.push(region);
  return () => void all.splice(all.indexOf(region), 1);
}

/** Has a screen reader say a sentence, also if it is the last one again. An assertive one interrupts what is being said. */
export function announce(sentence: string, { assertive = false } = {}): void {
  for (const region of [...regions.polite, ...regions.assertive]) region.textContent = "";
  clearTimeout(waiting);
  waiting = setTimeout(() => {
    const region = regions[assertive ? "assertive" : "polite"].at(-1);
    if (region !== undefined) region.textContent = sentence;
  }, BEHIND_FOCUS_MS);
}
