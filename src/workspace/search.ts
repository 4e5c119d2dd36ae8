// Search in the boards and cards of a workspace. migrations/0000_tables.sql defines which words a text has and how they are
// indexed; the database maintains the index.

import { type SQL, sql } from "drizzle-orm";
import { z } from "zod";
import { accessFields } from "../access/guards.js";
import { callerIn, callerKey } from "../access/lookups.js";
import { answerOnReplica, type ReplicaAnswer } from "../access/replicaReads.js";
import type { Signed } from "../api/context.js";
import { cursorValues, pagesOf } from "../api/cursors.js";
import { BoardId, MemberId, page, pageInput, Text } from "../api/shapes.js";
import { protectedProcedure } from "../api/trpc.js";
import { isAssigned } from "../card/model/cardMatches.js";
import type { Reads } from "../db/replicas.js";
import { board, boardMember, card, cardText, comment, member, workspace } from "../db/schema/index.js";
import { computed, orNull, type RowOf, selection } from "../db/selections.js";
import { excerptsOf } from "./excerpts.js";
import { ofWorkspace } from "./workspaceShapes.js";

const SearchResult = z
  .object({
    type: z.enum(["board", "card"]),
    publicId: z.string().meta({ description: "The identifier of the board or card." }),
    title: z.string().meta({ description: "The title of the card, or the name of the board." }),
    boardPublicId: z.string(),
    boardName: z.string(),
    cardNumber: z
      .int()
      .min(1)
      .max(2_147_483_647)
      .nullable()
      .meta({ description: "The number of the card in the workspace; null for a board." }),
    excerpt: z.string().nullable().meta({
      description:
        "Up to 160 characters around the first word found in the description or comment, as written; null if the title or name has all words.",
    }),
  })
  .meta({ id: "SearchResult", description: "A board or card that a search found." });

/** From the best to the worst. */
const RANKS = { cardNumber: 0, boardName: 1, cardTitle: 2, cardText: 3, comment: 4 } as const;

const newness = z.int().min(0).max(999_999_999_999_999);
const pagesOfQuery = pagesOf("search", z.tuple([z.int().min(0).max(4), newness, cursorValues.publicId]));

/** A position in the order of results. */
interface Place {
  rank: number;
  /** A card's number, or the creation time of a board in milliseconds: higher is newer. */
  newness: number;
  publicId: string;
}

const resultFields = {
  rank: computed<number>(),
  newness: computed<number>(),
  publicId: computed<string>(),
  title: computed<string>(),
  boardPublicId: computed<string>(),
  boardName: computed<string>(),
  cardNumber: computed<number | null>(),
  /** The description or comment that has the words, as far as an excerpt may need it; null where the title has them. */
  text: computed<string | null>(),
};
const readerInWorkspace = selection(accessFields);
/** The caller's place with what is found, all of which is null where nothing is. */
const resultRow = selection({ ...accessFields, ...orNull(resultFields) });

type ResultRow = RowOf<typeof resultFields>;
const isResult = <Row extends { publicId: string | null }>(row: Row): row is Row & ResultRow => row.publicId !== null;

const typeOf = ({ cardNumber }: { cardNumber: number | null }) => (cardNumber === null ? "board" : "card");

/** The position before all results. */
const START = [-1, 0, ""] as const;

/** The parts of a query that may be the number of a card: `WB-12` in any case, `#12` or `12`. */
function quotedNumber(query: string): { prefix: string | null; number: number | null } {
  const [, prefix, digits] = /^(?:([a-z0-9]{1,10})-|#)?(\d{1,9})$/i.exec(query.trim()) ?? [];
  return { prefix: prefix?.toUpperCase() ?? null, number: digits === undefined ? null : Number(digits) };
}

/** The caller's membership, and a query as tsqueries: for titles, for descriptions or comments, and for both. */
const asked = (ctx: Signed, isAsked: SQL, query: string) => {
  const { prefix, number } = quotedNumber(query);
  return sql`
  reader as materialized (
    select ${readerInWorkspace},
      case when coalesce(${prefix}::text, ${workspace.cardPrefix}) = ${workspace.cardPrefix} then ${number}::int end as number
    from ${workspace} ${callerIn(callerKey(ctx))}
    where ${isAsked}
  ), words as (
    select distinct word from unnest(search_words(${query}::text, '')) word
  ), asked as materialized (
    -- Every word is a prefix, so that one which begins another says nothing. Words hold neither quotes nor backslashes. Without
    -- words there is no tsquery, which matches nothing.
    select string_agg(format('%L:*', own || 't' || word), ' & ')::tsquery as titled,
      string_agg(format('%L:*', own || 'd' || word), ' & ')::tsquery as written,
      string_agg(format('(%L:* | %L:*)', own || 't' || word, own || 'd' || word), ' & ')::tsquery as anywhere
    from words w, (select "workspaceId"::text as own from reader) r
    where not exists (select from words longer where longer.word <> w.word and starts_with(longer.word, w.word))
  )`;
};

/** The parts of a search beside its query and place. */
interface Conditions {
  boardPublicId?: string | undefined;
  memberPublicId?: string | undefined;
  completed?: boolean | undefined;
  comments: boolean;
}

/** Whether cards alone are found. */
const isOfCards = ({ boardPublicId, memberPublicId, completed }: Conditions) =>
  boardPublicId !== undefined || memberPublicId !== undefined || completed !== undefined;

/** Whether a card is assigned and completed as it is asked for. */
const isAskedCard = (workspaceId: number, { memberPublicId, completed }: Conditions) => {
  const ofMember = memberPublicId === undefined ? sql`` : sql`and ${isAssigned(workspaceId, memberPublicId)}`;
  const done = completed === undefined ? sql`` : sql`and (${card.completedAt} is not null) = ${completed}::boolean`;
  return sql`${ofMember} ${done}`;
};

/**
 * The boards that a member sees and the cards on them, but for those archived. The terms name their workspace, so that their index is
 * enough. The workspace is named beside them because tables may be distributed by it; `+ 0` keeps the planner from looking up cards by
 * their boards and working out the terms of each, and the cost of `search_words` from doing so by the workspace alone. The boards are
 * an array because a join asks once for each.
 */
const open = (workspaceId: number, sees: SQL, conditions: Conditions) => {
  const { boardPublicId } = conditions;
  const isAskedBoard = boardPublicId === undefined ? sql`` : sql`and ${board.publicId} = ${boardPublicId}::text`;
  const isOnOpenBoard = sql`${card.boardId} + 0 = any(array(select board_id from open_board))`;
  return sql`
  open_board as materialized (
    select ${board.id} as board_id, ${board.publicId}, ${board.name}
    from reader ${member}
    join ${board} on ${board.workspaceId} = ${workspaceId}::bigint and ${board.archivedAt} is null ${isAskedBoard}
    left join ${boardMember} on ${boardMember.workspaceId} = ${workspaceId}::bigint
      and ${boardMember.boardId} = ${board.id} and ${boardMember.memberId} = ${member}."memberId"
    where ${sees}
  ), board_terms as not materialized (
    select ${board.id} as board_id, (extract(epoch from ${board.createdAt}) * 1000)::bigint as newness, ${board.publicId},
      ${board.name}, search_terms(${board.workspaceId}, ${board.name}, '') as terms
    from ${board}
    where ${board.workspaceId} = ${workspaceId}::bigint and ${board.archivedAt} is null
      and ${board.id} + 0 = any(array(select board_id from open_board))
  ), card_terms as not materialized (
    select ${card.id} as card_id, ${card.boardId}, ${card.cardNumber}, ${card.publicId}, ${card.title}, ${card.description} as text,
      search_terms(${cardText.workspaceId}, ${cardText.title}, ${cardText.description}) as terms
    from ${cardText} join ${card} on ${card.workspaceId} = ${workspaceId}::bigint and ${card.id} = ${cardText.id}
    where ${cardText.workspaceId} = ${workspaceId}::bigint and ${isOnOpenBoard} ${isAskedCard(workspaceId, conditions)}
  ), comment_terms as not materialized (
    select ${card.id} as card_id, ${card.boardId}, ${card.cardNumber}, ${card.publicId}, ${card.title},
      ${comment.id} as comment_id, ${comment.comment} as text,
      search_terms(${comment.workspaceId}, '', ${comment.comment}) as terms
    from ${comment} join ${card} on ${card.workspaceId} = ${workspaceId}::bigint and ${card.id} = ${comment.cardId}
    where ${comment.workspaceId} = ${workspaceId}::bigint and ${card.archivedAt} is null
      and ${isOnOpenBoard} ${isAskedCard(workspaceId, conditions)}
  )`;
};

/** Whether a row of a rank comes after a position; within a rank the newest comes first. */
const isBehind = (place: Place, rank: number, newness: SQL) => sql`
  (${rank}::int > ${place.rank}::int
    or (${rank}::int = ${place.rank}::int and (${newness}, public_id) < (${place.newness}::bigint, ${place.publicId}::text)))`;

/** The newest cards that a tsquery finds, except for the one whose number is the query. */
const cardsOf = (tsquery: SQL, rank: number, place: Place, limit: number) => sql`
  select ${rank}::int as rank, board_id, card_number as newness, public_id, title, card_number,
    ${rank === RANKS.cardText ? sql`text` : sql`null`}::text as text
  from card_terms
  where terms @@ (select ${tsquery} from asked) and card_number is distinct from (select number from reader)
    and ${isBehind(place, rank, sql`card_number`)}
  order by card_number desc limit ${limit}::int`;

/** The newest cards of which a comment has all words, each once with its newest such comment, and which nothing else finds. */
const commented = (place: Place, limit: number) => sql`
  select distinct on (card_number) ${RANKS.comment}::int as rank, board_id, card_number as newness, public_id, title, card_number, text
  from comment_terms
  where terms @@ (select written from asked) and card_number is distinct from (select number from reader)
    and ${isBehind(place, RANKS.comment, sql`card_number`)}
    and card_id not in (select card_id from card_terms where terms @@ (select anywhere from asked))
  order by card_number desc, comment_id desc limit ${limit}::int`;

/** A search of a caller. */
interface Asked {
  query: string;
  conditions: Conditions;
  place: Place;
  limit: number;
}

/** The caller's membership, and results from a position on, best first: further ranks only if those before do not fill the page. */
const resultsFrom = (
  ctx: Signed,
  { workspaceId, isAsked, sees }: Pick<ReplicaAnswer, "workspaceId" | "isAsked" | "sees">,
  { query, conditions, place, limit }: Asked,
) => {
  const boards = sql`
      union all
      select ${RANKS.boardName}::int, board_id, newness, public_id, name, null, null
      from board_terms
      where terms @@ (select titled from asked) and ${isBehind(place, RANKS.boardName, sql`newness`)}`;
  const inComments = sql`, commented as (
      select * from (${commented(place, limit)}) matching
      where (select count(*) from titled) + (select count(*) from described) < ${limit}::int
    )`;
  return sql`
    with ${asked(ctx, isAsked, query)}, ${open(workspaceId, sees, conditions)},
    titled as materialized (${cardsOf(sql`titled`, RANKS.cardTitle, place, limit)}),
    described as materialized (
      select * from (${cardsOf(sql`anywhere && !! titled`, RANKS.cardText, place, limit)}) matching
      where (select count(*) from titled) < ${limit}::int
    )${conditions.comments ? inComments : sql``},
    found as materialized (
      select ${RANKS.cardNumber}::int as rank, ${card.boardId}, ${card.cardNumber} as newness, ${card.publicId}, ${card.title},
        ${card.cardNumber}, null::text as text
      from reader join ${card} on ${card.workspaceId} = ${workspaceId}::bigint and ${card.cardNumber} = reader.number
      where ${card.archivedAt} is null and ${RANKS.cardNumber}::int > ${place.rank}::int ${isAskedCard(workspaceId, conditions)}
      ${isOfCards(conditions) ? sql`` : boards}
      union all select * from titled
      union all select * from described
      ${conditions.comments ? sql`union all select * from commented` : sql``}
    )
    select reader."workspaceId", reader."workspacePublicId", reader."memberId", reader."memberPublicId", reader.role, shown.*
    from reader
    left join (
      select found.rank, found.newness, found.public_id as "publicId", found.title, open_board.public_id as "boardPublicId",
        open_board.name as "boardName", found.card_number as "cardNumber", found.text
      from found join open_board on open_board.board_id = found.board_id
      order by found.rank, found.newness desc, found.public_id desc limit ${limit}::int
    ) shown on true
    order by shown.rank, shown.newness desc, shown."publicId" desc`;
};

/** The results of a search in a workspace, as the caller sees them. The rows may come from a replica. */
async function findIn(ctx: Signed & { replica: Reads }, workspacePublicId: string, search: Asked) {
  const reading = await answerOnReplica(ctx, workspacePublicId);
  const rows = await reading.replica.read(resultRow, resultsFrom(ctx, reading, search));
  reading.authorise(rows[0]);
  return rows.filter(isResult);
}

export const search = {
  search: protectedProcedure
    .meta({
      weight: 16,
      openapi: {
        method: "GET",
        path: "/workspaces/{workspacePublicId}/search",
        tags: ["Search"],
        summary: "Search boards and cards",
        description:
          "Finds boards and cards that contain every word of `query`, in any order. Each word matches the beginning of a word in the text, regardless of case and accents. A word is a run of letters and digits, an emoji, or one Chinese or Japanese character; a query without words finds nothing. The order of the results: the card whose number is the whole query (`WB-12` in any case, `#12` or `12`), boards by name, cards by title, and cards that match only with their description; the newest first. With `comments`, cards of which one comment has all words follow, each once. With `boardPublicId`, `memberPublicId` or `completed`, only cards are found. A letter of Thai, Lao, Khmer or Burmese is a word, too. Archived boards and cards are left out, as are boards that the caller cannot see. Requires `workspace:view`.",
        successDescription: "A page of results, the best first.",
      },
    })
    .input(
      z.strictObject({
        ...ofWorkspace,
        query: Text(1, 200).meta({ description: "The words to look for." }),
        boardPublicId: BoardId.meta({ description: "The board to search in." }).optional(),
        memberPublicId: MemberId.meta({ description: "The member who is assigned." }).optional(),
        completed: z.boolean().meta({ description: "Whether the cards are completed." }).optional(),
        comments: z.boolean().default(false).meta({ description: "Whether to search in comments, too." }),
        ...pageInput,
      }),
    )
    .output(page("SearchResultPage", SearchResult))
    .query(async ({ ctx, input: { workspacePublicId, query, limit, cursor, ...conditions } }) => {
      const pages = pagesOfQuery(workspacePublicId, query, JSON.stringify(conditions));
      const [rank, newness, publicId] = pages.endOf(cursor) ?? START;
      const place = { rank, newness, publicId };
      const rows = await findIn(ctx, workspacePublicId, { query, conditions, place, limit: limit + 1 });
      const { items, nextCursor } = pages.pageOf(rows, limit, (end) => [end.rank, end.newness, end.publicId]);
      const texts = items.map(({ text }) => text);
      const excerpts = await excerptsOf(texts, query);
      return {
        items: items.map(({ text: _, ...row }, at) => ({ type: typeOf(row), ...row, excerpt: excerpts[at] ?? null })),
        nextCursor,
      };
    }),
};
