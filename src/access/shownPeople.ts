// The fields of people that other people of a workspace see (contract section 2, showEmailsToMembers).

import { sql } from "drizzle-orm";
import { account, member } from "../db/schema/index.js";
import type { RowOf } from "../db/selections.js";
import { PENDING_NAME } from "../events/peopleInEvents.js";
import type { Role } from "./permissions.js";

/** A member with what may be shown of the person; a pending member has no account yet, so that the account is left joined. */
export const personFields = {
  id: member.id,
  publicId: member.publicId,
  name: account.name,
  image: account.image,
  email: sql<string | null>`coalesce(${account.email}, ${member.invitedEmail})`,
  role: member.role,
  isActive: sql<boolean>`${member.accountId} is not null`,
};

/** A member's row with what may be shown of the person. */
export type PersonRow = Omit<RowOf<typeof personFields>, "name"> & { name: string | null };

/** The reader: its own membership, and the workspace's setting. */
interface Reader {
  memberId: number;
  role: Role;
  showEmailsToMembers: boolean;
}

/** Admins see all addresses, members see those of others if the workspace allows it, guests and the public see none. */
export const seesEmails = ({ role, showEmailsToMembers }: Omit<Reader, "memberId">) =>
  role === "admin" || (role === "member" && showEmailsToMembers);

/** A key that readers share if they see the same addresses. */
export const readerKey = (reader: Reader) => (seesEmails(reader) ? "all" : String(reader.memberId));

/** A person as a reader sees it; everyone sees their own address. */
export function shownMember(person: PersonRow, reader: Reader) {
  const isShown = person.id === reader.memberId || seesEmails(reader);
  return {
    publicId: person.publicId,
    name: person.name ?? PENDING_NAME,
    email: isShown ? person.email : null,
    image: person.image,
    role: person.role,
    status: person.isActive ? ("active" as const) : ("invited" as const),
  };
}
