// Sign-ins with OpenID Connect between their two calls: each is known by a token that only the browser has that began it, and is used
// once (capabilities section 2).

import { randomBytes } from "node:crypto";
import { and, eq, gt, lte, sql } from "drizzle-orm";
import { randomNonce, randomPKCECodeVerifier, randomState } from "openid-client";
import { hashOf } from "../../api/digests.js";
import { badRequest } from "../../api/errors.js";
import type { Queries } from "../../db/client.js";
import { oidcFlow } from "../../db/schema/index.js";
import { forgetting } from "../../db/sweeps.js";
import type { OidcProvider } from "../../oidcSettings.js";
import type { FlowSecrets } from "./providers.js";

/** The time that a person has for signing in at the provider. */
export const FLOW_MINUTES = 10;

/** New secrets of a flow. */
export const newSecrets = (): FlowSecrets => ({
  state: randomState(),
  nonce: randomNonce(),
  codeVerifier: randomPKCECodeVerifier(),
});

/** The purpose of a flow; `linkTokenId`: the session that the identity is attached to, null for a sign-in. */
export interface Flow extends FlowSecrets {
  redirectUri: string;
  linkTokenId: number | null;
}

/** Stores a flow and gives its token, which is stored nowhere. */
export async function beginFlow(db: Queries, provider: OidcProvider, flow: Flow) {
  const flowToken = randomBytes(32).toString("base64url");
  const expiresAt = sql<string>`now() + ${sql.raw(`interval '${FLOW_MINUTES} minutes'`)}`;
  const values = { ...flow, providerId: provider.id, tokenHash: hashOf(flowToken), expiresAt };
  const [stored] = await db.insert(oidcFlow).values(values).returning({ expiresAt: oidcFlow.expiresAt });
  if (stored === undefined) throw new Error("The insert of a flow returned no row");
  return { flowToken, ...stored };
}

/** Uses a flow up: of two who finish it one gets it. @throws BAD_REQUEST on `flowToken` where there is none, or no longer. */
export async function takeFlow(db: Queries, provider: OidcProvider, flowToken: string): Promise<Flow> {
  const [flow] = await db
    .delete(oidcFlow)
    .where(
      and(
        eq(oidcFlow.tokenHash, hashOf(flowToken)),
        eq(oidcFlow.providerId, provider.id),
        gt(oidcFlow.expiresAt, sql`now()`),
      ),
    )
    .returning();
  if (flow === undefined) throw badRequest("Is unknown, was used before, or has expired", "flowToken");
  return flow;
}

/** Sweep: forgets flows that nobody finished in time. */
export const forgetExpiredFlows = forgetting(oidcFlow, oidcFlow.expiresAt, () => lte(oidcFlow.expiresAt, sql`now()`));
