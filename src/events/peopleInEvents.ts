// People in the `data` of events: stored as identifiers, with name and image added when an event is read or sent. Other stored
// fields, such as the role of a board member, stay.

import { sql } from "drizzle-orm";
import { isRecord } from "../api/json.js";
import { oneOf } from "../db/client.js";
import type { Reads } from "../db/replicas.js";
import { account, member } from "../db/schema/index.js";
import { orNull, type RowOf, selection } from "../db/selections.js";

/** The name of a person who has not accepted the invitation yet. */
export const PENDING_NAME = "Invited";

type Data = Record<string, unknown>;
/** A person as events store it. */
type Stored = Data & { publicId: string };

const authorFields = {
  publicId: account.publicId,
  name: account.name,
  image: account.image,
  ...orNull({ memberPublicId: member.publicId }),
};
const shownAuthor = selection(authorFields);
/** A member in the form of an author. */
const shownMember = selection({
  publicId: member.publicId,
  name: sql<string>`coalesce(${account.name}, ${sql.raw(`'${PENDING_NAME}'`)})`,
  image: account.image,
  memberPublicId: member.publicId,
});

type ShownPerson = RowOf<typeof authorFields>;

/** A person who no longer belongs to the workspace: nothing else is known of the membership. */
const gone = (publicId: string): ShownPerson => ({
  publicId,
  name: "Former member",
  image: null,
  memberPublicId: null,
});

const isNamed = (value: unknown): value is Stored => isRecord(value) && typeof value.publicId === "string";

/** The people that one event refers to. */
interface Named {
  /** The identifiers of members: of a board, or assigned to a card. */
  members: string[];
  /** The account that wrote a comment. */
  author: string | null;
}

/** Data with a list of members under `members`. */
const HOLDERS = ["board", "card"] as const;

const membersOf = (held: unknown): Stored[] =>
  isRecord(held) && Array.isArray(held.members) ? held.members.filter(isNamed) : [];

/** The member that an event is about. */
const memberOf = ({ member }: Data): Stored[] => (isNamed(member) ? [member] : []);

const authorOf = ({ comment }: Data) => (isRecord(comment) && isNamed(comment.author) ? comment.author.publicId : null);

const namedIn = (data: Data): Named => ({
  members: [...HOLDERS.flatMap((key) => membersOf(data[key])), ...memberOf(data)].map(({ publicId }) => publicId),
  author: authorOf(data),
});

/** `data` with the people that it refers to, as `find` shows them. */
function filled(data: Data, find: (publicId: string) => ShownPerson): Data {
  const whole = { ...data };
  const current = ({ publicId, ...stored }: Stored) => {
    const { memberPublicId: _, ...person } = find(publicId);
    return { ...person, ...stored };
  };
  for (const key of HOLDERS) {
    const held = data[key];
    if (isRecord(held) && Array.isArray(held.members)) whole[key] = { ...held, members: membersOf(held).map(current) };
  }
  for (const member of memberOf(data)) whole.member = current(member);
  const author = authorOf(data);
  if (author !== null && isRecord(data.comment)) whole.comment = { ...data.comment, author: find(author) };
  return whole;
}

/** The columns of an event that `withPeople` needs. */
interface ActedData {
  data: Data;
  actorPublicId: string | null;
  actorName: string | null;
  actorImage: string | null;
  actorMemberPublicId: string | null;
}

/** Events of a workspace with the people that they refer to: one statement for all of them, if there are any besides the actors. */
export async function withPeople<Row extends ActedData>(
  db: Reads,
  workspaceId: number,
  rows: readonly Row[],
): Promise<Row[]> {
  const people = new Map<string, ShownPerson>();
  const members = new Set<string>();
  const authors = new Set<string>();
  for (const { data, actorPublicId, actorName, actorImage, actorMemberPublicId } of rows) {
    const named = namedIn(data);
    for (const publicId of named.members) members.add(publicId);
    if (named.author === null) continue;
    if (named.author === actorPublicId && actorName !== null)
      people.set(actorPublicId, {
        publicId: actorPublicId,
        name: actorName,
        image: actorImage,
        memberPublicId: actorMemberPublicId,
      });
    else authors.add(named.author);
  }
  if (members.size + authors.size > 0) {
    const known = await db.read(
      shownAuthor,
      sql`
        select ${shownMember} from ${member} left join ${account} on ${account.id} = ${member.accountId}
        where ${member.workspaceId} = ${workspaceId}::bigint and ${oneOf(member.publicId, [...members])}
        union all
        select ${shownAuthor} from ${account}
        left join ${member} on ${member.workspaceId} = ${workspaceId}::bigint and ${member.accountId} = ${account.id}
        where ${oneOf(account.publicId, [...authors])}`,
    );
    for (const person of known) people.set(person.publicId, person);
  }
  const find = (publicId: string) => people.get(publicId) ?? gone(publicId);
  return rows.map((row) => ({ ...row, data: filled(row.data, find) }));
}
