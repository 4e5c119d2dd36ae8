// The members of a board: those who see it whatever its visibility (specification 4.7).

import { sql } from "drizzle-orm";
import { z } from "zod";
import { type BoardAccess, boardFor, mustBeOpen, workspaceFor } from "../access/guards.js";
import { may } from "../access/permissions.js";
import { change, type Signed } from "../api/context.js";
import { forbidden, notFound } from "../api/errors.js";
import { Member, Ok, ok, PublicId } from "../api/shapes.js";
import { protectedProcedure } from "../api/trpc.js";
import type { Transaction } from "../db/client.js";
import { boardEvent, type NewEvent, record, workspaceEvent } from "../events/log.js";
import { Email } from "../user/shapes.js";
import { invite, memberAt } from "../workspace/invitations.js";
import { seesEmails, shownMember } from "../workspace/people.js";
import { peopleOn } from "./cardSummaries.js";
import { dropBlindAssignees } from "./visibility.js";

const tags = ["Members"];
const ofBoard = { boardPublicId: PublicId };
const ofMember = { ...ofBoard, memberPublicId: PublicId };

/** Whether the workspace lets members see each other's addresses. */
async function showsEmails(ctx: Signed, { workspaceId }: BoardAccess): Promise<boolean> {
  const [row] = await ctx.db.rows<{ shows: boolean }>(
    sql`select show_emails_to_members as shows from workspace where id = ${workspaceId}::bigint`,
  );
  return row?.shows ?? false;
}

interface MemberOfBoard {
  id: number;
  isBoardMember: boolean;
}

/** A member of the board's workspace, locked, and whether it is one of the board. */
async function memberFor(tx: Signed<Transaction>, board: BoardAccess, publicId: string): Promise<MemberOfBoard> {
  const [member] = await tx.db.rows<MemberOfBoard>(sql`
    select m.id, exists (
      select from board_member bm
      where bm.workspace_id = m.workspace_id and bm.board_id = ${board.boardId}::bigint and bm.member_id = m.id
    ) as "isBoardMember"
    from member m where m.workspace_id = ${board.workspaceId}::bigint and m.public_id = ${publicId}::text
    for key share of m`);
  if (member === undefined) throw notFound();
  return member;
}

/** Puts a member on a board and ends the transaction, after the events that come before it. */
async function addTo(
  tx: Signed<Transaction>,
  board: BoardAccess,
  { memberId, publicId }: { memberId: number; publicId: string },
  before: NewEvent[] = [],
): Promise<void> {
  await record(tx, board, {
    events: [...before, boardEvent(board, "board.member.added", { memberPublicId: publicId })],
    write: () => sql`
      insert into board_member (workspace_id, board_id, member_id)
      select ${board.workspaceId}::bigint, ${board.boardId}::bigint, ${memberId}::bigint from next returning member_id`,
  });
}

export const members = {
  list: protectedProcedure
    .meta({
      openapi: {
        method: "GET",
        path: "/boards/{boardPublicId}/members",
        tags,
        summary: "List board members",
        description:
          "Those who are on the board itself, in the order in which they came to the workspace; more people may see a board of `workspace` visibility. Addresses as the workspace shows them. Whoever sees the board.",
      },
    })
    .input(z.object(ofBoard))
    .output(z.array(Member))
    .query(async ({ ctx, input }) => {
      const board = await boardFor(ctx, input.boardPublicId, "board:view");
      const [people, showEmailsToMembers] = await Promise.all([
        peopleOn(ctx.db, board.workspaceId, board.boardId, []),
        showsEmails(ctx, board),
      ]);
      return people.map((person) => shownMember(person, { ...board, showEmailsToMembers }));
    }),

  add: protectedProcedure
    .meta({
      openapi: {
        method: "POST",
        path: "/boards/{boardPublicId}/members",
        tags,
        summary: "Add a board member",
        description:
          "Puts an active or pending member of the workspace on the board; one who is on it stays. Needs `board:edit`.",
      },
    })
    .input(z.strictObject({ ...ofBoard, memberPublicId: PublicId }))
    .output(z.object({ publicId: z.string() }))
    .mutation(({ ctx, input: { boardPublicId, memberPublicId } }) =>
      change(ctx, async (tx) => {
        const board = await boardFor(tx, boardPublicId, "board:edit");
        const member = await memberFor(tx, board, memberPublicId);
        mustBeOpen(board);
        if (!member.isBoardMember) await addTo(tx, board, { memberId: member.id, publicId: memberPublicId });
        return { publicId: memberPublicId };
      }),
    ),

  invite: protectedProcedure
    .meta({
      openapi: {
        method: "POST",
        path: "/boards/{boardPublicId}/members/invite",
        tags,
        summary: "Invite an email address to a board",
        description:
          "Adds the workspace's member of that address to the board; when there is none, invites the address to the workspace as a guest, and the board waits with the invitation. `invited` is true only when this call issued an invitation; repeating it changes nothing. Adding needs `board:edit`, inviting `member:invite`; who may not invite gets FORBIDDEN for an address it cannot see.",
      },
    })
    .input(z.strictObject({ ...ofBoard, email: Email }))
    .output(z.object({ publicId: z.string(), invited: z.boolean() }))
    .mutation(({ ctx, input: { boardPublicId, email } }) =>
      change(ctx, async (tx) => {
        const workspacePublicId = await workspaceOf(tx, boardPublicId);
        const workspace = await workspaceFor(tx, workspacePublicId, "workspace:view");
        const board = await boardFor(tx, boardPublicId, "board:edit");
        const mayInvite = may(board.role, "member:invite");
        const present = await memberAt(tx, board, email);
        const showEmailsToMembers = await showsEmails(tx, board);
        if (!mayInvite && (present === null || !seesEmails({ ...board, showEmailsToMembers }))) throw forbidden();
        mustBeOpen(board);
        if (present !== null && (present.isActive || present.code !== null || !mayInvite)) {
          const { isBoardMember } = await memberFor(tx, board, present.publicId);
          if (!isBoardMember) await addTo(tx, board, present);
          return { publicId: present.publicId, invited: false };
        }
        const invited = await invite(tx, workspace, email, "guest");
        const event = workspaceEvent("member.invited", { memberPublicId: invited.publicId, role: "guest" });
        const { isBoardMember } = await memberFor(tx, board, invited.publicId);
        if (isBoardMember) await record(tx, board, { events: [event] });
        else await addTo(tx, board, invited, [event]);
        return { publicId: invited.publicId, invited: true };
      }),
    ),

  remove: protectedProcedure
    .meta({
      openapi: {
        method: "DELETE",
        path: "/boards/{boardPublicId}/members/{memberPublicId}",
        tags,
        summary: "Remove a board member",
        description:
          "Takes a member off the board, and off its cards where it does not see the board any longer. Needs `board:edit`, to leave oneself nothing.",
      },
    })
    .input(z.strictObject(ofMember))
    .output(Ok)
    .mutation(({ ctx, input: { boardPublicId, memberPublicId } }) =>
      change(ctx, async (tx) => {
        const board = await boardFor(tx, boardPublicId, "board:view");
        const mayEdit = may(board.role, "board:edit");
        const member = await memberFor(tx, board, memberPublicId).catch((error: unknown) => {
          throw mayEdit ? error : forbidden();
        });
        if (!mayEdit && member.id !== board.memberId) throw forbidden();
        if (!member.isBoardMember) throw notFound();
        mustBeOpen(board);
        await tx.db.rows(sql`
          delete from board_member where workspace_id = ${board.workspaceId}::bigint and board_id = ${board.boardId}::bigint
            and member_id = ${member.id}::bigint`);
        const dropped = await dropBlindAssignees(tx, board);
        await record(tx, board, {
          events: [boardEvent(board, "board.member.removed", { memberPublicId }), ...dropped],
        });
        return ok;
      }),
    ),
};

/** The workspace of a board, for its lock comes before the board's. */
async function workspaceOf(tx: Signed<Transaction>, boardPublicId: string): Promise<string> {
  const [board] = await tx.db.rows<{ publicId: string }>(sql`
    select w.public_id as "publicId" from board b join workspace w on w.id = b.workspace_id
    where b.public_id = ${boardPublicId}::text`);
  if (board === undefined) throw notFound();
  return board.publicId;
}
