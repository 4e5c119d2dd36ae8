// A small OpenID Connect provider over real HTTP, which signs its own ID tokens: it states whatever claims a test asks for, and commits
// the faults that no proper provider would. People "sign in" there by their claims, which `comeBack` sends along.
//
//   const issuer = await startIssuer();
//   const app = await testApp({ OIDC_PROVIDERS: JSON.stringify([issuer.provider()]) });
//   const { authorizationUrl } = ok(await anonymous.post("/auth/oidc/example/start", { redirectUri: CALLBACK }));
//   const callbackUrl = await comeBack(authorizationUrl, { sub: "ada", email: "ada@example.org", email_verified: true });

import { createHash, randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from "jose";
import { afterAll } from "vitest";

/** Where the people of tests come back to. */
export const CALLBACK = "https://board.example.org/callback";
export const CLIENT_ID = "work-board";
export const CLIENT_SECRET = "the secret of the client";

export type Claims = JWTPayload & { sub: string };

/** How an answer is wrong. */
export interface Faults {
  /** Claims that replace right ones in the ID token: `nonce`, `iss`, `aud`, `exp`; null: the claim is missing. */
  idToken?: Record<string, unknown>;
  /** The ID token is signed with a key that is not the provider's. */
  isForged?: boolean;
  /** `iss` in the address that people come back to. */
  callbackIssuer?: string;
  /** The person is sent back with this error. */
  refusal?: string;
  /** What the endpoint for user information answers; the ID token then has no claims but `sub`. */
  userInfo?: Record<string, unknown>;
  /** How many characters that answer is longer than it needs to be. */
  padding?: number;
}

interface Grant {
  claims: Claims;
  faults: Faults;
  nonce: string | null;
  challenge: string | null;
  redirectUri: string;
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of request) text += String(chunk);
  return text;
}

const formDecoded = (encoded: string) => decodeURIComponent(encoded.replaceAll("+", " "));

function json(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}

async function newKey() {
  const { publicKey, privateKey } = await generateKeyPair("ES256");
  return { privateKey, key: { ...(await exportJWK(publicKey)), kid: randomUUID(), alg: "ES256", use: "sig" } };
}

export type Issuer = Awaited<ReturnType<typeof startIssuer>>;

/** Starts a provider, which ends with the file. `port` starts it where one was before. */
export async function startIssuer(port = 0) {
  const foreign = await generateKeyPair("ES256");
  let own = await newKey();
  const grants = new Map<string, Grant>();
  const requests: string[] = [];
  const metadata: Record<string, unknown> = {};
  let isHanging = false;

  const server = createServer((request, response) => {
    const url = new URL(request.url ?? "/", issuer);
    requests.push(url.pathname);
    if (isHanging) return;
    void answer(url, request, response).catch(() => response.writeHead(500).end());
  });
  await once(server.listen(port, "127.0.0.1"), "listening");
  const address = server.address();
  const issuer = `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`;
  const stop = () => {
    server.closeAllConnections();
    return new Promise<void>((resolve) => void server.close(() => resolve()));
  };
  afterAll(stop);

  async function answer(url: URL, request: IncomingMessage, response: ServerResponse): Promise<void> {
    switch (url.pathname) {
      case "/.well-known/openid-configuration":
        return json(response, 200, {
          issuer,
          authorization_endpoint: `${issuer}/authorize`,
          token_endpoint: `${issuer}/token`,
          userinfo_endpoint: `${issuer}/userinfo`,
          jwks_uri: `${issuer}/keys`,
          id_token_signing_alg_values_supported: ["ES256"],
          response_types_supported: ["code"],
          subject_types_supported: ["public"],
          ...metadata,
        });
      case "/keys":
        return json(response, 200, { keys: [own.key] });
      case "/authorize":
        return authorize(url, response);
      case "/token":
        return exchange(request, new URLSearchParams(await textOf(request)), response);
      case "/userinfo": {
        const grant = grants.get(request.headers.authorization?.replace("Bearer ", "") ?? "");
        const padding = "x".repeat(grant?.faults.padding ?? 0);
        return json(response, 200, { sub: grant?.claims.sub, ...grant?.faults.userInfo, padding });
      }
      default:
        return json(response, 404, {});
    }
  }

  function authorize({ searchParams }: URL, response: ServerResponse): void {
    const { claims, faults }: Pick<Grant, "claims" | "faults"> = JSON.parse(searchParams.get("person") ?? "{}");
    const redirectUri = searchParams.get("redirect_uri") ?? "";
    const code = randomUUID();
    grants.set(code, {
      claims,
      faults,
      nonce: searchParams.get("nonce"),
      challenge: searchParams.get("code_challenge"),
      redirectUri,
    });
    const back = new URL(redirectUri);
    back.searchParams.set("state", searchParams.get("state") ?? "");
    if (faults.refusal === undefined) back.searchParams.set("code", code);
    else back.searchParams.set("error", faults.refusal);
    if (faults.callbackIssuer !== undefined) back.searchParams.set("iss", faults.callbackIssuer);
    response.writeHead(302, { location: back.href }).end();
  }

  async function exchange(request: IncomingMessage, form: URLSearchParams, response: ServerResponse): Promise<void> {
    const [, basic = ""] = (request.headers.authorization ?? "").split("Basic ");
    // Both parts are encoded as in a form (RFC 6749, section 2.3.1).
    const [id, secret] = Buffer.from(basic, "base64").toString().split(":").map(formDecoded);
    const isClient = id === CLIENT_ID && secret === CLIENT_SECRET;
    if (!isClient) return json(response, 401, { error: "invalid_client" });
    const code = form.get("code") ?? "";
    const grant = grants.get(code);
    const challenge = createHash("sha256")
      .update(form.get("code_verifier") ?? "")
      .digest("base64url");
    grants.delete(code);
    if (grant?.challenge !== challenge || grant.redirectUri !== form.get("redirect_uri"))
      return json(response, 400, { error: "invalid_grant", error_description: `code ${code}` });
    const { claims, faults, nonce } = grant;
    const accessToken = randomUUID();
    grants.set(accessToken, grant);
    const now = Math.floor(Date.now() / 1000);
    const stated = {
      iss: issuer,
      aud: CLIENT_ID,
      iat: now,
      exp: now + 60,
      nonce,
      ...(faults.userInfo === undefined ? claims : { sub: claims.sub }),
      ...faults.idToken,
    };
    const present = Object.entries(stated).filter(([name]) => faults.idToken?.[name] !== null);
    const idToken = await new SignJWT(Object.fromEntries(present))
      .setProtectedHeader({ alg: "ES256", kid: own.key.kid })
      .sign(faults.isForged === true ? foreign.privateKey : own.privateKey);
    json(response, 200, { access_token: accessToken, token_type: "Bearer", expires_in: 60, id_token: idToken });
  }

  return {
    url: issuer,
    requests,
    /** What its metadata says instead. */
    metadata,
    /** No request is answered any more. */
    hang: () => {
      isHanging = true;
    },
    stop,
    /** Signs with a new key from now on, and publishes no other. */
    rotateKeys: async () => {
      own = await newKey();
    },
    /** Its settings in OIDC_PROVIDERS. */
    provider: (fields: Record<string, unknown> = {}) => ({
      id: "example",
      name: "Example",
      issuer,
      clientId: CLIENT_ID,
      clientSecret: CLIENT_SECRET,
      redirectUris: [CALLBACK],
      ...fields,
    }),
  };
}

/** Signs a person in at the provider that an address belongs to, and gives the address that the person is sent back to. */
export async function comeBack(authorizationUrl: string, claims: Claims, faults: Faults = {}): Promise<string> {
  const url = new URL(authorizationUrl);
  url.searchParams.set("person", JSON.stringify({ claims, faults }));
  const response = await fetch(url, { redirect: "manual" });
  return response.headers.get("location") ?? "";
}

/** The environment of an application with one provider, `example`, of which anybody signs in. */
export async function providerEnvironment(): Promise<{ OIDC_PROVIDERS: string }> {
  const issuer = await startIssuer();
  return { OIDC_PROVIDERS: JSON.stringify([issuer.provider()]) };
}
