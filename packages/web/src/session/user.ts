import { createContext, useContext } from "react";
import type { User } from "../client.js";

export const UserContext = createContext<User | null>(null);

/** The account of the reader. */
export function useUser(): User {
  const user = useContext(UserContext);
  if (user === null) throw new Error("Nobody is signed in");
  return user;
}
