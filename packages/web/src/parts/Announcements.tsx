import { addRegion } from "./announce.js";

const addPolite = (element: Element | null) => (element === null ? undefined : addRegion("polite", element));
const addAssertive = (element: Element | null) => (element === null ? undefined : addRegion("assertive", element));

/** The regions that speak for the page, or for the modal dialog in which they stand. Without names, which would be read each time. */
export const Announcements = () => (
  <>
    <div ref={addPolite} className="sr" data-announcements="polite" aria-live="polite" />
    <div ref={addAssertive} className="sr" data-announcements="assertive" aria-live="assertive" />
  </>
);
