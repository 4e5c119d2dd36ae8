// Commands about the accounts of the instance.

import { z } from "zod";
import { LINK_LIFETIMES } from "../../mail/linkLifetimes.js";
import { Email, PersonName } from "../../user/userShapes.js";
import { COMMAND_LINE, listPeople, type PersonChanges, personAt, updatePerson } from "../administeredAccounts.js";
import { createPerson } from "../creating.js";
import { deletePerson } from "../deleting.js";
import { makeResetLink, removeTwoFactor } from "../operatorRecovery.js";
import { columnsOf, plural } from "./columns.js";
import { type CommandContext, operatorCommand } from "./command.js";

const LISTED_AT_ONCE = 100;

const day = (instant: string | null) => instant?.slice(0, 10) ?? "never";

const userList = operatorCommand({
  name: "user list",
  usage: "[--search TEXT]",
  summary: "list the accounts",
  options: { search: { type: "string" } },
  input: z.strictObject({ search: z.string().optional() }),
  async *run({ db }, { search }) {
    let after: string | null = null;
    do {
      const people = await listPeople(db, { search, after, limit: LISTED_AT_ONCE });
      yield* columnsOf(
        people.map(({ email, status, isAdmin, lastSeenAt, workspaceCount, name }) => [
          email ?? "-",
          isAdmin ? `${status}, admin` : status,
          `seen ${day(lastSeenAt)}`,
          plural(workspaceCount, "workspace"),
          name,
        ]),
      );
      after = people.length < LISTED_AT_ONCE ? null : (people.at(-1)?.publicId ?? null);
    } while (after !== null);
  },
});

/** A command that changes the account with an address. */
const changing = (name: string, summary: string, done: string, changes: PersonChanges) =>
  operatorCommand({
    name,
    usage: "EMAIL",
    summary,
    positionals: ["email"],
    input: z.strictObject({ email: Email }),
    async *run({ db }: CommandContext, { email }) {
      await db.transaction(async (tx) => updatePerson(tx, COMMAND_LINE, await personAt(tx, email), changes));
      yield `${email} ${done}`;
    },
  });

const userCreate = operatorCommand({
  name: "user create",
  usage: "EMAIL [--name NAME]",
  summary: "make an account, and print the link that sets its password",
  positionals: ["email"],
  options: { name: { type: "string" } },
  input: z.strictObject({ email: Email, name: PersonName.optional() }),
  async *run({ db, config }, { email, name = email.slice(0, email.indexOf("@")) }) {
    const { setPasswordUrl } = await db.transaction((tx) => createPerson(tx, config, COMMAND_LINE, { name, email }));
    yield setPasswordUrl;
    yield `It works once, for ${LINK_LIFETIMES.firstPassword.text}`;
  },
});

const userDelete = operatorCommand({
  name: "user delete",
  usage: "EMAIL",
  summary: "delete an account, as its owner could",
  positionals: ["email"],
  input: z.strictObject({ email: Email }),
  async *run({ db, config }, { email }) {
    await deletePerson(db, config, email);
    yield `${email} is deleted`;
  },
});

const resetLink = operatorCommand({
  name: "user reset-link",
  usage: "EMAIL",
  summary: "print a link that sets a new password",
  positionals: ["email"],
  input: z.strictObject({ email: Email }),
  async *run({ db, config }, { email }) {
    const { url, expiresAt } = await db.transaction(async (tx) =>
      makeResetLink(tx, config, COMMAND_LINE, await personAt(tx, email)),
    );
    yield url;
    yield `It works once, until ${expiresAt}`;
  },
});

const removeFactor = operatorCommand({
  name: "user remove-two-factor",
  usage: "EMAIL",
  summary: "let an account sign in without its second factor",
  positionals: ["email"],
  input: z.strictObject({ email: Email }),
  async *run({ db, config }, { email }) {
    await db.transaction(async (tx) => removeTwoFactor(tx, config, COMMAND_LINE, await personAt(tx, email)));
    yield `${email} signs in without a second factor`;
  },
});

export const userCommands = [
  userList,
  userCreate,
  resetLink,
  removeFactor,
  changing("user disable", "end the sessions and tokens of an account, and keep it out", "is disabled", {
    disabled: true,
  }),
  changing("user enable", "let a disabled account in again", "may sign in", { disabled: false }),
  userDelete,
  changing("admin grant", "make an account an instance admin", "is an instance admin", { isAdmin: true }),
  changing("admin revoke", "revoke the right of an instance admin", "is not an instance admin", { isAdmin: false }),
];
