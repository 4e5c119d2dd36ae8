import { createContext, useContext } from "react";

/** The dialogs that open over any page. */
interface Overlays {
  openSearch: () => void;
  openKeys: () => void;
}

export const OverlaysContext = createContext<Overlays>({ openSearch: () => {}, openKeys: () => {} });

export const useOverlays = () => useContext(OverlaysContext);
