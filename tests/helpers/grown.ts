// A database with much in it, made by SQL: for tests and benchmarks of what an operation costs among others' data.

import { type SQL, sql } from "drizzle-orm";
import type { Queries } from "../../src/db/client.js";

/** How much to add: boards in workspaces of others, `people` in each, and private boards of others in one that is there. */
export interface Growth {
  workspaces: number;
  people: number;
  /** In each of the workspaces. */
  boards: number;
  cardsABoard: number;
  /** Also puts so many boards, which only admins see, into the workspace with this public identifier. */
  within?: { workspacePublicId: string; boards: number };
}

const LISTS = 10;
const LABELS = 5;
/** Comments and checklist items a card. */
const EACH = 5;

/** A public identifier for the row `n` of a kind that is named by one letter. */
const publicId = (letter: string, n: string) => `'${letter}' || lpad((${n})::text, 11, '0')`;

/** The tables whose rows a workspace numbers; here a sequence does, far from the numbers that are taken. */
const KEYED = [
  ...["member", "invite", "tag", "meeting", "webhook", "webhook_delivery", "board", "list", "label", "card"],
  ...["checklist", "checklist_item", "comment", "notification"],
];

/** The statements in the order of their foreign keys. Everything they make is called `Grown`. */
function statements({ workspaces, people, boards, cardsABoard, within }: Growth): SQL[] {
  const own = within?.workspacePublicId ?? "";
  return [
    `create sequence grown_key start 1000000`,
    ...KEYED.map((table) => `alter table ${table} alter column id set default nextval('grown_key')`),
    `create temporary table grown_board (workspace_id bigint, n bigint generated always as identity)`,
    `insert into workspace (id, public_id, name, slug, card_prefix)
      select 1000000 + n, ${publicId("w", "n")}, 'Grown ' || n, 'grown-' || n, 'GR' from generate_series(1, ${workspaces}) n`,
    `insert into workspace_counter (workspace_id) select id from workspace where slug like 'grown-%'`,
    `insert into account (public_id, name, email)
      select ${publicId("a", "n")}, 'Grown ' || n, 'grown' || n || '@example.org' from generate_series(1, ${workspaces * people}) n`,
    `insert into access_token (public_id, account_id, kind, name, scope, token_hash)
      select ${publicId("t", "id")}, id, 'session', 'Grown', 'write', md5(id::text) from account where name like 'Grown %'`,
    `insert into sign_in_failure (email) select email from account where name like 'Grown %'`,
    `insert into account_link (account_id, kind, token_hash, expires_at)
      select id, 'passwordReset', md5('link' || id), now() + interval '1 hour' from account where name like 'Grown %'`,
    `insert into identity (public_id, account_id, provider_id, issuer, subject)
      select ${publicId("y", "id")}, id, 'grown', 'https://example.org', id::text from account where name like 'Grown %'`,
    `insert into oidc_flow (token_hash, provider_id, redirect_uri, state, nonce, code_verifier, expires_at)
      select md5('flow' || id), 'grown', '', '', '', '', now() + interval '10 minutes' from account where name like 'Grown %'`,
    `insert into two_factor (account_id, secret, confirmed_at) select id, '', now() from account where name like 'Grown %'`,
    `insert into recovery_code (account_id, code_hash) select id, md5(id || '-' || n) from account, generate_series(1, 10) n where name like 'Grown %'`,
    `insert into notification_settings (account_id) select id from account where name like 'Grown %'`,
    `insert into audit_entry (type, actor_id) select 'account.signedIn', id from account, generate_series(1, 5) n where name like 'Grown %'`,
    `insert into mail (public_id, kind, account_id, address, status)
      select ${publicId("z", "id * 10 + n")}, 'notice', id, email, 'sent' from account, generate_series(1, 5) n where name like 'Grown %'`,
    `insert into member (workspace_id, public_id, account_id, role)
      select w.id, ${publicId("m", "a.id")}, a.id, case when a.place % ${people} = 0 then 'admin' else 'member' end
      from (select id, row_number() over (order by id) - 1 as place from account where name like 'Grown %') a
      join (select id, row_number() over (order by id) - 1 as place from workspace where slug like 'grown-%') w
        on w.place = a.place / ${people}`,
    `insert into former_member (workspace_id, account_id) select workspace_id, account_id from member where public_id like 'm0%'`,
    `insert into invite (workspace_id, public_id, code, member_id, expires_at)
      select workspace_id, ${publicId("i", "id")}, lpad(id::text, 24, 'i'), id, now() + interval '7 days' from member where public_id like 'm0%'`,
    ...["tag", "meeting", "webhook"].map(
      (table) => `insert into ${table} (workspace_id, public_id, ${COLUMNS[table]})
        select w.id, ${publicId("g", `w.id * 10 + n`)}, ${VALUES[table]} from workspace w, generate_series(1, 4) n where w.slug like 'grown-%'`,
    ),
    `insert into webhook_delivery (workspace_id, public_id, webhook_id, type, status)
      select workspace_id, ${publicId("d", `id * 100 + n`)}, id, 'webhook.test', 'delivered' from webhook, generate_series(1, 10) n where name = 'Grown'`,
    `insert into idempotency_key (workspace_id, account_id, key, request_hash, answer) select 0, id, 'grown', '', '{}' from account where name like 'Grown %'`,
    `insert into grown_board (workspace_id) select id from workspace, generate_series(1, ${boards}) where slug like 'grown-%'`,
    `insert into grown_board (workspace_id) select id from workspace, generate_series(1, ${within?.boards ?? 0}) where public_id = '${own}'`,
    `insert into board (workspace_id, public_id, name, slug, visibility)
      select workspace_id, ${publicId("b", "n")}, 'Grown ' || n, 'grown-' || n, 'private' from grown_board`,
    `insert into board_member (workspace_id, board_id, member_id)
      select b.workspace_id, b.id, m.id from board b join member m on m.workspace_id = b.workspace_id
      where b.slug like 'grown-%' and m.public_id like 'm0%'`,
    `insert into board_favourite (workspace_id, board_id, account_id)
      select x.workspace_id, x.board_id, m.account_id from board_member x join member m on m.workspace_id = x.workspace_id and m.id = x.member_id
      where m.public_id like 'm0%'`,
    `insert into board_opened (workspace_id, board_id, account_id, opened_at)
      select workspace_id, board_id, account_id, clock_timestamp() from board_favourite`,
    `insert into board_tag (workspace_id, board_id, tag_id)
      select b.workspace_id, b.id, t.id from board b join tag t on t.workspace_id = b.workspace_id where b.slug like 'grown-%'`,
    `insert into list (workspace_id, public_id, board_id, name, position, open_cards)
      select workspace_id, ${publicId("l", `id * 100 + n`)}, id, 'List ' || n, n::bigint << 32, ${Math.floor(cardsABoard / LISTS)}
      from board, generate_series(0, ${LISTS - 1}) n where slug like 'grown-%'`,
    `insert into label (workspace_id, public_id, board_id, name, name_key, colour_code)
      select workspace_id, ${publicId("k", `id * 100 + n`)}, id, 'Label ' || n, 'label ' || n, '#1f6feb'
      from board, generate_series(1, ${LABELS}) n where slug like 'grown-%'`,
    `insert into card (workspace_id, public_id, board_id, list_id, position, card_number, title, description, due_date, items_total,
        items_completed, comment_count, revision)
      select l.workspace_id, ${publicId("c", "row_number() over ()")}, l.board_id, l.id, n::bigint << 32,
        k.card_number + row_number() over (partition by l.workspace_id order by l.id, n), 'Grown card number ' || n,
        'A description of some length, as people write them.', timestamptz '2026-01-01' + n * interval '17 hours', ${EACH}, 0, ${EACH}, 0
      from list l join workspace_counter k on k.workspace_id = l.workspace_id, generate_series(1, ${Math.floor(cardsABoard / LISTS)}) n
      where l.public_id like 'l0%'`,
    `insert into card_text (workspace_id, id, title, description)
      select workspace_id, id, title, description from card where public_id like 'c0%'`,
    `insert into event (workspace_id, seq, type, created_at, board_public_id, card_public_id, data, operation_public_id, origin)
      select c.workspace_id, k.event_seq + row_number() over (partition by c.workspace_id order by c.id), 'card.created', now(),
        b.public_id, c.public_id, '{}', 'grown', 'import'
      from card c join workspace_counter k on k.workspace_id = c.workspace_id
      join board b on b.workspace_id = c.workspace_id and b.id = c.board_id where c.public_id like 'c0%'`,
    `update workspace_counter k set card_number = c.last, event_seq = c.events
      from (select workspace_id, max(card_number) as last,
        (select max(seq) from event e where e.workspace_id = card.workspace_id) as events from card group by 1) c
      where c.workspace_id = k.workspace_id`,
    `insert into card_label (workspace_id, card_id, label_id)
      select c.workspace_id, c.id, b.id from card c join label b on b.workspace_id = c.workspace_id and b.board_id = c.board_id
      where c.public_id like 'c0%' and b.name in ('Label 1', 'Label 2')`,
    `insert into card_member (workspace_id, card_id, member_id)
      select c.workspace_id, c.id, (select min(id) from member m where m.workspace_id = c.workspace_id) from card c where c.public_id like 'c0%'`,
    `insert into reminder (workspace_id, card_id, account_id, due_date)
      select c.workspace_id, c.id, (select min(account_id) from member m where m.workspace_id = c.workspace_id), c.due_date
      from card c where c.public_id like 'c0%'`,
    `insert into checklist (workspace_id, public_id, card_id, name)
      select workspace_id, ${publicId("h", "id")}, id, 'Steps' from card where public_id like 'c0%'`,
    `insert into checklist_item (workspace_id, public_id, checklist_id, title, position)
      select workspace_id, ${publicId("j", `id * 10 + n`)}, id, 'Step ' || n, n::bigint << 32 from checklist, generate_series(1, ${EACH}) n
      where public_id like 'h0%'`,
    `insert into comment (workspace_id, public_id, card_id, author_id, comment)
      select c.workspace_id, ${publicId("o", `c.id * 10 + n`)}, c.id, (select min(account_id) from member m where m.workspace_id = c.workspace_id), 'Comment ' || n
      from card c, generate_series(1, ${EACH}) n where c.public_id like 'c0%'`,
    `insert into notification (workspace_id, public_id, account_id, type)
      select workspace_id, ${publicId("n", `id * 100 + n`)}, account_id, 'mention' from member, generate_series(1, 5) n where public_id like 'm0%'`,
    `insert into notification_counter (account_id, seq) select id, 0 from account where name like 'Grown %'`,
    `update workspace_counter set row_id = nextval('grown_key')`,
    ...KEYED.map((table) => `alter table ${table} alter column id drop default`),
    `drop sequence grown_key`,
    `drop table grown_board`,
    `analyze`,
  ].map((text) => sql.raw(text));
}

const COLUMNS: Record<string, string> = {
  tag: "name, name_key, colour_code",
  meeting: "title",
  webhook: "name, url, events, secret",
};

const VALUES: Record<string, string> = {
  tag: "'Tag ' || n, 'tag ' || n, '#1f6feb'",
  meeting: "'Grown'",
  webhook: "'Grown', 'https://example.org', '[]'::jsonb, ''",
};

/** Adds rows to every table that grows, and has the planner know of them. `db` has one session, or is a transaction. */
export async function grow(db: Queries, growth: Growth): Promise<void> {
  for (const statement of statements(growth)) await db.rows(statement);
}
