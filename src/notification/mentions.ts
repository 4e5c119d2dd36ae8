// Mentions (contract section 2): whom a text names, and their notifications, in the change that writes the text.

import { sql } from "drizzle-orm";
import { isOnBoard, seesBoard } from "../access/boardVisibility.js";
import type { BoardAccess } from "../access/guards.js";
import type { Tx } from "../api/change.js";
import { oneOf } from "../db/client.js";
import { account, boardMember, member } from "../db/schema/index.js";
import { type RowOf, selection } from "../db/selections.js";
import { normalAddress } from "../emailAddress.js";
import { type NewNotification, notify } from "../events/newNotifications.js";

/** The most names of one text that are looked up, the first ones: nobody means more people than that. */
const MAX_NAMES = 100;

/** The suffix of a label: the identifier of a member. */
const MEMBER = /^\]\(([0-9A-Za-z]{12,64})\)/;
const LONGEST_MEMBER = "](".length + 64 + ")".length;
/** `@` and an address as accounts have them, not in the middle of a word. */
const ADDRESS =
  /(?<![0-9A-Za-z])@([0-9A-Za-z.!#$%&'*+/=?^_`{|}~-]{1,64}@[0-9A-Za-z](?:[0-9A-Za-z-]*[0-9A-Za-z])?(?:\.[0-9A-Za-z](?:[0-9A-Za-z-]*[0-9A-Za-z])?)*)/g;

/** The same with letters beyond ASCII. Both count: a script without blanks may follow an address directly. */
const WIDE_ADDRESS =
  /(?<![\p{L}\p{N}])@([\p{L}\p{M}\p{N}.!#$%&'*+/=?^_`{|}~-]{1,64}@[\p{L}\p{N}][\p{L}\p{M}\p{N}-]*(?:\.[\p{L}\p{M}\p{N}-]+)*)/gu;

/**
 * The identifiers of members and the addresses that a text mentions, in their normal form, in their order. Cut at each `@[` first: a
 * label ends at the first `](` of its piece, so that every character is looked at a fixed number of times.
 */
function namesIn(text: string): Set<string> {
  const names = new Set<string>();
  const addAddresses = (piece: string) => {
    if (!piece.includes("@")) return;
    for (const form of [ADDRESS, WIDE_ADDRESS]) {
      for (const [, address = ""] of piece.matchAll(form)) names.add(normalAddress(address));
    }
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

const personFields = {
  accountId: account.id,
  publicId: member.publicId,
  email: account.email,
  role: member.role,
  isBoardMember: isOnBoard,
};
const person = selection(personFields);
type PersonRow = RowOf<typeof personFields>;

/** The active members of a board's workspace who go by one of some names, or have one account, as far as they see the board. */
async function peopleSeeing(
  tx: Tx,
  { boardId, visibility }: BoardAccess,
  names: readonly string[],
  accountId: number | null,
): Promise<PersonRow[]> {
  const inWorkspace = sql`${member.workspaceId} = ${tx.workspaceId}::bigint`;
  const rows = await tx.db.read(
    person,
    sql`
      select ${person} from ${member}
      join ${account} on ${account.id} = ${member.accountId}
      left join ${boardMember} on ${boardMember.workspaceId} = ${tx.workspaceId}::bigint
        and ${boardMember.boardId} = ${boardId}::bigint and ${boardMember.memberId} = ${member.id}
      where ${inWorkspace} and ${member.id} in (
        select ${member.id} from ${member} where ${inWorkspace} and ${oneOf(member.publicId, names)}
        union
        select ${member.id} from ${member} where ${inWorkspace} and ${member.accountId} in (
          select ${account.id} from ${account} where ${oneOf(account.email, names)} union select ${accountId}::bigint))
      order by ${member.id}`,
  );
  return rows.filter(({ role, isBoardMember }) => seesBoard(role, visibility, isBoardMember));
}

/** A text on a card, and who else is notified of it. */
interface Writing {
  text: string;
  /** The comment that has the text; null for a description. */
  commentId: number | null;
  /** The text that it replaces: the people whom that mentioned were notified then. */
  before?: string;
  /** The author, if it is not the caller: nobody is notified of their own text. */
  authorId?: number;
  /** The account whose comment it replies to. */
  repliedToId?: number | null;
}

/** Notifies those whom a text newly mentions, and the author it replies to, each once; returns their accounts. */
export async function notifyOfText(
  tx: Tx,
  card: { cardId: number } & BoardAccess,
  { text, commentId, before = "", authorId, repliedToId = null }: Writing,
): Promise<ReadonlySet<number>> {
  const names = namesIn(text);
  const known = names.size === 0 ? names : namesIn(before);
  const isReply = repliedToId !== null && repliedToId !== tx.user.accountId;
  if (!isReply && [...names].every((name) => known.has(name))) return new Set();
  const people = await peopleSeeing(tx, card, [...names, ...known], repliedToId);
  const mentions = people.flatMap((person): NewNotification[] => {
    const { accountId } = person;
    if (accountId === authorId) return [];
    if (goesBy(person, names) && !goesBy(person, known)) return [{ type: "mention", accountId }];
    return accountId === repliedToId ? [{ type: "comment.reply", accountId }] : [];
  });
  notify(tx, { actorId: tx.user.accountId, cardId: card.cardId, commentId }, mentions);
  return new Set(mentions.map(({ accountId }) => accountId));
}

const goesBy = ({ publicId, email }: PersonRow, names: ReadonlySet<string>) =>
  names.has(publicId) || (email !== null && names.has(email));
