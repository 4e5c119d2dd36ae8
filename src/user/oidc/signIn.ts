// Signing in with OpenID Connect (capabilities section 2): a person is sent to a provider, comes back, and is signed in. The provider is
// asked before the transaction begins in which the account is found or made.

import { eq } from "drizzle-orm";
import { z } from "zod";
import { handingOver } from "../../access/sessionCookies.js";
import { lockedAccount } from "../../access/tokens.js";
import type { Caller, Context, VerifiedCaller } from "../../api/context.js";
import { badRequest, failureOf, forbidden, notFound, unauthorized } from "../../api/errors.js";
import { Text, Timestamp } from "../../api/shapes.js";
import { publicProcedure } from "../../api/trpc.js";
import type { Queries } from "../../db/client.js";
import { violates } from "../../db/failures.js";
import { accessToken } from "../../db/schema/index.js";
import type { OidcProvider } from "../../oidcSettings.js";
import { beginSession, type IssuedSession, Session } from "../accounts.js";
import { logAct } from "../auditLog.js";
import { workspaceInvitedTo } from "../joining.js";
import {
  addressMustBeVerified,
  CURRENT_PASSWORD_TEXT,
  notPassword,
  reauthenticate,
  VERIFIED_ADDRESS_TEXT,
} from "../reauthentication.js";
import { Code, passSecondFactor } from "../secondFactors.js";
import { GUESSES_TEXT, mustHaveGuesses, noteFailure as noteAttempt } from "../signInAttempts.js";
import { enter } from "../signUps.js";
import { Password, SessionForm } from "../userShapes.js";
import { beginFlow, FLOW_MINUTES, type Flow, newSecrets, takeFlow } from "./flows.js";
import { type Arrival, accountOfArrival } from "./linking.js";
import { authorizationUrl, personFrom } from "./providers.js";

const ProviderId = Text(1, 32).meta({
  description: "The identifier of a provider, as `GET /auth/methods` lists it.",
  examples: ["example"],
});

function providerFor({ config }: Context, providerId: string): OidcProvider {
  const provider = config.oidcProviders.find(({ id }) => id === providerId);
  if (provider === undefined) throw notFound();
  return provider;
}

/** The caller. @throws UNAUTHORIZED without a valid token; FORBIDDEN without a session, and for an accountless guest. */
async function sessionOf({ caller, verify }: Context): Promise<VerifiedCaller> {
  if (caller === null) throw unauthorized();
  const user = await verify(caller);
  if (user.token.kind !== "session" || user.isGuest) throw forbidden("Requires the session of an account", "link");
  return user;
}

/**
 * Begins to attach an identity, which signs the account in from then on: so it asks again who the caller is, and for the second factor,
 * which no provider is asked for.
 * @throws as `reauthenticate`; BAD_REQUEST on `code` where it is missing or wrong.
 */
async function beginLinking(
  ctx: Context,
  user: VerifiedCaller,
  provider: OidcProvider,
  flow: Omit<Flow, "linkTokenId">,
  { currentPassword, code }: { currentPassword?: string | undefined; code?: string | undefined },
) {
  const verified = await reauthenticate({ ...ctx, user }, currentPassword);
  const attempt = { email: user.email ?? "", client: ctx.client, actorId: user.accountId };
  await mustHaveGuesses(ctx.db, attempt);
  const begun = await ctx.db.transaction(async (tx) => {
    if ((await lockedAccount({ db: tx, user })).passwordHash !== verified) throw notPassword();
    const passed = await passSecondFactor(tx, ctx.config, user.accountId, code);
    if (passed !== "passed") return passed;
    await mustHaveGuesses(tx, attempt);
    return beginFlow(tx, provider, { ...flow, linkTokenId: user.token.id });
  });
  if (begun === "missing") throw badRequest("Required: two-factor authentication is on", "code");
  if (begun !== "wrong") return begun;
  await noteAttempt(ctx.db, attempt);
  throw badRequest("Is not a valid code", "code");
}

/** The caller who finishes a flow that attaches an identity: the session that began it, and no other. */
async function sameSession({ caller, verify }: Context, linkTokenId: number): Promise<Caller> {
  const user = caller === null ? null : await verify(caller);
  if (user?.token.id !== linkTokenId) throw forbidden("Finish in the session that began linking", "flowToken");
  return user;
}

/** The beginning of the caller's session, if an identity is attached to it: that is no new sign-in. Undefined for a sign-in. */
async function beganAt(db: Queries, linkTo: Caller | null): Promise<string | undefined> {
  if (linkTo === null) return undefined;
  const [session] = await db
    .select({ createdAt: accessToken.createdAt })
    .from(accessToken)
    .where(eq(accessToken.id, linkTo.token.id));
  return session?.createdAt;
}

/** Signs an arrival in; the account that it makes, or a guest's, joins by the invitation. */
const signIn = (ctx: Context, arrival: Arrival): Promise<IssuedSession> =>
  enter(
    ctx,
    arrival.inviteCode,
    (db) => accountOfArrival(db, ctx, arrival),
    async (db, person) => beginSession(db, ctx.client, person, await beganAt(db, arrival.linkTo)),
  );

/** Whether another arrival of the same person may have made the account meanwhile: its identity or address is then taken. */
const mayHaveLostRace = (error: unknown) =>
  violates(error, "identity_subject") || violates(error, "account_email") || failureOf(error).code === "CONFLICT";

/** Signs an arrival in, once more after a lost race: the second attempt finds the account. */
async function signInRacing(ctx: Context, arrival: Arrival): Promise<IssuedSession> {
  try {
    return await signIn(ctx, arrival);
  } catch (error) {
    if (!mayHaveLostRace(error)) throw error;
    return signIn(ctx, arrival);
  }
}

/** Notes a sign-in that failed for a reason of the person's; the service's own failures are in its log. */
async function noteFailure({ db, client }: Context, { name }: OidcProvider, error: unknown): Promise<never> {
  const { code } = failureOf(error);
  if (code === "SERVICE_UNAVAILABLE" || code === "INTERNAL_SERVER_ERROR") throw error;
  const failed = { type: "account.signInFailed", actorId: null, target: { kind: "identity", name } } as const;
  await logAct(db, client, failed);
  throw error;
}

export const signIns = {
  start: publicProcedure
    .meta({
      fails: ["UNAUTHORIZED", "FORBIDDEN"],
      authLimit: true,
      openapi: {
        method: "POST",
        path: "/auth/oidc/{providerId}/start",
        protect: false,
        tags: ["Single sign-on"],
        summary: "Begin a sign-in at a provider",
        description: `Returns the address at the provider to which you send the person, and a \`flowToken\` that you keep until the person is back: in the browser itself, for example in its session storage. The sign-in must be finished within ${FLOW_MINUTES} minutes. With \`link\` the identity is attached to the caller's account, which requires a session token and asks again who the caller is: \`currentPassword\`, and \`code\` if two-factor authentication is on. Wrong ones are BAD_REQUEST. ${GUESSES_TEXT} ${VERIFIED_ADDRESS_TEXT} The owner gets a notice by mail, and the new session counts as being as old as that one. FORBIDDEN for an unknown provider. SERVICE_UNAVAILABLE if the provider does not answer.`,
        successDescription: "The sign-in has begun.",
      },
    })
    .input(
      z.strictObject({
        providerId: ProviderId,
        redirectUri: Text(1, 2048).meta({
          description:
            "Where the provider sends the person back to: one of its `redirectUris` in the settings, exactly.",
        }),
        link: z.boolean().optional().meta({ description: "Attach the identity to my account instead of signing in." }),
        currentPassword: Password.meta({
          description: `The password of the account, only with \`link\`. ${CURRENT_PASSWORD_TEXT}`,
        }).optional(),
        code: Code.meta({
          description: "A code, only with `link`, if two-factor authentication is on.",
        }).optional(),
      }),
    )
    .output(
      z.object({
        authorizationUrl: z.string().meta({ description: "Open it in the person's browser." }),
        flowToken: z.string().meta({ description: "Finishes this sign-in, once. Treat it as a secret." }),
        expiresAt: Timestamp.meta({
          description: `When the flow token expires: ${FLOW_MINUTES} minutes after the start.`,
        }),
      }),
    )
    .mutation(async ({ ctx, input: { providerId, redirectUri, link = false, ...proof } }) => {
      const provider = providerFor(ctx, providerId);
      if (!provider.redirectUris.includes(redirectUri))
        throw badRequest("Is not a redirect URI of this provider", "redirectUri");
      const user = link ? await sessionOf(ctx) : null;
      if (user !== null) addressMustBeVerified(ctx.config, user);
      const flow = { ...newSecrets(), redirectUri };
      const url = await authorizationUrl(provider, redirectUri, flow);
      const begun =
        user === null
          ? await beginFlow(ctx.db, provider, { ...flow, linkTokenId: null })
          : await beginLinking(ctx, user, provider, flow, proof);
      return { authorizationUrl: url, ...begun };
    }),

  finish: publicProcedure
    .meta({
      fails: ["UNAUTHORIZED", "FORBIDDEN", "CONFLICT"],
      answerHeaders: ["Set-Cookie"],
      authLimit: true,
      openapi: {
        method: "POST",
        path: "/auth/oidc/{providerId}/finish",
        protect: false,
        tags: ["Single sign-on"],
        summary: "Finish a sign-in at a provider",
        description: `Signs in the person who came back from the provider. The first rule that applies decides:

1. The identity is known: its account is signed in. With \`link\`, another account than the caller's is CONFLICT.
2. The sign-in began with \`link\`: the identity is added to the caller's account. The call requires the same session; otherwise it is FORBIDDEN.
3. An account has the e-mail address: it is signed in if the provider has \`linkByEmail\` and both sides have verified the address. Otherwise CONFLICT, with an issue that says how to link.
4. Sign-up is open, or is for the invited and \`inviteCode\` is given, and the provider's \`allowedDomains\`, if any, admit the address, which must then be verified: a new account is created. Otherwise FORBIDDEN. The token of an accountless guest turns the guest into that account.

A disabled account is UNAUTHORIZED. With \`inviteCode\`, the account also joins that workspace. A flow token works once, whatever the response: after a failure, begin again.`,
        successDescription: "The person is signed in.",
      },
    })
    .input(
      z.strictObject({
        providerId: ProviderId,
        flowToken: Text(1, 100).meta({ description: "The token that beginning the sign-in returned." }),
        callbackUrl: Text(1, 16_384).meta({
          description: "The whole address to which the provider sent the person back, with its query.",
        }),
        inviteCode: Text(1, 64).meta({ description: "The code of an invitation to accept." }).optional(),
        session: SessionForm,
      }),
    )
    .output(Session)
    .mutation(async ({ ctx, input: { providerId, flowToken, callbackUrl, inviteCode, session } }) => {
      const handOver = handingOver(ctx, session);
      const provider = providerFor(ctx, providerId);
      if (inviteCode !== undefined) workspaceInvitedTo(inviteCode);
      const { linkTokenId, ...flow } = await takeFlow(ctx.db, provider, flowToken);
      const arrive = async () => {
        const linkTo = linkTokenId === null ? null : await sameSession(ctx, linkTokenId);
        const person = await personFrom(provider, callbackUrl, flow);
        return handOver(await signInRacing(ctx, { provider, person, linkTo, inviteCode }));
      };
      return arrive().catch((error: unknown) => noteFailure(ctx, provider, error));
    }),
};
