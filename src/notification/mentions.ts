// Mentions (contract section 2): whom a text names, and telling them in the change that writes the text.

import { sql } from "drizzle-orm";
import { seesBoard } from "../access/boardVisibility.js";
import type { BoardAccess } from "../access/guards.js";
import type { Role } from "../access/permissions.js";
import type { Tx } from "../api/change.js";
import { texts } from "../db/client.js";
import { type Notice, notify } from "../events/notices.js";

/** How many names of one text are looked up, the first ones: nobody means more people than that. */
const MAX_NAMES = 100;

/** What follows a label: the identifier of a member. */
const MEMBER = /^\]\(([0-9A-Za-z]{12,64})\)/;
const LONGEST_MEMBER = "](".length + 64 + ")".length;
/** `@` and an address as accounts have them, not in the middle of a word. */
const ADDRESS =
  /(?<![0-9A-Za-z])@([0-9A-Za-z.!#$%&'*+/=?^_`{|}~-]{1,64}@[0-9A-Za-z](?:[0-9A-Za-z-]*[0-9A-Za-z])?(?:\.[0-9A-Za-z](?:[0-9A-Za-z-]*[0-9A-Za-z])?)*)/g;

/**
 * The identifiers of members and the addresses that a text mentions, in lower case, in their order. Cut at each `@[` first: a
 * label ends at the first `](` of its piece, so that every character is looked at a fixed number of times.
 */
function namesIn(text: string): Set<string> {
  const names = new Set<string>();
  const addAddresses = (piece: string) => {
    if (!piece.includes("@")) return;
    for (const [, address = ""] of piece.matchAll(ADDRESS)) names.add(address.toLowerCase());
  };
  const [start = "", ...labelled] = text.split("@[");
  addAddresses(start);
  for (const piece of labelled) {
    const end = piece.indexOf("](");
    const [link = "", publicId] = (end === -1 ? null : MEMBER.exec(piece.slice(end, end + LONGEST_MEMBER))) ?? [];
    if (publicId !== undefined) names.add(publicId);
    addAddresses(publicId === undefined ? piece : piece.slice(end + link.length));
  }
  return new Set([...names].slice(0, MAX_NAMES));
}

interface PersonRow {
  accountId: number;
  publicId: string;
  email: string | null;
  role: Role;
  isBoardMember: boolean;
}

/** The active members of a board's workspace who go by one of some names, or have one account, as far as they see the board. */
async function peopleSeeing(
  tx: Tx,
  { boardId, visibility }: BoardAccess,
  names: readonly string[],
  accountId: number | null,
): Promise<PersonRow[]> {
  const named = texts(names);
  const ofWorkspace = sql`workspace_id = ${tx.workspaceId}::bigint`;
  const rows = await tx.db.rows<PersonRow>(sql`
    select a.id as "accountId", m.public_id as "publicId", a.email, m.role, bm.member_id is not null as "isBoardMember"
    from member m
    join account a on a.id = m.account_id
    left join board_member bm
      on bm.workspace_id = ${tx.workspaceId}::bigint and bm.board_id = ${boardId}::bigint and bm.member_id = m.id
    where m.workspace_id = ${tx.workspaceId}::bigint and m.id in (
      select id from member where ${ofWorkspace} and public_id = any(${named})
      union
      select id from member where ${ofWorkspace} and account_id in (
        select id from account where email = any(${named}) union select ${accountId}::bigint))
    order by m.id`);
  return rows.filter(({ role, isBoardMember }) => seesBoard(role, visibility, isBoardMember));
}

/** A text on a card, and whoever else is to be told of it. */
interface Writing {
  text: string;
  /** The text that it replaces: whom that mentioned was told. */
  before?: string;
  /** The account whose text it is, where that is not the caller's: nobody is told of its own text. */
  authorId?: number;
  /** The account whose comment it replies to. */
  repliedToId?: number | null;
}

/**
 * Tells the people whom a text on a card newly mentions, and the author it replies to; each person once, and a mention counts for
 * more than a reply.
 */
export async function notifyOfText(
  tx: Tx,
  card: { cardId: number } & BoardAccess,
  { text, before = "", authorId, repliedToId = null }: Writing,
): Promise<void> {
  const names = namesIn(text);
  const known = names.size === 0 ? names : namesIn(before);
  const isReply = repliedToId !== null && repliedToId !== tx.user.accountId;
  if (!isReply && [...names].every((name) => known.has(name))) return;
  const people = await peopleSeeing(tx, card, [...names, ...known], repliedToId);
  const notices = people.flatMap((person): Notice[] => {
    const { accountId } = person;
    if (accountId === authorId) return [];
    if (goesBy(person, names) && !goesBy(person, known)) return [{ type: "mention", accountId }];
    return accountId === repliedToId ? [{ type: "comment.reply", accountId }] : [];
  });
  notify(tx, { actorId: tx.user.accountId, cardId: card.cardId }, notices);
}

const goesBy = ({ publicId, email }: PersonRow, names: ReadonlySet<string>) =>
  names.has(publicId) || (email !== null && names.has(email));
