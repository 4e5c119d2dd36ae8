// The members of a board: those who see it whatever its visibility (specification 4.7).

import { and, eq, sql } from "drizzle-orm";
import { z } from "zod";
import { type BoardAccess, boardFor, mustBeOpen } from "../access/guards.js";
import { may } from "../access/permissions.js";
import { seesEmails, shownMember } from "../access/shownPeople.js";
import { change, type Tx } from "../api/change.js";
import type { Signed } from "../api/context.js";
import { forbidden, notFound } from "../api/errors.js";
import { Member, MemberId, Ok, ok } from "../api/shapes.js";
import { protectedProcedure } from "../api/trpc.js";
import { assignablePeopleOn, peopleOn } from "../card/model/cardSummaries.js";
import { dropUnseeingAssignees } from "../card/model/lostAssignments.js";
import { boardMember, member, workspace } from "../db/schema/index.js";
import { boardEvent, loggedMember } from "../events/log.js";
import { Email } from "../user/userShapes.js";
import { type Addressed, invite, logInvited, memberAt } from "../workspace/invitations.js";
import { MAILED, mailInvitation } from "../workspace/invitingByMail.js";
import { ofBoard } from "./boardShapes.js";

const tags = ["Members"];
const AddedMember = z
  .object({ publicId: z.string().meta({ description: "The identifier of the member." }) })
  .meta({ id: "AddedMember", description: "The member that was added." });

const InvitedToBoard = z
  .object({
    publicId: z.string().meta({ description: "The identifier of the member." }),
    invited: z.boolean().meta({ description: "Whether this call created an invitation." }),
    mailed: z.boolean().meta({ description: MAILED }),
  })
  .meta({ id: "InvitedToBoard", description: "The member that an address belongs to." });

const ofMember = { ...ofBoard, memberPublicId: MemberId };

/** Whether the workspace lets members see each other's addresses. */
async function showsEmails(ctx: Signed, { workspaceId }: BoardAccess): Promise<boolean> {
  const [row] = await ctx.db
    .select({ shows: workspace.showEmailsToMembers })
    .from(workspace)
    .where(eq(workspace.id, workspaceId));
  return row?.shows ?? false;
}

async function isBoardMember({ db, workspaceId }: Tx, { boardId }: BoardAccess, memberId: number): Promise<boolean> {
  const isIt = and(eq(boardMember.boardId, boardId), eq(boardMember.memberId, memberId));
  return (await db.$count(boardMember, and(eq(boardMember.workspaceId, workspaceId), isIt))) > 0;
}

/** People as the caller on a board sees them. */
async function shownTo(ctx: Signed, board: BoardAccess, people: Promise<Parameters<typeof shownMember>[0][]>) {
  const [rows, showEmailsToMembers] = await Promise.all([people, showsEmails(ctx, board)]);
  return rows.map((person) => shownMember(person, { ...board, showEmailsToMembers }));
}

/** A member of the board's workspace, and whether it is one of the board. */
async function memberFor(tx: Tx, board: BoardAccess, publicId: string) {
  const [person] = await tx.db
    .select({
      memberId: member.id,
      publicId: member.publicId,
      role: member.role,
      isActive: sql<boolean>`${member.accountId} is not null`,
    })
    .from(member)
    .where(and(eq(member.workspaceId, tx.workspaceId), eq(member.publicId, publicId)));
  if (person === undefined) throw notFound();
  return { ...person, isBoardMember: await isBoardMember(tx, board, person.memberId) };
}

/** Puts a member on a board. */
function addTo(tx: Tx, board: BoardAccess, person: Omit<Addressed, "code">): void {
  tx.add(boardMember, { boardId: board.boardId, memberId: person.memberId });
  const data = { memberPublicId: person.publicId, member: loggedMember(person) };
  tx.log(boardEvent(board, "board.member.added", data));
}

export const assigning = {
  assignable: protectedProcedure
    .meta({
      openapi: {
        method: "GET",
        path: "/boards/{boardPublicId}/assignable",
        tags,
        summary: "List assignable members",
        description:
          "Lists the active members of the workspace who can see the board, and so can be assigned and mentioned there, in the order in which they joined. A guest gets those who belong to the board. `email` follows the settings of the workspace. Requires `board:view`.",
        successDescription: "The members.",
      },
    })
    .input(z.strictObject(ofBoard))
    .output(z.array(Member))
    .query(async ({ ctx, input }) => {
      const board = await boardFor(ctx, input.boardPublicId, "board:view");
      return shownTo(ctx, board, assignablePeopleOn(ctx.db, board));
    }),
};

export const members = {
  list: protectedProcedure
    .meta({
      openapi: {
        method: "GET",
        path: "/boards/{boardPublicId}/members",
        tags,
        summary: "List board members",
        description:
          "Lists the members of the board, in the order in which they joined the workspace. More people can see a board with the visibility `workspace`. `email` follows the settings of the workspace. Requires `board:view`.",
        successDescription: "The members of the board.",
      },
    })
    .input(z.strictObject(ofBoard))
    .output(z.array(Member))
    .query(async ({ ctx, input }) => {
      const board = await boardFor(ctx, input.boardPublicId, "board:view");
      return shownTo(ctx, board, peopleOn(ctx.db, board, []));
    }),

  add: protectedProcedure
    .meta({
      openapi: {
        method: "POST",
        path: "/boards/{boardPublicId}/members",
        tags,
        summary: "Add a board member",
        description:
          "Adds an active or invited member of the workspace to the board. Adding a member of the board again changes nothing. Requires `board:edit`.",
        successDescription: "The member belongs to the board.",
      },
    })
    .input(z.strictObject(ofMember))
    .output(AddedMember)
    .mutation(({ ctx, input: { boardPublicId, memberPublicId } }) =>
      change(ctx, boardPublicId, boardFor, "board:edit", async (tx, board) => {
        const person = await memberFor(tx, board, memberPublicId);
        mustBeOpen(board);
        if (!person.isBoardMember) addTo(tx, board, person);
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
          "Adds the workspace member who has the address to the board. If there is none, invites the address to the workspace as a guest, who can see the board after accepting. `invited` is true only if this call created an invitation; repeating the call changes nothing. Requires `board:edit`, and `member:invite` to invite. A caller without `member:invite` gets FORBIDDEN for an address that it may not see.",
        successDescription: "The address belongs to a member of the board, who may still have to accept.",
      },
    })
    .input(z.strictObject({ ...ofBoard, email: Email }))
    .output(InvitedToBoard)
    .mutation(({ ctx, input: { boardPublicId, email } }) =>
      change(ctx, boardPublicId, boardFor, "board:edit", async (tx, board) => {
        const mayInvite = may(board.role, "member:invite");
        const present = await memberAt(tx, board, email);
        const isCaller = present?.publicId === board.memberPublicId;
        const showEmailsToMembers = await showsEmails(tx, board);
        const seesAddress = isCaller || (present !== null && seesEmails({ ...board, showEmailsToMembers }));
        if (!mayInvite && !seesAddress) throw forbidden();
        mustBeOpen(board);
        const isThere = present !== null && (await isBoardMember(tx, board, present.memberId));
        if (present !== null && (present.isActive || present.code !== null || !mayInvite)) {
          if (!isThere) addTo(tx, board, present);
          return { publicId: present.publicId, invited: false, mailed: false };
        }
        const invited = await invite(tx, board, email, "guest");
        await logInvited(tx, invited);
        if (!isThere) addTo(tx, board, invited);
        const mailed = await mailInvitation(tx, { email, code: invited.code });
        return { publicId: invited.publicId, invited: true, mailed };
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
          "Removes a member from the board. A member who can no longer see the board is removed from its cards as well. Requires `board:edit`. Leaving a board yourself requires no permission.",
        successDescription: "The member was removed from the board.",
      },
    })
    .input(z.strictObject(ofMember))
    .output(Ok)
    .mutation(({ ctx, input: { boardPublicId, memberPublicId } }) =>
      change(ctx, boardPublicId, boardFor, "board:view", async (tx, board) => {
        if (!may(board.role, "board:edit") && memberPublicId !== board.memberPublicId) throw forbidden();
        const { memberId, isBoardMember } = await memberFor(tx, board, memberPublicId);
        if (!isBoardMember) throw notFound();
        mustBeOpen(board);
        tx.remove(boardMember, { boardId: board.boardId, memberId });
        // First, because nothing that somebody does is logged after the event that removes them.
        await dropUnseeingAssignees(tx, board);
        tx.log(boardEvent(board, "board.member.removed", { memberPublicId }));
        return ok;
      }),
    ),
};
