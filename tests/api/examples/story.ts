// The story behind the examples of the document: a small team plans the first programs. It calls every operation once as its
// example; what an example needs is called before it without being kept.

import { CALLBACK, comeBack } from "../../helpers/issuer.js";
import { codeOf } from "../../helpers/recovery.js";
import type { Recording } from "./recording.js";

interface Named {
  publicId: string;
  name: string;
}

interface WholeBoard {
  lists: Named[];
  labels: Named[];
}

interface Preview {
  rows: string[][];
  suggestedMapping: Record<string, number>;
}

/** Who and what the story is about, as the later parts need it. */
interface Stage {
  ada: { token: string };
  max: { token: string };
  workspacePublicId: string;
  boardPublicId: string;
  ideas: string;
  doing: string;
  done: string;
  memberPublicId: string;
}

const ADA = { name: "Ada Lovelace", email: "ada@example.org", password: "correct horse battery" };
const NEW_ADDRESS = "max.planck@example.org";
const MAX = { name: "Max Planck", email: "max@example.org", password: "quantum leap forward" };

/** Finds the secret of a link that a person gets by mail. */
export type TokenOf = (person: { publicId: string }) => Promise<string>;

export async function play(story: Recording, unsubscribeTokenOf: TokenOf): Promise<void> {
  const stage = await settle(story);
  await notifying(story, stage, unsubscribeTokenOf);
  await tokens(story, stage);
  await signingInElsewhere(story, stage);
  await administration(story, stage);
  await boards(story, stage);
  const cards = await planning(story, stage);
  await talking(story, stage, cards.program);
  await manyCards(story, stage, cards);
  await workspace(story, stage);
  await importing(story, stage);
  await parting(story, stage);
}

async function notifying(story: Recording, { max }: Stage, unsubscribeTokenOf: TokenOf): Promise<void> {
  await story.example("user.notificationSettings.get", {}, max);
  const email = { comment: "daily", due: "off" };
  await story.example("user.notificationSettings.update", { timeZone: "Europe/Berlin", digestHour: 7, email }, max);
  const person = await story.call<{ publicId: string }>("user.me", {}, max);
  await story.example("user.unsubscribe", { token: await unsubscribeTokenOf(person) });
}

/** Ada links her account at a provider, signs in by it, and parts with it. */
async function signingInElsewhere(story: Recording, { ada }: Stage): Promise<void> {
  const provider = { providerId: "example" };
  const claims = { sub: "ada", email: ADA.email, email_verified: true };
  const linking = await story.call(
    "user.oidc.start",
    { ...provider, redirectUri: CALLBACK, link: true, currentPassword: ADA.password },
    ada,
  );
  const linked = await comeBack(linking.authorizationUrl ?? "", claims);
  await story.call("user.oidc.finish", { ...provider, flowToken: linking.flowToken, callbackUrl: linked }, ada);
  const { authorizationUrl = "", flowToken } = await story.example("user.oidc.start", {
    ...provider,
    redirectUri: CALLBACK,
  });
  const callbackUrl = await comeBack(authorizationUrl, claims);
  await story.example("user.oidc.finish", { ...provider, flowToken, callbackUrl });
  const [identity] = await story.example<Named[]>("user.oidc.identities", {}, ada);
  await story.example("user.oidc.unlink", { identityPublicId: identity?.publicId }, ada);
}

async function settle(story: Recording): Promise<Stage> {
  const ada = { token: (await story.example("user.signUp", ADA)).accessToken ?? "" };
  const max = { token: (await story.call("user.signUp", MAX)).accessToken ?? "" };
  await story.call("user.requestEmailVerification", {}, ada);
  await story.noted(ada);
  await story.call("user.confirmEmail", { token: await story.mailedToken(ADA.email, "emailVerification") });
  await story.example("user.signIn", { email: ADA.email, password: ADA.password });
  const sessions = await story.example<Named[]>("user.sessions.list", {}, ada);
  await story.example("user.sessions.revoke", { sessionPublicId: sessions[0]?.publicId }, ada);
  await story.example("user.authMethods");
  await story.example("user.session", {}, ada);
  await story.example("user.me", {}, ada);
  await story.example("user.update", { image: "https://example.org/ada.png" }, ada);
  const { publicId: workspacePublicId = "" } = await story.example("workspace.create", { name: "Engines" }, ada);
  const inWorkspace = { workspacePublicId };

  const { inviteLink = "" } = await story.example(
    "workspace.members.invite",
    { ...inWorkspace, email: MAX.email, role: "member" },
    ada,
  );
  const inviteCode = inviteLink.split("/invite/")[1];
  await story.example("workspace.invites.preview", { inviteCode });
  await story.example("workspace.invites.accept", { inviteCode }, max);
  const people = await story.example<Named[]>("workspace.members.list", inWorkspace, ada);
  const memberPublicId = people.find(({ name }) => name === MAX.name)?.publicId ?? "";

  const { publicId: boardPublicId = "" } = await story.example(
    "board.create",
    {
      ...inWorkspace,
      name: "Notes",
      lists: ["Ideas", "Doing", "Done"],
      labels: [{ name: "Mathematics", colourCode: "#1f6feb" }],
    },
    ada,
  );
  const { lists, labels } = await story.call<WholeBoard>("board.get", { boardPublicId }, ada);
  story.introduce({ listPublicId: lists[0]?.publicId, labelPublicId: labels[0]?.publicId });
  const [ideas = "", doing = "", done = ""] = lists.map(({ publicId }) => publicId);
  return { ada, max, workspacePublicId, boardPublicId, ideas, doing, done, memberPublicId };
}

async function administration(story: Recording, { ada }: Stage): Promise<void> {
  await story.grant(ADA.email);
  await story.call("user.signUp", { name: "Eve Moneypenny", email: "eve@example.org", password: "shaken not stirred" });
  const { items } = await story.example<{ items: Named[] }>("admin.users.list", { search: "eve" }, ada);
  const newcomer = { name: "Alan Turing", email: "alan@example.org" };
  const { user } = await story.example<{ user: Named }>("admin.users.create", newcomer, ada);
  await story.example("admin.users.resetLink", { userPublicId: user.publicId }, ada);
  await story.example("admin.users.update", { userPublicId: items[0]?.publicId, disabled: true }, ada);
  await story.example("admin.audit", { limit: 3 }, ada);
  await story.example("admin.status", {}, ada);
}

async function tokens(story: Recording, { ada, workspacePublicId }: Stage): Promise<void> {
  const fields = { name: "Nightly report", scope: "read", workspacePublicId, expiresAt: "2099-12-31T00:00:00.000Z" };
  const { publicId: tokenPublicId } = await story.example("user.tokens.create", fields, ada);
  await story.example("user.tokens.list", {}, ada);
  await story.example("user.tokens.revoke", { tokenPublicId }, ada);
  await story.file("user.export", ada);
}

async function boards(story: Recording, { ada, workspacePublicId, boardPublicId, memberPublicId }: Stage) {
  await story.example("board.lists.create", { boardPublicId, name: "Waiting" }, ada).then(async ({ publicId }) => {
    const listPublicId = publicId;
    await story.example("board.lists.update", { listPublicId, name: "On hold", index: 1 }, ada);
    await story.example("board.lists.delete", { listPublicId }, ada);
  });
  const label = { boardPublicId, name: "Quest", colourCode: "#d73a49" };
  const { publicId: labelPublicId } = await story.example("board.labels.create", label, ada);
  await story.example("board.labels.update", { labelPublicId, name: "Question" }, ada);
  await story.example("board.labels.delete", { labelPublicId }, ada);

  await story.example("board.opened", { boardPublicId }, ada);
  await story.example("user.start", {}, ada);
  await story.example("board.checkSlug", { boardPublicId, boardSlug: "notes" }, ada);
  await story.example("board.members.add", { boardPublicId, memberPublicId }, ada);
  await story.example("board.members.invite", { boardPublicId, email: "gil@example.org" }, ada);
  await story.example("board.members.list", { boardPublicId }, ada);
  await story.example("board.assignable", { boardPublicId }, ada);
  await story.example("board.members.remove", { boardPublicId, memberPublicId }, ada);

  const tag = { workspacePublicId, name: "Research", colourCode: "#6f42c1" };
  const { publicId: tagPublicId } = await story.example("workspace.tags.create", tag, ada);
  await story.example("workspace.tags.update", { workspacePublicId, tagPublicId, colourCode: "#8250df" }, ada);
  await story.example("board.toggleTag", { boardPublicId, tagPublicId }, ada);
  await story.example("workspace.tags.list", { workspacePublicId }, ada);
  const change = { boardPublicId, slug: "lab-notes", visibility: "public", isFavourite: true };
  await story.example("board.update", change, ada);
  await story.example("board.list", { workspacePublicId }, ada);
}

async function planning(story: Recording, { ada, max, boardPublicId, ideas, doing, memberPublicId }: Stage) {
  const { publicId: cardPublicId = "" } = await story.example(
    "card.create",
    {
      title: "Write the first program",
      description: "Bernoulli numbers, by the method of **Note G**.",
      listPublicId: ideas,
      dueDate: "2026-12-01T17:00:00.000Z",
      priority: "medium",
    },
    ada,
  );
  const labels = (await story.call<WholeBoard>("board.get", { boardPublicId }, ada)).labels;
  await story.example("card.toggleLabel", { cardPublicId, labelPublicId: labels[0]?.publicId }, ada);
  await story.example("card.toggleMember", { cardPublicId, memberPublicId }, ada);

  const { publicId: checklistPublicId } = await story.example(
    "card.checklists.create",
    { cardPublicId, name: "Steps" },
    max,
  );
  const { publicId: itemPublicId } = await story.example(
    "card.checklists.addItem",
    { checklistPublicId, title: "Derive the recurrence" },
    max,
  );
  await story.call("card.checklists.addItem", { checklistPublicId, title: "Punch the cards" }, max);
  await story.example("card.checklists.updateItem", { itemPublicId, completed: true }, max);
  await story.example("card.checklists.update", { checklistPublicId, name: "Steps to the table" }, max);
  const move = { cardPublicId, listPublicId: doing, index: 0, priority: "high" };
  await story.example("card.update", move, ada);
  await story.example("card.get", { cardPublicId }, ada);
  await story.example("card.activities", { cardPublicId, limit: 4 }, ada);

  const copy = await story.example("card.duplicate", { cardPublicId, title: "Write the second program" }, ada);
  const passing = await story.call("card.create", { title: "Order more brass", listPublicId: ideas }, ada);
  await story.example("card.archive", { cardPublicId: passing.publicId }, ada);
  await story.example("board.archivedCards", { boardPublicId, limit: 20 }, ada);
  await story.example("card.unarchive", { cardPublicId: passing.publicId }, ada);
  await story.example("card.checklists.deleteItem", { itemPublicId }, ada);
  await story.example("card.checklists.delete", { checklistPublicId }, ada);
  return { program: cardPublicId, copy: copy.publicId ?? "", passing: passing.publicId ?? "" };
}

async function talking(story: Recording, { ada, max, memberPublicId }: Stage, cardPublicId: string): Promise<void> {
  const question = { cardPublicId, comment: `@[Max](${memberPublicId}), does the mill carry over in time?` };
  const { publicId: commentPublicId } = await story.example("card.comments.create", question, ada);
  await story.call(
    "card.comments.create",
    { cardPublicId, comment: "It does.", parentCommentPublicId: commentPublicId },
    max,
  );
  const edit = { cardPublicId, commentPublicId, comment: `@[Max](${memberPublicId}), does the mill carry in time?` };
  await story.example("card.comments.update", edit, ada);
  await story.example("card.comments.list", { cardPublicId }, ada);
  await story.example("notification.unreadCount", {}, max);
  const [firstNotification] = await story.example<Named[]>("notification.list", { limit: 10 }, max);
  await story.example("notification.read", { notificationPublicId: firstNotification?.publicId }, max);
  await story.example("notification.readAll", {}, ada);
  await story.stream("notification.stream", {}, max, "mention", "0");
  await story.example("card.comments.delete", { cardPublicId, commentPublicId }, ada);
}

async function manyCards(
  story: Recording,
  { ada, boardPublicId, done }: Stage,
  { program, copy, passing }: Record<"program" | "copy" | "passing", string>,
): Promise<void> {
  const dueDate = "2026-12-18T17:00:00.000Z";
  await story.example("card.bulk.update", { cardPublicIds: [program, copy], dueDate, priority: "urgent" }, ada);
  await story.example("card.bulk.move", { cardPublicIds: [copy, passing], listPublicId: done, index: 0 }, ada);
  await story.example("board.get", { boardPublicId }, ada);
  await story.example("board.getPublic", { boardPublicId });
  await story.stream("board.stream", { boardPublicId }, ada, "card.label.added", "0");
  await story.stream("user.stream", { boards: `${boardPublicId}:0`, notifications: true }, ada, "card.label.added");
  await story.example("card.bulk.archive", { cardPublicIds: [copy, passing] }, ada);
  await story.example("card.bulk.delete", { cardPublicIds: [copy] }, ada);
  await story.example("card.delete", { cardPublicId: passing }, ada);
}

async function workspace(story: Recording, { ada, max, workspacePublicId, memberPublicId }: Stage): Promise<void> {
  const inWorkspace = { workspacePublicId };
  await story.example("workspace.list", {}, ada);
  await story.example("workspace.checkSlug", { ...inWorkspace, workspaceSlug: "analytical-engines" }, ada);
  const fields = { name: "Analytical Engines", slug: "analytical-engines", weekStartDay: 1, cardPrefix: "ENG" };
  await story.example("workspace.update", { ...inWorkspace, ...fields }, ada);
  await story.example("workspace.get", inWorkspace, ada);
  await story.example("workspace.permissions", inWorkspace, max);
  await story.example("workspace.events", { ...inWorkspace, after: 20, limit: 3 }, ada);
  await story.example("workspace.search", { ...inWorkspace, query: "program" }, ada);
  await story.example("workspace.calendar", { ...inWorkspace, view: "month", anchor: "2026-12-01" }, ada);

  const meeting = {
    title: "Weekly",
    scheduledAt: "2026-12-01T10:00:00.000Z",
    description: "What runs, what grinds, what is next.",
    callLink: "https://meet.example.org/engines",
    recurrence: "weekly",
  };
  const { publicId: meetingPublicId } = await story.example(
    "workspace.meetings.save",
    { ...inWorkspace, ...meeting },
    ada,
  );
  await story.example("workspace.meetings.list", { ...inWorkspace, from: "2026-12-01", to: "2026-12-16" }, ada);
  await story.example("workspace.meetings.delete", { ...inWorkspace, meetingPublicId }, ada);

  await story.example("workspace.invites.create", inWorkspace, ada);
  await story.example("workspace.invites.get", inWorkspace, ada);
  await story.example("workspace.invites.revoke", inWorkspace, ada);
  await story.example("workspace.members.setRole", { ...inWorkspace, memberPublicId, role: "admin" }, ada);

  const hook = { name: "Chat", url: story.receiver, events: ["card.*", "comment.created"] };
  const { publicId: webhookPublicId } = await story.example(
    "workspace.webhooks.create",
    { ...inWorkspace, ...hook },
    ada,
  );
  await story.example("workspace.webhooks.list", inWorkspace, ada);
  await delivering(story, ada, { workspacePublicId, webhookPublicId });
  await story.example("workspace.webhooks.update", { ...inWorkspace, webhookPublicId, active: false }, ada);
  await story.example("workspace.webhooks.delete", { ...inWorkspace, webhookPublicId }, ada);
}

/** As much of a board as Trello's own export has of it. */
const TRELLO = {
  name: "Voyages",
  lists: [{ id: "5f0000000000000000000001", name: "Charted", closed: false, pos: 1 }],
  cards: [
    {
      id: "5f0000000000000000000002",
      idList: "5f0000000000000000000001",
      name: "Round the Cape",
      desc: "With the trade wind.",
      closed: false,
      pos: 1,
    },
  ],
};

async function delivering(story: Recording, ada: Stage["ada"], hook: Record<string, unknown>): Promise<void> {
  if (!story.knows("workspace.webhooks.test")) return;
  const delivery = await story.example("workspace.webhooks.test", hook, ada);
  const deliveryPublicId = delivery.publicId;
  await story.example("workspace.webhooks.deliveries", hook, ada);
  await story.example("workspace.webhooks.redeliver", { ...hook, deliveryPublicId }, ada);
  await story.example("workspace.webhooks.rotateSecret", hook, ada);
}

const CSV = `Title,List,Labels,Due date
Balance the columns,Ideas,Mathematics,2026-12-04
Oil the mill,Doing,"Brass, Steam",
`;

async function importing(story: Recording, { ada, workspacePublicId }: Stage): Promise<void> {
  const { rows, suggestedMapping } = await story.example<Preview>("import.csvPreview", { csv: CSV }, ada);
  const file = { workspacePublicId, boardName: "Workshop", rows, mapping: suggestedMapping };
  const { boardPublicId } = await story.example("import.csv", file, ada);
  const board = await story.example("board.export", { boardPublicId }, ada);
  await story.example("import.board", { workspacePublicId, board, dryRun: true }, ada);
  if (story.knows("import.trello")) await story.example("import.trello", { workspacePublicId, board: TRELLO }, ada);
  await story.example("import.authorizeUrl", { provider: "trello" }, ada);
}

async function parting(story: Recording, stage: Stage): Promise<void> {
  const { ada, max, workspacePublicId, boardPublicId, memberPublicId } = stage;
  const copy = await story.example("board.duplicate", { boardPublicId, name: "Notes of next year" }, ada);
  await story.example("board.archive", { boardPublicId }, ada);
  await story.example("board.unarchive", { boardPublicId }, ada);
  await story.example("board.delete", { boardPublicId: copy.publicId }, ada);
  const [tag] = await story.call<Named[]>("workspace.tags.list", { workspacePublicId }, ada);
  await story.example("workspace.tags.delete", { workspacePublicId, tagPublicId: tag?.publicId }, ada);
  await story.example("workspace.members.remove", { workspacePublicId, memberPublicId }, ada);
  await story.example("workspace.delete", { workspacePublicId }, ada);
  const { password } = MAX;
  await story.example("user.changePassword", { currentPassword: password, newPassword: "quanta in good order" }, max);
  await recovering(story, max);
  await story.example("user.signOut", {}, max);
  // The last instance admin cannot close its account.
  await story.grant(NEW_ADDRESS);
  const again = await story.call("user.signIn", { email: ADA.email, password: ADA.password });
  await story.example("user.delete", { password: ADA.password }, { token: again.accessToken ?? "" });
}

/** Max changes his address, secures his account, and forgets his password. */
async function recovering(story: Recording, max: { token: string }): Promise<void> {
  const currentPassword = "quanta in good order";
  await story.example("user.requestEmailVerification", {}, max);
  await story.example("user.changeEmail", { email: NEW_ADDRESS, currentPassword }, max);
  await story.example("user.confirmEmail", { token: await story.mailedToken(NEW_ADDRESS, "emailChange") });
  const { secret = "" } = await story.example("user.twoFactor.begin", { currentPassword }, max);
  await story.example("user.twoFactor.confirm", { code: codeOf(secret) }, max);
  const made = await story.example<{ recoveryCodes: string[] }>(
    "user.twoFactor.recoveryCodes",
    { code: codeOf(secret, 1) },
    max,
  );
  const [code] = made.recoveryCodes;
  await story.example("user.twoFactor.disable", { currentPassword, code }, max);
  const { email } = ADA;
  await story.example("user.requestPasswordReset", { email });
  const token = await story.mailedToken(email, "passwordReset");
  await story.example("user.resetPassword", { token, password: ADA.password });
}
