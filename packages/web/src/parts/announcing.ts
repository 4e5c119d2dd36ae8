import { useEffect } from "react";
import { announce } from "./announce.js";

/** Has a screen reader say a sentence when it appears, or becomes another one. */
export function useAnnouncement(sentence: string | null): void {
  useEffect(() => {
    if (sentence !== null) announce(sentence);
  }, [sentence]);
}
