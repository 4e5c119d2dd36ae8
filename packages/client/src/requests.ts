// Requests are sent with the headers of the options, the current token, and the version of the client.

import manifest from "../package.json" with { type: "json" };
import { isTemporary, SERVICE_VERSION, WrongUrl } from "./errors.js";

/** The address of the service, the token of the caller, and how requests are sent. */
export interface ClientOptions {
  /** Such as `http://localhost:3000`. */
  url: string;
  /**
   * A session token or a personal token; only public operations work without one. A function is called before each request and
   * each time a stream connects, and once more after UNAUTHORIZED; null or undefined send the request without a token.
   */
  token?: Token | (() => Token | Promise<Token>);
  /** Headers for each request and stream. */
  headers?: Record<string, string>;
  /** Used in place of the global `fetch`, for streams too. */
  fetch?: typeof fetch;
}

type Token = string | null | undefined;

/** `fetch`, with what each request of the client has. */
export type Send = (url: string | URL | Request, init?: RequestInit) => Promise<Response>;

/** The requests of a client, and whether the service has answered one. */
interface Sender {
  send: Send;
  hasAnswered: () => boolean;
}

const majorOf = (version: string): string => version.split(".")[0] ?? "";

/**
 * Sends requests of a client. After UNAUTHORIZED, a token function is asked once more, and the request sent again if it gives another
 * token. A service of another major version than the client is reported once on the console.
 */
export function sender({ token, headers, fetch: ownFetch }: ClientOptions): Sender {
  let hasWarned = false;
  let hasAnswered = false;

  function compareVersions({ headers: answered }: Response): void {
    const version = answered.get(SERVICE_VERSION);
    hasAnswered ||= version !== null;
    if (hasWarned || version === null || majorOf(version) === majorOf(manifest.version)) return;
    hasWarned = true;
    console.warn(
      `work-board-client ${manifest.version} calls a service of version ${version}: install the client of that version`,
    );
  }

  const send: Send = async (url, init) => {
    const sendAs = async (current: Token) => {
      const all = new Headers({ "client-version": manifest.version, ...headers });
      for (const [name, value] of new Headers(init?.headers)) all.set(name, value);
      if (current) all.set("authorization", `Bearer ${current}`);
      const response = await (ownFetch ?? fetch)(url, { ...init, headers: all });
      compareVersions(response);
      return response;
    };
    const first = typeof token === "function" ? await token() : token;
    const response = await sendAs(first);
    if (response.status !== 401 || typeof token !== "function") return response;
    const next = await token();
    if (!next || next === first) return response;
    await response.body?.cancel();
    return sendAs(next);
  };
  return { send, hasAnswered: () => hasAnswered };
}

const isJson = ({ headers }: Response): boolean => headers.get("content-type")?.includes("json") ?? false;

/** Sends requests whose responses are JSON. @throws WrongUrl for a response that is none, and will be none again. */
export const jsonSender =
  (send: Send, baseUrl: string): Send =>
  async (url, init) => {
    const response = await send(url, init);
    if (!isJson(response) && !isTemporary(response.status) && response.status !== 304) throw new WrongUrl(baseUrl);
    return response;
  };
