// The floor's reads: one statement a request, which authorises and answers.

/** The token's account; `$1` is the hash of the token. */
export const TOKEN = `
  from access_token t
  join account a on a.id = t.account_id and a.deleted_at is null
  where t.token_hash = $1 and (t.expires_at is null or t.expires_at > now())`;

const CALLER = `caller as materialized (select a.id ${TOKEN})`;

const SEES = `(m.role = 'admin' or bm.member_id is not null or (m.role = 'member' and b.visibility <> 'private'))`;

/** `$2` is the board. */
const BOARD = `who as materialized (
    select w.id as workspace_id, b.id as board_id, b.public_id, m.id as member_id, m.role, caller.id as account_id,
      exists (select from board_favourite f where (f.workspace_id, f.board_id, f.account_id) = (w.id, b.id, caller.id)) as favourite,
      greatest(
        (select max(seq) from event e where e.workspace_id = w.id and e.board_public_id = b.public_id),
        (select max(seq) from event e where e.workspace_id = w.id and e.board_public_id is null)) as version
    from caller
    join board b on b.public_id = $2
    join workspace w on w.id = b.workspace_id
    join member m on m.workspace_id = w.id and m.account_id = caller.id
    left join board_member bm on bm.workspace_id = w.id and bm.board_id = b.id and bm.member_id = m.id
    where ${SEES}
  )`;

const ROWS = `
  select l.id as list_id, l.public_id as list_public_id, l.name as list_name, c.public_id as card_public_id, c.title,
    c.description, c.card_number, c.due_date, c.due_has_time, c.completed_at, c.priority, c.items_total, c.items_completed, c.comment_count,
    array(select x.label_id from card_label x where x.workspace_id = c.workspace_id and x.card_id = c.id)::text as label_ids,
    array(select x.member_id from card_member x where x.workspace_id = c.workspace_id and x.card_id = c.id)::text as member_ids
  from who
  join list l on l.workspace_id = who.workspace_id and l.board_id = who.board_id
  left join card c on c.workspace_id = l.workspace_id and c.list_id = l.id and c.position is not null
  order by l.position, c.position`;

const HEAD = `
  select who.role, who.member_id, who.version, who.favourite, w.show_emails_to_members,
    json_build_object('publicId', b.public_id, 'name', b.name, 'slug', b.slug, 'visibility', b.visibility, 'isArchived', b.archived_at is not null) as board,
    json_build_object('publicId', w.public_id, 'name', w.name, 'slug', w.slug, 'cardPrefix', w.card_prefix) as workspace,
    (select json_agg(json_build_object('id', l.id, 'publicId', l.public_id, 'name', l.name, 'colourCode', l.colour_code))
      from label l where l.workspace_id = w.id and l.board_id = b.id) as labels,
    (select json_agg(json_build_object('publicId', t.public_id, 'name', t.name, 'colourCode', t.colour_code))
      from board_tag bt join tag t on t.workspace_id = bt.workspace_id and t.id = bt.tag_id
      where bt.workspace_id = w.id and bt.board_id = b.id) as tags,
    (select json_agg(json_build_object('id', p.id, 'publicId', p.public_id, 'name', a.name, 'image', a.image, 'email', coalesce(a.email, p.invited_email),
        'role', p.role, 'isActive', p.account_id is not null, 'isBoardMember', bm.member_id is not null) order by p.id)
      from member p left join account a on a.id = p.account_id
      left join board_member bm on bm.workspace_id = p.workspace_id and bm.board_id = b.id and bm.member_id = p.id
      where p.workspace_id = w.id) as people
  from who join board b on b.workspace_id = who.workspace_id and b.id = who.board_id join workspace w on w.id = who.workspace_id`;

export const READS = {
  permissions: `
    with ${CALLER} select m.role from caller
    join workspace w on w.public_id = $2 join member m on m.workspace_id = w.id and m.account_id = caller.id`,

  /** The head of the board in one row, and a row for each card. */
  board: `with ${CALLER}, ${BOARD}, shown as (${ROWS}), head as (${HEAD}) select * from head full join shown on false`,

  /** The state by which a board in memory is known to be current. */
  boardVersion: `with ${CALLER}, ${BOARD} select role, favourite, version from who`,

  boards: `
    with ${CALLER}
    select w.id as workspace_id, b.public_id, b.name, b.slug, b.visibility, b.archived_at is not null as is_archived,
      exists (select from board_favourite f where (f.workspace_id, f.board_id, f.account_id) = (b.workspace_id, b.id, caller.id)) as is_favourite,
      (select coalesce(sum(l.open_cards), 0)::int from list l where l.workspace_id = b.workspace_id and l.board_id = b.id) as open_cards,
      (select json_agg(json_build_object('publicId', t.public_id, 'name', t.name, 'colourCode', t.colour_code))
        from board_tag bt join tag t on t.workspace_id = bt.workspace_id and t.id = bt.tag_id
        where bt.workspace_id = b.workspace_id and bt.board_id = b.id) as tags
    from caller
    join workspace w on w.public_id = $2
    join member m on m.workspace_id = w.id and m.account_id = caller.id
    join board b on b.workspace_id = w.id and b.archived_at is null
    left join board_member bm on bm.workspace_id = w.id and bm.board_id = b.id and bm.member_id = m.id
    where ${SEES}`,

  /** The cards of the window come first, by their index: left to choose, PostgreSQL joins each with every board. */
  calendar: `
    with ${CALLER}, who as materialized (
      select m.workspace_id, m.id, m.role from caller
      join workspace w on w.public_id = $2 join member m on m.workspace_id = w.id and m.account_id = caller.id
    ), due as materialized (
      select c.* from who
      join card c on c.workspace_id = who.workspace_id and c.archived_at is null and c.due_date >= $3::timestamptz and c.due_date < $4::timestamptz
    )
    select c.public_id as "publicId", c.title, c.card_number as "cardNumber", c.due_date as "dueDate",
      c.completed_at as "completedAt", c.priority, b.public_id as "boardPublicId", b.name as "boardName", l.name as "listName"
    from who as m cross join due c
    join board b on b.workspace_id = c.workspace_id and b.id = c.board_id and b.archived_at is null
    join list l on l.workspace_id = c.workspace_id and l.id = c.list_id
    left join board_member bm on bm.workspace_id = b.workspace_id and bm.board_id = b.id and bm.member_id = m.id
    where ${SEES}
    order by c.due_date, c.card_number`,

  notifications: `
    with ${CALLER}
    select n.public_id as "publicId", n.type, n.created_at as "createdAt", n.read_at as "readAt",
      coalesce(a.name, 'Deleted user') as "actorName", a.image as "actorImage", a.email as "actorEmail",
      m.role, c.public_id as "cardPublicId", c.title, c.card_number as "cardNumber", b.public_id as "boardPublicId",
      w.card_prefix as "cardPrefix", w.public_id as "workspacePublicId", w.name as "workspaceName"
    from caller
    join notification n on n.account_id = caller.id
    join workspace w on w.id = n.workspace_id
    left join member m on m.workspace_id = w.id and m.account_id = caller.id
    left join account a on a.id = n.actor_id
    left join card c on c.workspace_id = n.workspace_id and c.id = n.card_id
    left join board b on b.workspace_id = c.workspace_id and b.id = c.board_id
    order by n.id desc limit $2::int`,

  /** Every word of the query, a prefix each, in a card's title or description, by the index of terms alone; \`$3\` is the query. */
  search: `
    with ${CALLER}, who as materialized (
      select w.id as workspace_id, m.id, m.role, (
        select string_agg(format('(%L:* | %L:*)', w.id || 't' || word, w.id || 'd' || word), ' & ')::tsquery
        from unnest(search_words($3, '')) word) as anywhere
      from caller join workspace w on w.public_id = $2 join member m on m.workspace_id = w.id and m.account_id = caller.id
    ), seen as materialized (
      select b.id, b.public_id, b.name from who as m
      join board b on b.workspace_id = m.workspace_id and b.archived_at is null
      left join board_member bm on bm.workspace_id = b.workspace_id and bm.board_id = b.id and bm.member_id = m.id
      where ${SEES}
    ), found as materialized (
      select c.* from card_text t join card c on c.workspace_id = t.workspace_id and c.id = t.id
      where search_terms(t.workspace_id, t.title, t.description) @@ (select anywhere from who)
        and c.board_id + 0 = any(array(select id from seen))
      order by c.card_number desc limit $4::int
    )
    select c.public_id as "publicId", c.title, b.public_id as "boardPublicId", b.name as "boardName", c.card_number as "cardNumber"
    from found c join seen b on b.id = c.board_id
    order by c.card_number desc`,
} as const;
