// The API's table of contents: every resource, mounted where third parties find it (contract section 3).

import { auditLog } from "./admin/audit.js";
import { status } from "./admin/status.js";
import { users } from "./admin/users.js";
import { router } from "./api/trpc.js";
import { archiving } from "./board/archiving.js";
import { boards } from "./board/boards.js";
import { exporting } from "./board/exporting.js";
import { firstLoad } from "./board/firstLoad.js";
import { labels } from "./board/labels.js";
import { lists } from "./board/lists.js";
import { assigning, members as boardMembers } from "./board/members.js";
import { pageStreams } from "./board/pageStreams.js";
import { streams as boardStreams } from "./board/streams.js";
import { tagging } from "./board/tagging.js";
import { activities } from "./card/activities.js";
import { attaching } from "./card/attaching.js";
import { bulk } from "./card/bulk.js";
import { cards } from "./card/cards.js";
import { checklists } from "./card/checklists.js";
import { comments } from "./card/comments.js";
import { integrations } from "./import/authorize.js";
import { csvImports } from "./import/csv/csv.js";
import { boardFiles } from "./import/files/boardFile.js";
import { trelloImports } from "./import/trello/trello.js";
import { notifications } from "./notification/notifications.js";
import { streams as notificationStreams } from "./notification/streams.js";
import { exporting as personalExports } from "./personalData/exporting.js";
import { accounts } from "./user/accounts.js";
import { addresses } from "./user/addresses.js";
import { notificationSettings, unsubscribing } from "./user/notificationSettings.js";
import { identities } from "./user/oidc/identities.js";
import { signIns } from "./user/oidc/signIn.js";
import { passwordReset } from "./user/passwordReset.js";
import { sessions } from "./user/sessions.js";
import { signInMethods } from "./user/signInMethods.js";
import { tokens } from "./user/tokens.js";
import { twoFactor } from "./user/twoFactor.js";
import { deliveries } from "./webhook/deliveries.js";
import { webhooks } from "./webhook/webhooks.js";
import { calendars } from "./workspace/calendar.js";
import { events } from "./workspace/events.js";
import { invites } from "./workspace/invites.js";
import { meetings } from "./workspace/meetings.js";
import { members } from "./workspace/members.js";
import { search } from "./workspace/search.js";
import { tags } from "./workspace/tags.js";
import { workspaces } from "./workspace/workspaces.js";

export const appRouter = router({
  user: router({
    ...signInMethods,
    ...accounts,
    ...firstLoad,
    oidc: router({ ...signIns, ...identities }),
    ...passwordReset,
    ...addresses,
    twoFactor: router(twoFactor),
    sessions: router(sessions),
    tokens: router(tokens),
    ...unsubscribing,
    ...pageStreams,
    ...personalExports,
    notificationSettings: router(notificationSettings),
  }),
  workspace: router({
    ...workspaces,
    ...search,
    ...events,
    members: router(members),
    invites: router(invites),
    webhooks: router({ ...webhooks, ...deliveries }),
    tags: router(tags),
    meetings: router(meetings),
    ...calendars,
  }),
  board: router({
    ...boards,
    ...boardStreams,
    members: router(boardMembers),
    ...assigning,
    ...archiving,
    ...tagging,
    ...exporting,
    lists: router(lists),
    labels: router(labels),
  }),
  card: router({
    ...cards,
    ...attaching,
    ...activities,
    bulk: router(bulk),
    checklists: router(checklists),
    comments: router(comments),
  }),
  notification: router({ ...notifications, ...notificationStreams }),
  admin: router({ users: router(users), ...auditLog, ...status }),
  import: router({ ...csvImports, ...trelloImports, ...boardFiles, ...integrations }),
});

/** The type that the TypeScript client is made of. */
export type AppRouter = typeof appRouter;
