// How the people of a workspace are shown to each other (contract section 2, showEmailsToMembers).

import type { Role } from "../access/permissions.js";

/** A member's row with what may be shown of the person; a pending member has no account yet. */
export interface PersonRow {
  id: number;
  publicId: string;
  name: string | null;
  image: string | null;
  email: string | null;
  role: Role;
  isActive: boolean;
}

/** Who looks: its own place in the workspace, and the workspace's setting. */
export interface Reader {
  memberId: number;
  role: Role;
  showEmailsToMembers: boolean;
}

/** Admins see every address, members each other's where the workspace shows them, guests and the public none. */
export const seesEmails = ({ role, showEmailsToMembers }: Omit<Reader, "memberId">) =>
  role === "admin" || (role === "member" && showEmailsToMembers);

/** The same for readers who are shown the same addresses: those who see all of them share a key. */
export const readerKey = (reader: Reader) => (seesEmails(reader) ? "all" : String(reader.memberId));

/** A person as it is shown to a reader; its own address everyone sees. A pending member is called by its address. */
export function shownMember(person: PersonRow, reader: Reader) {
  const isShown = person.id === reader.memberId || seesEmails(reader);
  const email = isShown ? person.email : null;
  return {
    publicId: person.publicId,
    name: person.name ?? email ?? "Invited",
    email,
    image: person.image,
    role: person.role,
    status: person.isActive ? ("active" as const) : ("invited" as const),
  };
}
