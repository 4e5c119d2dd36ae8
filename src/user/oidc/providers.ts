// Requests to OpenID Connect providers: the address to send people to, and the identity that came back (capabilities section 2).
// Nothing here runs inside a transaction.

import {
  AuthorizationResponseError,
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  type ClientAuth,
  ClientError,
  ClientSecretBasic,
  ClientSecretPost,
  type Configuration,
  calculatePKCECodeChallenge,
  customFetch,
  discovery,
  enableNonRepudiationChecks,
  fetchUserInfo,
  ResponseBodyError,
} from "openid-client";
import { z } from "zod";
import { badRequest, Failure, unavailable } from "../../api/errors.js";
import { isLoopbackHttp, type OidcProvider } from "../../oidcSettings.js";
import { Email, Image, PersonName } from "../userShapes.js";

/** The longest time that a provider may take for each of its answers. */
const TIMEOUT_SECONDS = 5;
/** The largest size of each of its answers. */
const ANSWER_MAX_BYTES = 512 * 1024;
/** The time for which the metadata of a provider, with its keys, is used before it is read again. */
const METADATA_MS = 3_600_000;
const RETRY_SECONDS = 5;

/** The data of a flow between its two calls. */
export interface FlowSecrets {
  state: string;
  nonce: string;
  codeVerifier: string;
}

/** Somebody as a provider knows them. Name and picture are null where they are missing, or not as accounts take them. */
export interface ProviderPerson {
  issuer: string;
  subject: string;
  /** Lower case. */
  email: string | null;
  /** Whether the provider states `email_verified: true`, as a boolean. */
  isEmailVerified: boolean;
  name: string | null;
  image: string | null;
}

/** A provider is down, or answers as none should. It holds nothing that the provider sent, because it is logged. */
class ProviderError extends Error {
  override readonly name = "ProviderError";
}

/** Answers a request to a provider, and fails where the body is longer than any that a provider should send. */
async function boundedFetch(url: string, options: RequestInit): Promise<Response> {
  const response = await fetch(url, options);
  if (response.body === null) return response;
  let length = 0;
  const bound = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      length += chunk.length;
      if (length > ANSWER_MAX_BYTES) controller.error(new ProviderError("The answer is too long"));
      else controller.enqueue(chunk);
    },
  });
  return new Response(response.body.pipeThrough(bound), response);
}

interface Known {
  configuration: Configuration;
  until: number;
}

const known = new WeakMap<OidcProvider, Known>();
const reading = new WeakMap<OidcProvider, Promise<Configuration>>();

/** As the provider takes it; HTTP Basic where it says nothing, as OpenID Connect Discovery has it. */
function authentication(secret: string): ClientAuth {
  const [basic, post] = [ClientSecretBasic(secret), ClientSecretPost(secret)];
  return (server, ...rest) => {
    const methods = server.token_endpoint_auth_methods_supported ?? ["client_secret_basic"];
    return (methods.includes("client_secret_basic") ? basic : post)(server, ...rest);
  };
}

async function read(provider: OidcProvider): Promise<Configuration> {
  const issuer = new URL(provider.issuer);
  // Signatures are checked although the ID token comes over TLS: that is not so of a provider on this machine, nor behind a proxy.
  const execute = [enableNonRepudiationChecks, ...(isLoopbackHttp(issuer) ? [allowInsecureRequests] : [])];
  const settings = { execute, timeout: TIMEOUT_SECONDS, [customFetch]: boundedFetch };
  const { clientId, clientSecret } = provider;
  const configuration = await discovery(issuer, clientId, undefined, authentication(clientSecret), settings);
  known.set(provider, { configuration, until: performance.now() + METADATA_MS });
  return configuration;
}

/** Reads the metadata of a provider when it is first needed, once for all who wait. What is old is used on while it cannot be read. */
async function configurationOf(provider: OidcProvider): Promise<Configuration> {
  const last = known.get(provider);
  if (last !== undefined && last.until > performance.now()) return last.configuration;
  const running = reading.get(provider) ?? read(provider).finally(() => reading.delete(provider));
  reading.set(provider, running);
  try {
    return await running;
  } catch (error) {
    if (last !== undefined) return last.configuration;
    throw failed(provider, error);
  }
}

const codeIn = (error: unknown) =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;

const OAUTH_ERROR = /^[a-z_]{1,64}$/;

/** The kind of a failure, as a code: nothing else that a provider sends is logged. */
function kindOf(error: unknown): string {
  if (!(error instanceof Error)) return "unknown";
  const inner = error.cause instanceof Error ? error.cause : undefined;
  const stated = error instanceof ResponseBodyError && OAUTH_ERROR.test(error.error) ? error.error : undefined;
  return [error.name, codeIn(error), stated, codeIn(inner)].filter((part) => part !== undefined).join(" ");
}

/** Whether a provider can be used now: what is wrong, in one line; null where nothing is. */
export async function problemOf(provider: OidcProvider): Promise<string | null> {
  try {
    await read(provider);
    return null;
  } catch (error) {
    return `The provider cannot be used: ${kindOf(error)}`;
  }
}

const failed = (provider: OidcProvider, error: unknown) =>
  unavailable(RETRY_SECONDS, new ProviderError(`Provider ${provider.id} cannot be used: ${kindOf(error)}`));

/** The address at which a person signs in at a provider. */
export async function authorizationUrl(
  provider: OidcProvider,
  redirectUri: string,
  { state, nonce, codeVerifier }: FlowSecrets,
): Promise<string> {
  const configuration = await configurationOf(provider);
  try {
    const url = buildAuthorizationUrl(configuration, {
      redirect_uri: redirectUri,
      scope: provider.scopes.join(" "),
      state,
      nonce,
      code_challenge: await calculatePKCECodeChallenge(codeVerifier),
      code_challenge_method: "S256",
    });
    return url.href;
  } catch (error) {
    throw failed(provider, error);
  }
}

const badCallback = (message: string) => badRequest(message, "callbackUrl");

/**
 * The address that the person came back to, with what counts of the provider's answer: parameters that it should not have are left out.
 * @throws BAD_REQUEST on `callbackUrl` where it is another address, of another flow, or tells of a refusal.
 */
function callbackOf(callbackUrl: string, redirectUri: string, state: string): URL {
  if (!URL.canParse(callbackUrl)) throw badCallback("Must be a URL");
  const url = new URL(callbackUrl);
  const { search } = url;
  const answered = new URLSearchParams(search);
  url.search = "";
  url.hash = "";
  const expected = new URL(redirectUri);
  if (url.href !== expected.href) throw badCallback("Is not the redirect URI that the sign-in began with");
  if (answered.getAll("state").join() !== state) throw badCallback("Belongs to another sign-in");
  const refusal = answered.get("error");
  if (refusal !== null) throw badCallback(`The provider refused${OAUTH_ERROR.test(refusal) ? `: ${refusal}` : ""}`);
  if (answered.getAll("code").length !== 1) throw badCallback("Holds no code");
  if (answered.getAll("iss").length > 1) throw badCallback("Comes from several issuers");
  const counting = [...answered].filter(([name]) => ["code", "state", "iss"].includes(name));
  expected.search = new URLSearchParams(counting).toString();
  return expected;
}

const otherSignIn = () => badCallback("The provider's answer does not belong to this sign-in");

const WithoutNonce = z.object({ claims: z.object({ nonce: z.undefined().optional() }) });
/** Whether an ID token was refused that has no nonce, so that nothing binds it to this sign-in. */
const lacksNonce = ({ cause }: ClientError): boolean =>
  cause instanceof Error && WithoutNonce.safeParse(cause.cause).success;

/** Describes a failed exchange of a code: the caller's fault, or the provider's. */
function exchangeFailure(provider: OidcProvider, error: unknown): Failure {
  if (error instanceof Failure) return error;
  if (error instanceof ResponseBodyError && error.error === "invalid_grant")
    return badCallback(
      "The provider does not accept the code: it was used before, has expired, or is of another sign-in",
    );
  if (error instanceof AuthorizationResponseError) return otherSignIn();
  if (error instanceof ClientError && error.code === "OAUTH_JWT_CLAIM_COMPARISON_FAILED") return otherSignIn();
  if (error instanceof ClientError && lacksNonce(error)) return otherSignIn();
  return failed(provider, error);
}

/** The claims that accounts are made of; what does not fit counts as missing. */
const Claims = z.object({
  email: Email.nullable().catch(null),
  email_verified: z.unknown().optional(),
  name: PersonName.nullable().catch(null),
  picture: Image.catch(null),
});

const Subject = z
  .string()
  .min(1)
  .max(255)
  .refine((subject) => !subject.includes("\0"));

/** The person of a provider's answer. @throws BAD_REQUEST on `callbackUrl`; SERVICE_UNAVAILABLE if the provider is. */
export async function personFrom(
  provider: OidcProvider,
  callbackUrl: string,
  { redirectUri, state, nonce, codeVerifier }: FlowSecrets & { redirectUri: string },
): Promise<ProviderPerson> {
  const callback = callbackOf(callbackUrl, redirectUri, state);
  const configuration = await configurationOf(provider);
  const { issuer, authorization_response_iss_parameter_supported: statesIssuer } = configuration.serverMetadata();
  const iss = callback.searchParams.get("iss") ?? (statesIssuer === true ? null : issuer);
  if (iss !== issuer) throw badCallback("Does not come from the issuer of this provider");
  try {
    const tokens = await authorizationCodeGrant(configuration, callback, {
      expectedState: state,
      expectedNonce: nonce,
      pkceCodeVerifier: codeVerifier,
    });
    const stated = tokens.claims();
    if (stated === undefined) throw otherSignIn();
    const subject = Subject.parse(stated.sub);
    // Address and verification come from one place: an address of one and a verification of the other would prove nothing.
    const hasAll = stated.email !== undefined || configuration.serverMetadata().userinfo_endpoint === undefined;
    const from = hasAll ? stated : await fetchUserInfo(configuration, tokens.access_token, subject);
    const { email, email_verified: verified, name, picture } = Claims.parse(from);
    return { issuer: stated.iss, subject, email, isEmailVerified: verified === true, name, image: picture };
  } catch (error) {
    throw exchangeFailure(provider, error);
  }
}
