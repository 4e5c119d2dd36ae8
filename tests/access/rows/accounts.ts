// Accounts, tokens, notifications, and what belongs to no workspace.

import { unique } from "../../helpers/app.js";
import { everyoneWithToken } from "../contract.js";
import type { Call, Rows, Scene } from "../rows.js";

const somebody = ({ caller, world }: Scene) => (caller.person?.email ? caller.person : world.owner);

/** The same call by another caller of the same kind, who may perish by it. */
const byAnother =
  (input: (scene: Scene) => Record<string, unknown>) =>
  async (scene: Scene): Promise<Call> => {
    const caller = await scene.makers.again(scene.world, scene.kind);
    return { input: input({ ...scene, caller }), by: caller };
  };

const signUp = () => ({
  name: unique("New"),
  email: `${unique("new").replace(" ", ".")}@example.org`,
  password: "correct horse battery",
});

const passwordOf = ({ caller }: Scene) => (caller.person?.email ? { password: caller.person.password } : {});
const newPassword = ({ caller }: Scene) => ({
  currentPassword: caller.person?.password || "none at all",
  newPassword: "another horse battery",
});

async function unread({ makers, world, place, caller }: Scene): Promise<string> {
  return makers.notification(caller.person ?? world.owner, place);
}

export const accountRows: Rows = {
  "user.signUp": {
    at: "POST /auth/sign-up",
    needs: "nothing",
    // Section 2, Accounts: a guest's token makes a full account of it, any other valid token is wrong.
    except: { ...everyoneWithToken("BAD_REQUEST"), "an accountless guest": "OK" },
    input: signUp,
    fresh: byAnother(signUp),
  },
  "user.signIn": {
    at: "POST /auth/sign-in",
    needs: "nothing",
    input: (scene) => ({ email: somebody(scene).email, password: somebody(scene).password }),
  },
  "user.signOut": { at: "POST /auth/sign-out", needs: "any token", input: () => ({}), fresh: byAnother(() => ({})) },
  "user.me": { at: "GET /users/me", needs: "any token", input: () => ({}) },
  "user.update": { at: "PUT /users/me", needs: "a session", input: () => ({ name: unique("Renamed") }) },
  "user.changePassword": {
    at: "PUT /users/me/password",
    needs: "a session",
    // It has none, so that whatever it gives is not the current one.
    except: { "an accountless guest": "BAD_REQUEST" },
    input: newPassword,
    fresh: byAnother(newPassword),
  },
  "user.delete": {
    at: "POST /users/me/delete",
    needs: "a session",
    input: passwordOf,
    fresh: byAnother(passwordOf),
  },
  "user.tokens.list": { at: "GET /tokens", needs: "a session", input: () => ({}) },
  "user.tokens.create": [
    {
      at: "POST /tokens",
      needs: "a session",
      except: { "an accountless guest": "FORBIDDEN" },
      input: () => ({ name: unique("Token"), scope: "write" }),
    },
    {
      case: "bound to the workspace",
      at: "POST /tokens",
      needs: "a session",
      except: {
        "an accountless guest": "FORBIDDEN",
        "a stranger": "FORBIDDEN",
        "a removed member": "FORBIDDEN",
      },
      target: "workspacePublicId",
      input: ({ place }) => ({
        name: unique("Token"),
        scope: "write",
        workspacePublicId: place.ids.workspacePublicId,
      }),
    },
  ],
  "user.tokens.revoke": {
    at: "DELETE /tokens/{tokenPublicId}",
    needs: "a session",
    // It can have none, so that every token is unknown to it.
    except: { "an accountless guest": "NOT_FOUND" },
    input: () => ({ tokenPublicId: "unknownunknown" }),
    fresh: async ({ app, world, caller }) => ({
      input: { tokenPublicId: (await app.make.token(caller.person ?? world.owner)).publicId },
    }),
  },
  "notification.list": { at: "GET /notifications", needs: "any token", input: () => ({}) },
  "notification.unreadCount": { at: "GET /notifications/unread-count", needs: "any token", input: () => ({}) },
  "notification.read": [
    {
      at: "POST /notifications/{notificationPublicId}/read",
      needs: "any token",
      except: { "a token bound elsewhere": "FORBIDDEN" },
      input: ({ caller }) => ({ notificationPublicId: caller.notificationPublicId ?? "unknownunknown" }),
      fresh: async (scene) => ({ input: { notificationPublicId: await unread(scene) } }),
    },
    {
      case: "somebody else's",
      at: "POST /notifications/{notificationPublicId}/read",
      needs: "any token",
      except: everyoneWithToken("FORBIDDEN"),
      input: ({ kind, world }) => {
        const someone = world.callers[kind === "a member" ? "an admin" : "a member"];
        return { notificationPublicId: someone.notificationPublicId };
      },
    },
  ],
  "notification.readAll": {
    at: "POST /notifications/read-all",
    needs: "any token",
    input: () => ({}),
    fresh: async (scene) => {
      await unread(scene);
      return { input: {} };
    },
    // The notification is of the workspace here.
    changes: (kind) => kind !== "a token bound elsewhere",
  },
  "notification.stream": { at: "GET /notifications/stream", needs: "any token", input: () => ({}), stream: true },
  "import.csvPreview": {
    at: "POST /imports/csv/preview",
    needs: "any token",
    // Section 0 of part two, Access.
    except: { "an accountless guest": "FORBIDDEN" },
    input: () => ({ csv: "title\nFirst" }),
    changes: false,
  },
  "import.authorizeUrl": { at: "GET /integration/authorize", needs: "any token", input: () => ({}) },
};
