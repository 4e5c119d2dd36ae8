// Commands about the workspaces of the instance.

import { z } from "zod";
import { Email } from "../../user/userShapes.js";
import { type AdminWorkspace, grantWorkspaceAdmin, listWorkspaces } from "../workspaces.js";
import { columnsOf, plural } from "./columns.js";
import { operatorCommand } from "./command.js";

const LISTED_AT_ONCE = 100;

const workspaceList = operatorCommand({
  name: "workspace list",
  usage: "",
  summary: "list the workspaces, oldest first",
  input: z.strictObject({}),
  async *run({ db }) {
    let after: AdminWorkspace | null = null;
    do {
      const page: AdminWorkspace[] = await listWorkspaces(db, { after, limit: LISTED_AT_ONCE });
      yield* columnsOf(
        page.map(({ publicId, createdAt, members, admins, name }) => [
          publicId,
          `made ${createdAt.slice(0, 10)}`,
          plural(members, "member"),
          admins === 0 ? "no admin who can sign in" : plural(admins, "admin"),
          name,
        ]),
      );
      after = page.length < LISTED_AT_ONCE ? null : (page.at(-1) ?? null);
    } while (after !== null);
  },
});

const grantAdmin = operatorCommand({
  name: "workspace grant-admin",
  usage: "WORKSPACE EMAIL",
  summary: "make an account an admin of the workspace with this identifier",
  positionals: ["workspacePublicId", "email"],
  input: z.strictObject({ workspacePublicId: z.string(), email: Email }),
  async *run({ db, config }, input) {
    await grantWorkspaceAdmin(db, config, input);
    yield `${input.email} is an admin of the workspace ${input.workspacePublicId}`;
  },
});

export const workspaceCommands = [workspaceList, grantAdmin];
