// The people in the `data` of events: stored by their identifiers, and given name and image when an event is read or sent. What is
// stored beside the identifier, as the role of a member of a board, stays.

import { sql } from "drizzle-orm";
import { texts } from "../db/client.js";
import type { Reads } from "../db/replicas.js";
import type { EventRow } from "./reading.js";

type Data = Record<string, unknown>;
/** A person as events store it. */
type Stored = Data & { publicId: string };

interface ShownPerson {
  publicId: string;
  name: string;
  image: string | null;
}

/** Somebody who belongs to the workspace no longer: nothing more is known of the membership. */
const gone = (publicId: string): ShownPerson => ({ publicId, name: "Former member", image: null });

const isObject = (value: unknown): value is Data =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const isNamed = (value: unknown): value is Stored => isObject(value) && typeof value.publicId === "string";

/** The people that one event names. */
interface Named {
  /** Identifiers of members: of a board, or assigned to a card. */
  members: string[];
  /** The account that wrote a comment. */
  author: string | null;
}

/** What holds a list of members under `members`. */
const HOLDERS = ["board", "card"] as const;

const membersOf = (held: unknown): Stored[] =>
  isObject(held) && Array.isArray(held.members) ? held.members.filter(isNamed) : [];

/** The one member whom an event is about. */
const memberOf = ({ member }: Data): Stored[] => (isNamed(member) ? [member] : []);

const authorOf = ({ comment }: Data) => (isObject(comment) && isNamed(comment.author) ? comment.author.publicId : null);

const namedIn = (data: Data): Named => ({
  members: [...HOLDERS.flatMap((key) => membersOf(data[key])), ...memberOf(data)].map(({ publicId }) => publicId),
  author: authorOf(data),
});

/** `data` with the people that it names as `find` shows them. */
function filled(data: Data, find: (publicId: string) => ShownPerson): Data {
  const whole = { ...data };
  const shown = ({ publicId, ...stored }: Stored) => ({ ...find(publicId), ...stored });
  for (const key of HOLDERS) {
    const held = data[key];
    if (isObject(held) && Array.isArray(held.members)) whole[key] = { ...held, members: membersOf(held).map(shown) };
  }
  for (const member of memberOf(data)) whole.member = shown(member);
  const author = authorOf(data);
  if (author !== null && isObject(data.comment)) whole.comment = { ...data.comment, author: find(author) };
  return whole;
}

/** Events of a workspace with the people that they name: one statement for all of them, where they name anybody but their actors. */
export async function withPeople(db: Reads, workspaceId: number, rows: readonly EventRow[]): Promise<EventRow[]> {
  const people = new Map<string, ShownPerson>();
  const members = new Set<string>();
  const authors = new Set<string>();
  for (const { data, actorPublicId, actorName, actorImage } of rows) {
    const named = namedIn(data);
    for (const publicId of named.members) members.add(publicId);
    if (named.author === null) continue;
    if (named.author === actorPublicId)
      people.set(named.author, { publicId: named.author, name: actorName, image: actorImage });
    else authors.add(named.author);
  }
  if (members.size + authors.size > 0) {
    const found = await db.rows<ShownPerson>(sql`
      select m.public_id as "publicId", coalesce(a.name, 'Invited') as name, a.image
      from member m left join account a on a.id = m.account_id
      where m.workspace_id = ${workspaceId}::bigint and m.public_id = any(${texts([...members])})
      union all
      select public_id, name, image from account where public_id = any(${texts([...authors])})`);
    for (const person of found) people.set(person.publicId, person);
  }
  const find = (publicId: string) => people.get(publicId) ?? gone(publicId);
  return rows.map((row) => ({ ...row, data: filled(row.data, find) }));
}
