// Accounts, tokens, notifications, and what belongs to no workspace.

import { randomInt } from "node:crypto";
import { sql } from "drizzle-orm";
import { newPublicId } from "../../../src/db/ids.js";
import type { LinkKind } from "../../../src/user/accountLinks.js";
import { ok, unique } from "../../helpers/app.js";
import { CALLBACK, comeBack } from "../../helpers/issuer.js";
import { codeOf, linkFor, switchOn } from "../../helpers/recovery.js";
import { unsubscribeToken } from "../../helpers/unsubscribing.js";
import { everyoneWithToken } from "../contract.js";
import type { Call, Rows, Scene } from "../rows.js";

const somebody = ({ caller, world }: Scene) => (caller.person?.email ? caller.person : world.owner);

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

async function byUnverified({ app, makers, world, kind }: Scene): Promise<Call> {
  const by = await makers.again(world, kind);
  if (by.person !== null)
    await app.db.rows(sql`update account set email_verified_at = null where public_id = ${by.person.publicId}::text`);
  return { input: {}, by };
}

async function arrival(scene: Scene): Promise<Call> {
  const { app, makers, world, kind } = scene;
  const by = await makers.again(world, kind);
  const start = await app.anonymous.post<{ authorizationUrl: string; flowToken: string }>("/auth/oidc/example/start", {
    redirectUri: CALLBACK,
  });
  const { authorizationUrl, flowToken } = ok(start);
  const { email } = signUp();
  const callbackUrl = await comeBack(authorizationUrl, { sub: unique("subject"), email });
  return { input: { providerId: "example", flowToken, callbackUrl }, by, reveals: email };
}

async function linked({ app, world, caller }: Scene): Promise<Call> {
  const person = caller.person ?? world.owner;
  const identityPublicId = newPublicId();
  await app.db.rows(sql`
    insert into identity (public_id, account_id, provider_id, issuer, subject, created_at)
    select ${identityPublicId}::text, id, 'example', 'https://id.example.org', ${identityPublicId}::text, now()
    from account where public_id = ${person.publicId}::text`);
  return { input: { identityPublicId } };
}

const noGuests = { "an accountless guest": "FORBIDDEN" } as const;
const A_CODE = { code: "123456" };

const byLink =
  (kind: LinkKind, fields: Record<string, unknown>) =>
  async (scene: Scene): Promise<Call> => {
    const { db, make } = scene.app;
    const person = await make.user();
    return { input: { ...fields, token: await linkFor(db, person, kind, person.email) }, reveals: person.email };
  };

/** A call of somebody like the caller who has two-factor authentication, with one of their recovery codes. */
async function byCode(scene: Scene, also: Record<string, unknown> = {}): Promise<Call> {
  const caller = await scene.makers.again(scene.world, scene.kind);
  if (caller.person === null) throw new Error("Whoever has two-factor authentication has an account");
  const { recoveryCodes } = await switchOn(scene.app, caller.person);
  return { input: { ...also, code: recoveryCodes[0] }, by: caller.person };
}

export const accountRows: Rows = {
  "user.authMethods": { at: "GET /auth/methods", needs: "nothing", input: () => ({}) },
  "user.start": { at: "GET /users/me/start", needs: "any token", input: () => ({}) },
  "user.session": { at: "GET /auth/session", needs: "nothing", input: () => ({}) },
  "user.requestPasswordReset": {
    at: "POST /auth/password-reset",
    needs: "nothing",
    input: () => ({ email: signUp().email }),
  },
  "user.resetPassword": {
    at: "POST /auth/password-reset/confirm",
    needs: "nothing",
    input: () => ({ token: "unknown", password: "another horse battery" }),
    fresh: byLink("passwordReset", { password: "another horse battery" }),
  },
  "user.requestEmailVerification": {
    at: "POST /users/me/email/verify",
    needs: "a session",
    except: noGuests,
    input: () => ({}),
    fresh: byUnverified,
  },
  "user.confirmEmail": {
    at: "POST /auth/email/confirm",
    needs: "nothing",
    input: () => ({ token: "unknown" }),
    fresh: byLink("emailVerification", {}),
  },
  "user.changeEmail": {
    at: "PUT /users/me/email",
    needs: "a session",
    except: noGuests,
    input: () => ({ email: signUp().email, currentPassword: "correct horse battery" }),
    fresh: byAnother(() => ({ email: signUp().email, currentPassword: "correct horse battery" })),
  },
  "user.twoFactor.begin": {
    at: "POST /users/me/two-factor",
    needs: "a session",
    except: noGuests,
    input: () => ({ currentPassword: "correct horse battery" }),
    fresh: byAnother(() => ({ currentPassword: "correct horse battery" })),
  },
  "user.twoFactor.confirm": {
    at: "POST /users/me/two-factor/confirm",
    needs: "a session",
    except: noGuests,
    input: () => A_CODE,
    fresh: async (scene) => {
      const { token, person } = await scene.makers.again(scene.world, scene.kind);
      const body = { currentPassword: person?.password };
      const begun = await scene.app.as({ token: token ?? "" }).post<{ secret: string }>("/users/me/two-factor", body);
      return { input: { code: codeOf(ok(begun).secret) }, by: { token } };
    },
  },
  "user.twoFactor.disable": {
    at: "POST /users/me/two-factor/disable",
    needs: "a session",
    except: noGuests,
    input: () => ({ ...A_CODE, currentPassword: "correct horse battery" }),
    fresh: (scene) => byCode(scene, { currentPassword: "correct horse battery" }),
  },
  "user.twoFactor.recoveryCodes": {
    at: "POST /users/me/two-factor/recovery-codes",
    needs: "a session",
    except: noGuests,
    input: () => A_CODE,
    fresh: (scene) => byCode(scene),
  },
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
    // Section 4 of part two: as for a wrong password.
    except: { "a disabled account": "UNAUTHORIZED" },
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
  "user.sessions.list": { at: "GET /users/me/sessions", needs: "a session", input: () => ({}) },
  "user.sessions.revoke": {
    at: "DELETE /users/me/sessions/{sessionPublicId}",
    needs: "a session",
    input: () => ({ sessionPublicId: "unknownunknown" }),
    fresh: async (scene) => {
      const { token } = await scene.makers.again(scene.world, scene.kind);
      const [newest] = ok(await scene.app.as({ token: token ?? "" }).get<{ publicId: string }[]>("/users/me/sessions"));
      return { input: { sessionPublicId: newest?.publicId }, by: { token } };
    },
  },
  "user.export": { at: "GET /users/me/export", needs: "a session", input: () => ({}), restOnly: true },
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
        "an instance admin": "FORBIDDEN",
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
  "user.notificationSettings.get": {
    at: "GET /users/me/notification-settings",
    needs: "any token",
    input: () => ({}),
  },
  "user.notificationSettings.update": {
    at: "PUT /users/me/notification-settings",
    needs: "any token",
    input: () => ({ dueMinutes: randomInt(43_200) }),
  },
  "user.unsubscribe": {
    at: "POST /mail/unsubscribe",
    needs: "nothing",
    input: () => ({ token: "unknown" }),
    fresh: async ({ app }) => ({ input: { token: await unsubscribeToken(app, await app.make.user()) } }),
  },
  "user.oidc.start": {
    at: "POST /auth/oidc/{providerId}/start",
    needs: "nothing",
    input: () => ({ providerId: "example", redirectUri: CALLBACK }),
  },
  "user.oidc.finish": {
    at: "POST /auth/oidc/{providerId}/finish",
    needs: "nothing",
    // As signing up: a guest's token makes a full account of it, any other valid token is wrong.
    except: { ...everyoneWithToken("BAD_REQUEST"), "an accountless guest": "OK" },
    input: () => ({ providerId: "example", flowToken: "unknown", callbackUrl: CALLBACK }),
    fresh: arrival,
  },
  "user.oidc.identities": { at: "GET /users/me/identities", needs: "a session", input: () => ({}) },
  "user.oidc.unlink": {
    at: "DELETE /users/me/identities/{identityPublicId}",
    needs: "a session",
    // It has none, so that every identity is unknown to it.
    except: { "an accountless guest": "NOT_FOUND" },
    input: () => ({ identityPublicId: "unknownunkno" }),
    fresh: linked,
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
  "user.stream": {
    at: "GET /stream",
    needs: "any token",
    input: () => ({ notifications: true }),
    stream: true,
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
