// The floor's writes: one statement a request, which authorises, locks, writes and logs. What must read after it has locked is
// a function of the database, whose statements see what came before them.

import { TOKEN } from "./reads.js";

/** Locks one list or card with its board, for somebody who may change cards there. The last parameter is the operation's identifier. */
const MAY = `(m.role = 'admin' or (m.role = 'member' and (bm.member_id is not null or b.visibility <> 'private')))`;

const PLACE = `
  join board b on b.workspace_id = x.workspace_id and b.id = x.board_id and b.archived_at is null
  join workspace w on w.id = b.workspace_id
  join member m on m.workspace_id = w.id and m.account_id = caller.id
  left join board_member bm on bm.workspace_id = w.id and bm.board_id = b.id and bm.member_id = m.id`;

const CALLER = `caller as materialized (select a.id ${TOKEN} and t.scope = 'write')`;

const NEXT = (cards: string) => `
  update workspace_counter k set event_seq = event_seq + 1, card_number = card_number + ${cards}, row_id = row_id + ${cards} from who
  where k.workspace_id = who.workspace_id returning k.event_seq, k.card_number, k.row_id, clock_timestamp()::timestamptz(3) as now`;

const EVENT =
  "workspace_id, seq, type, created_at, actor_id, board_public_id, card_public_id, data, operation_public_id, origin";

/** An instant as the service writes it. */
const INSTANT = (instant: string) => `to_char(${instant} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

export const WRITES = {
  /** Cards that are made at the end lie in the order of their numbers, which only grow: their place needs no reading. */
  create: `
    with ${CALLER}, who as materialized (
      select x.workspace_id, x.board_id, x.id as list_id, x.public_id as list_public_id, x.name as list_name, x.open_cards,
        b.public_id as board_public_id, b.name as board_name, w.public_id as workspace_public_id, w.card_prefix, caller.id as account_id
      from caller join list x on x.public_id = $2 ${PLACE}
      where ${MAY} for share of b for no key update of x
    ), next as (${NEXT("1")}), changed as (
      insert into card (workspace_id, id, public_id, board_id, list_id, position, card_number, title, revision)
      select who.workspace_id, next.row_id, $3, who.board_id, who.list_id, next.card_number * 4294967296, next.card_number, $4, next.event_seq from who, next
      returning workspace_id, id, title, description, card_number
    ), searched as (
      insert into card_text (workspace_id, id, title, description) select workspace_id, id, title, description from changed
    ), counted as (
      update list l set open_cards = l.open_cards + 1 from who, next where l.workspace_id = who.workspace_id and l.id = who.list_id
    ), logged as (
      insert into event (${EVENT})
      select who.workspace_id, next.event_seq, 'card.created', next.now, who.account_id, who.board_public_id, $3,
        jsonb_build_object('card', jsonb_build_object(
          'publicId', $3, 'title', $4::text, 'description', '', 'cardNumber', next.card_number, 'index', who.open_cards,
          'dueDate', null, 'dueHasTime', false, 'completedAt', null, 'archivedAt', null, 'priority', 'none', 'labels', '[]'::jsonb, 'members', '[]'::jsonb,
          'checklists', '[]'::jsonb, 'checklistItems', jsonb_build_object('total', 0, 'completed', 0), 'commentCount', 0,
          'createdAt', ${INSTANT("next.now")}, 'updatedAt', ${INSTANT("next.now")},
          'list', jsonb_build_object('publicId', who.list_public_id, 'name', who.list_name),
          'board', jsonb_build_object('publicId', who.board_public_id, 'name', who.board_name),
          'workspace', jsonb_build_object('publicId', who.workspace_public_id, 'cardPrefix', who.card_prefix))),
        $5, 'user' from who, next
    )
    select card_number from changed`,

  rename: `
    with ${CALLER}, who as materialized (
      select x.workspace_id, x.id as card_id, x.title, b.public_id as board_public_id, caller.id as account_id
      from caller join card x on x.public_id = $2 ${PLACE}
      where ${MAY} for share of b for no key update of x
    ), next as (${NEXT("0")}), changed as (
      update card c set title = $3, revision = next.event_seq, updated_at = now() from who, next
      where c.workspace_id = who.workspace_id and c.id = who.card_id
      returning c.public_id as "publicId", c.title, c.description, c.due_date as "dueDate", c.priority
    ), searched as (
      update card_text t set title = $3 from who where t.workspace_id = who.workspace_id and t.id = who.card_id
    ), logged as (
      insert into event (${EVENT})
      select who.workspace_id, next.event_seq, 'card.updated', next.now, who.account_id, who.board_public_id, $2,
        jsonb_build_object('changes', jsonb_build_object('title', jsonb_build_object('from', who.title, 'to', $3::text))), $4, 'user' from who, next
    )
    select * from changed`,

  move: "select * from floor_move($1, $2, $3, $4::int, $5)",
  bulkMove: "select floor_bulk_move($1, $2::text[], $3, $4) as count",
} as const;

/** Made in the floor's own database before it answers. */
export const FUNCTIONS = [
  `create or replace function floor_move(hash text, card_id text, list_id text, wanted int, operation text)
  returns table ("publicId" text, title text, description text, "dueDate" timestamptz, priority text) language plpgsql as $$
  declare
    account bigint; c record; target record; locked bigint[]; low bigint; high bigint; place bigint; old_list text; old_index int; new_index int; seq bigint;
  begin
    select a.id into account ${TOKEN.replace("$1", "hash")} and t.scope = 'write';
    locked := array(select l.id from list l where l.public_id = list_id or (l.workspace_id, l.id) = (
      select x.workspace_id, x.list_id from card x where x.public_id = card_id) order by l.id for no key update);
    select x.* into c from card x where x.public_id = card_id and x.position is not null for no key update;
    select x.*, b.public_id as board_public_id into target from list x
      cross join (select account as id) caller ${PLACE} where x.public_id = list_id and x.board_id = c.board_id and ${MAY} for share of b;
    if c.id is null or target.id is null then return; end if;
    if c.list_id <> all(locked) then raise serialization_failure using message = 'The card moved meanwhile'; end if;
    select l.public_id into old_list from list l where l.workspace_id = c.workspace_id and l.id = c.list_id;
    select count(*) into old_index from card s where s.workspace_id = c.workspace_id and s.list_id = c.list_id and s.position < c.position;
    new_index := least(wanted, target.open_cards - (c.list_id = target.id)::int);
    if c.list_id <> target.id or old_index <> new_index then
      loop
        low := null;
        if new_index > 0 then
          select s.position into low from card s where s.workspace_id = target.workspace_id and s.list_id = target.id and s.id <> c.id and s.position is not null
            order by s.position offset new_index - 1 limit 1;
        end if;
        select s.position into high from card s where s.workspace_id = target.workspace_id and s.list_id = target.id and s.id <> c.id and s.position is not null
          order by s.position offset new_index limit 1;
        place := coalesce(low + (high - low) / 2, low + 4294967296, high - 4294967296, 0);
        exit when place is distinct from low;
        update card x set position = r.last + r.n * 4294967296 from (
          select s.id, max(s.position) over () as last, row_number() over (order by s.position) as n
          from card s where s.workspace_id = target.workspace_id and s.list_id = target.id and s.position is not null) r
          where x.workspace_id = target.workspace_id and x.id = r.id;
      end loop;
      update workspace_counter k set event_seq = event_seq + 1 where k.workspace_id = c.workspace_id returning event_seq into seq;
      update card x set list_id = target.id, position = place, revision = seq, updated_at = now() where x.workspace_id = c.workspace_id and x.id = c.id;
      if c.list_id <> target.id then
        update list l set open_cards = open_cards + case when l.id = target.id then 1 else -1 end
          where l.workspace_id = c.workspace_id and l.id in (c.list_id, target.id);
      end if;
      insert into event (${EVENT})
        values (c.workspace_id, seq, 'card.moved', clock_timestamp(), account, target.board_public_id, card_id, jsonb_build_object(
          'from', jsonb_build_object('listPublicId', old_list, 'index', old_index),
          'to', jsonb_build_object('listPublicId', list_id, 'index', new_index)), operation, 'user');
    end if;
    return query select c.public_id, c.title, c.description, c.due_date::timestamptz, c.priority;
  end $$`,
  `create or replace function floor_bulk_move(hash text, card_ids text[], list_id text, operation text) returns int language plpgsql as $$
  declare
    account bigint; target record; last bigint; first_seq bigint; n int := cardinality(card_ids);
  begin
    select a.id into account ${TOKEN.replace("$1", "hash")} and t.scope = 'write';
    perform b.id from board b join list l on l.workspace_id = b.workspace_id and l.board_id = b.id where l.public_id = list_id for no key update of b;
    perform l.id from list l where l.public_id = list_id or (l.workspace_id, l.id) in (
      select x.workspace_id, x.list_id from card x where x.public_id = any(card_ids)) order by l.id for no key update;
    select x.*, b.public_id as board_public_id into target from list x
      cross join (select account as id) caller ${PLACE} where x.public_id = list_id and ${MAY} for share of b;
    perform x.id from card x where x.public_id = any(card_ids) and x.workspace_id = target.workspace_id and x.board_id = target.board_id
      and x.position is not null order by x.id for no key update;
    select max(s.position) into last from card s where s.workspace_id = target.workspace_id and s.list_id = target.id;
    create temporary table if not exists moving (id bigint, public_id text, list_id bigint, list_public_id text, old_index int, n int) on commit delete rows;
    insert into moving select r.id, r.public_id, r.list_id, r.list_public_id, r.old_index, w.n
      from (
        select s.id, s.public_id, s.list_id, l.public_id as list_public_id, (row_number() over (partition by s.list_id order by s.position) - 1)::int as old_index
        from card s join list l on l.workspace_id = s.workspace_id and l.id = s.list_id
        where s.workspace_id = target.workspace_id and s.position is not null
          and s.list_id in (select x.list_id from card x where x.public_id = any(card_ids))
      ) r join unnest(card_ids) with ordinality as w(public_id, n) on w.public_id = r.public_id;
    update workspace_counter k set event_seq = event_seq + n where k.workspace_id = target.workspace_id returning event_seq - n into first_seq;
    update card x set list_id = target.id, position = coalesce(last, 0) + m.n * 4294967296, revision = first_seq + m.n, updated_at = now()
      from moving m where x.workspace_id = target.workspace_id and x.id = m.id;
    update list l set open_cards = l.open_cards + d.delta
      from (select id, sum(delta)::int as delta from (
        select m.list_id as id, -1 as delta from moving m union all select target.id, 1 from moving) every group by id) d
      where l.workspace_id = target.workspace_id and l.id = d.id;
    -- Each index is one of the moment, as the cards before it have moved already.
    insert into event (${EVENT})
      select target.workspace_id, first_seq + m.n, 'card.moved', clock_timestamp(), account, target.board_public_id, m.public_id, jsonb_build_object(
        'from', jsonb_build_object('listPublicId', m.list_public_id,
          'index', m.old_index - (select count(*) from moving e where e.n < m.n and e.list_id = m.list_id and e.old_index < m.old_index)),
        'to', jsonb_build_object('listPublicId', floor_bulk_move.list_id,
          'index', target.open_cards + (select count(*) from moving e where e.n < m.n and e.list_id <> target.id) - (m.list_id = target.id)::int)),
        operation, 'user' from moving m;
    return n;
  end $$`,
];
