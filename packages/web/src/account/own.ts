// The reader's account, as its settings show it.

import { createContext, useContext } from "react";
import type { Start } from "../session/start.js";

/** The account, how people sign in here, and the workspaces of the account. */
export interface Own {
  user: Start["user"];
  methods: Start["instance"]["methods"];
  workspaces: Start["workspaces"];
}

export const OwnContext = createContext<Own | null>(null);

export function useOwn(): Own {
  const own = useContext(OwnContext);
  if (own === null) throw new Error("No account is shown here");
  return own;
}
