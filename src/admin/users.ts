// The accounts of the instance, for its admins (capabilities section 4).

import { z } from "zod";
import type { CallContext } from "../api/context.js";
import { cursorValues, pagesOf } from "../api/cursors.js";
import { page, pageInput, Text, UserId } from "../api/shapes.js";
import { adminProcedure } from "../api/trpc.js";
import { LINK_LIFETIMES } from "../mail/linkLifetimes.js";
import { changeAccount } from "../user/accountChanges.js";
import { Email, PersonName } from "../user/userShapes.js";
import { listPeople, type Operator, updatePerson } from "./administeredAccounts.js";
import { AdminUser, CreatedUser, PersonStatus, ResetLink } from "./adminShapes.js";
import { createPerson } from "./creating.js";
import { makeResetLink } from "./operatorRecovery.js";

const tags = ["Administration"];

const operatorOf = ({ user, client }: CallContext): Operator => ({ accountId: user.accountId, client });

const pagesOfUsers = pagesOf("accounts of the instance", z.tuple([cursorValues.publicId]));

export const users = {
  list: adminProcedure
    .meta({
      openapi: {
        method: "GET",
        path: "/admin/users",
        tags,
        summary: "List the accounts",
        description:
          "Lists the accounts of the instance in the order of their creation, without deleted ones. `search` finds accounts whose name or address contains the text, regardless of case. Requires a session of an instance admin.",
        successDescription: "A page of accounts.",
      },
    })
    .input(
      z.strictObject({
        search: Text(1, 255).meta({ description: "A part of a name or an address." }).optional(),
        status: PersonStatus.meta({ description: "Only accounts of this status." }).optional(),
        ...pageInput,
      }),
    )
    .output(page("AdminUserPage", AdminUser))
    .query(async ({ ctx, input: { limit, cursor, ...filter } }) => {
      const pages = pagesOfUsers(filter.search ?? "", filter.status ?? "");
      const [after = null] = pages.endOf(cursor) ?? [];
      const rows = await listPeople(ctx.db, { ...filter, after, limit: limit + 1 });
      return pages.pageOf(rows, limit, ({ publicId }) => [publicId]);
    }),

  create: adminProcedure
    .meta({
      secretAnswer: true,
      fails: ["FORBIDDEN", "NOT_FOUND"],
      openapi: {
        method: "POST",
        path: "/admin/users",
        tags,
        summary: "Create an account for somebody",
        description: `Creates an account without a password, whatever \`SIGN_UP\` says, and returns a link by which its owner sets one. The link works once and for ${LINK_LIFETIMES.firstPassword.text}; no mail is sent. The address counts as unverified. An address that already has an account is BAD_REQUEST. FORBIDDEN if the operator switched passwords off: then people get their accounts by signing in at a provider. Requires a session of an instance admin.`,
        successDescription: "The account was created.",
      },
    })
    .input(z.strictObject({ name: PersonName, email: Email }))
    .output(CreatedUser)
    .mutation(({ ctx, input }) => changeAccount(ctx, (tx) => createPerson(tx.db, ctx.config, operatorOf(ctx), input))),

  resetLink: adminProcedure
    .meta({
      secretAnswer: true,
      fails: ["FORBIDDEN", "NOT_FOUND"],
      openapi: {
        method: "POST",
        path: "/admin/users/{userPublicId}/reset-link",
        tags,
        summary: "Make a password reset link",
        description: `Makes a link that sets a new password for an account: it works once and for ${LINK_LIFETIMES.passwordReset.text}, and a second factor is still asked for. Its owner gets a notice by mail, without the link. BAD_REQUEST for a disabled account and for an accountless guest. FORBIDDEN if the operator switched passwords off. Requires a session of an instance admin.`,
        successDescription: "The link was made.",
      },
    })
    .input(z.strictObject({ userPublicId: UserId }))
    .output(ResetLink)
    .mutation(({ ctx, input: { userPublicId } }) =>
      changeAccount(ctx, (tx) => makeResetLink(tx.db, ctx.config, operatorOf(ctx), userPublicId)),
    ),

  update: adminProcedure
    .meta({
      openapi: {
        method: "PUT",
        path: "/admin/users/{userPublicId}",
        tags,
        summary: "Disable or promote an account",
        description:
          "Disables or enables an account, and makes it an instance admin or not. Disabling ends all sessions, personal tokens and streams of the account at once; its memberships and comments stay. BAD_REQUEST for the last instance admin, and if a guest would become an admin. Requires a session of an instance admin.",
        successDescription: "The account after the update.",
      },
    })
    .input(
      z.strictObject({
        userPublicId: UserId,
        disabled: z.boolean().meta({ description: "Whether the account is disabled." }).optional(),
        isAdmin: z.boolean().meta({ description: "Whether the account is an instance admin." }).optional(),
      }),
    )
    .output(AdminUser)
    .mutation(({ ctx, input: { userPublicId, ...changes } }) =>
      changeAccount(ctx, (tx) => updatePerson(tx.db, operatorOf(ctx), userPublicId, changes)),
    ),
};
