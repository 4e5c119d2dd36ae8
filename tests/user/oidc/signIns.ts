// What tests of sign-ins at a provider have in common: providers, whole sign-ins, and what was stored of them.

import { sql } from "drizzle-orm";
import { expect } from "vitest";
import { type Answer, contentsOf, expectError, type Fields, ok, type TestApp, unique } from "../../helpers/app.js";
import { CALLBACK, type Claims, comeBack, type Faults, type Issuer } from "../../helpers/issuer.js";
import type { Bearer, Client } from "../../helpers/requests.js";

/** The same issuer in three roles; the first as it is without settings. */
export const rolesOf = (issuer: Issuer) =>
  JSON.stringify([
    issuer.provider({ id: "plain", name: "Plain" }),
    issuer.provider({ id: "linking", name: "Linking", linkByEmail: true }),
    issuer.provider({ id: "domain", name: "Domain", allowedDomains: ["example.org"] }),
  ]);

export interface Session {
  accessToken: string;
  expiresAt: string;
  user: Fields & { publicId: string };
}
export interface Flow {
  authorizationUrl: string;
  flowToken: string;
}
interface Identity {
  publicId: string;
  providerId: string;
  email: string | null;
  createdAt: string;
  lastUsedAt: string | null;
}

export const aSubject = () => unique("subject");

interface SignIn {
  providerId?: string;
  faults?: Faults;
  inviteCode?: string;
  /** Who calls, and whether to attach the identity. */
  by?: Bearer & { password?: string };
  link?: boolean;
  code?: string;
  on?: { as: (person: Bearer) => Client; anonymous: Client };
}

export function signInsOn(app: TestApp) {
  const { as, make, db } = app;

  /** A whole sign-in at a provider; the answer to its end. */
  async function signIn(
    claims: Claims,
    { providerId = "plain", faults, inviteCode, by, link, code, on = app }: SignIn = {},
  ) {
    const client = by === undefined ? on.anonymous : on.as(by);
    const base = `/auth/oidc/${providerId}`;
    const linking = link && { link, currentPassword: by?.password, code };
    const flow = ok(await client.post<Flow>(`${base}/start`, { redirectUri: CALLBACK, ...linking }));
    const callbackUrl = await comeBack(flow.authorizationUrl, claims, faults);
    const body = { flowToken: flow.flowToken, callbackUrl, ...(inviteCode !== undefined && { inviteCode }) };
    return client.post<Session>(`${base}/finish`, body);
  }

  const identitiesOf = async (person: Bearer) => ok(await as(person).get<Identity[]>("/users/me/identities"));
  const tokenOf = (res: Answer<Session>): Bearer => ({ token: ok(res).accessToken });

  const disable = (publicId: string) =>
    db.rows(sql`update account set disabled_at = now() where public_id = ${publicId}::text`);

  /** What is stored, but for the audit log, in which failures stand too. */
  async function stored(): Promise<Record<string, number>> {
    return { ...(await contentsOf(db)), audit_entry: 0 };
  }

  /** Asserts that a sign-in is refused and changes nothing. */
  async function expectRefused(
    run: () => Promise<Answer<Session>>,
    ...error: [Parameters<typeof expectError>[1], string?]
  ) {
    const before = await stored();
    const res = await run();
    expectError(res, ...error);
    expect(await stored()).toEqual(before);
    return res;
  }

  async function auditOf(publicId: string): Promise<string[]> {
    const rows = await db.rows<{ type: string }>(sql`
      select e.type from audit_entry e join account a on a.id = e.actor_id
      where a.public_id = ${publicId}::text order by e.id`);
    return rows.map(({ type }) => type);
  }

  async function invitation(): Promise<string> {
    const { workspace, owner } = await make.workspace();
    return ok(await as(owner).post<{ inviteCode: string }>(`/workspaces/${workspace.publicId}/invites`)).inviteCode;
  }

  return { signIn, identitiesOf, tokenOf, disable, expectRefused, auditOf, invitation };
}
