import { type ReactNode, useEffect, useMemo, useState } from "react";
import { flushSync } from "react-dom";
import { useLocation } from "wouter";
import { keyPressed } from "../keys/layouts.js";
import { useSingleKeys } from "../keys/singleKeys.js";
import { confirmation } from "../parts/confirm.js";
import { type LazyComponent, lazyComponent } from "../parts/lazyComponent.js";
import { preloadWhenIdle } from "../parts/preloadWhenIdle.js";
import { useStore } from "../store.js";
import { foldSideBar } from "./folding.js";
import { OverlaysContext } from "./overlays.js";

const KeyList = lazyComponent(() => import("../keys/KeyList.js"));
const ConfirmDialog = lazyComponent(() => import("./ConfirmDialog.js"));
/** Who signs out without a network sees it. */
const SignIn = lazyComponent(() => import("../signIn/SignIn.js"));

interface Props {
  /** Search and commands, which lie above the frame. */
  SearchDialog: LazyComponent<{ close: () => void }>;
  children: ReactNode;
}

/** The dialogs that open over any page, by a key or a button. */
export function WithOverlays({ SearchDialog, children }: Props) {
  const [open, setOpen] = useState<"search" | "keys" | null>(null);
  const overlays = useMemo(() => ({ openSearch: () => setOpen("search"), openKeys: () => setOpen("keys") }), []);
  const question = useStore(confirmation, (value) => value);
  const [, navigate] = useLocation();
  useSingleKeys({ "?": overlays.openKeys, "g i": () => navigate("/notifications"), s: foldSideBar }, ["page", "card"]);
  useEffect(() => preloadWhenIdle(ConfirmDialog, SearchDialog, SignIn, KeyList), [SearchDialog]);
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const isWanted = (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey;
      if (!isWanted || keyPressed(event) !== "k") return;
      event.preventDefault();
      // A question is to be answered first.
      if (confirmation.get() !== null) return;
      // At once, so that what is typed next goes into the field.
      flushSync(overlays.openSearch);
    };
    // Going back and forward changes the page below.
    const close = () => {
      setOpen(null);
      confirmation.set(null);
    };
    // Before fields and dialogs, which keep their keys to themselves.
    document.addEventListener("keydown", onKeyDown, true);
    addEventListener("popstate", close);
    return () => {
      document.removeEventListener("keydown", onKeyDown, true);
      removeEventListener("popstate", close);
    };
  }, [overlays]);
  // Another one may have opened when one has closed.
  const closed = (which: typeof open) => () => setOpen((now) => (now === which ? null : now));
  return (
    <OverlaysContext value={overlays}>
      {children}
      {open === "search" && <SearchDialog close={closed("search")} />}
      {open === "keys" && <KeyList close={closed("keys")} />}
      {question !== null && <ConfirmDialog {...question} />}
    </OverlaysContext>
  );
}
