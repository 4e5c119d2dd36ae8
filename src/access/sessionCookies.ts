// Sessions of pages: the token is in a cookie that scripts cannot read (clients.md section 1, Sessions for pages). This file decides
// when a cookie counts, which requests may send or request one, and its name.

import type { FastifyReply, FastifyRequest } from "fastify";
import type { Caller, Context, SessionCookie } from "../api/context.js";
import { forbidden, unauthorized } from "../api/errors.js";
import { headerOf } from "../api/requestOptions.js";
import { isBearer, tokenHashOf } from "./tokens.js";

/** 400 days, the most that browsers keep a cookie. The session itself ends when the server says so. */
const MAX_AGE_S = 34_560_000;

const HTTP_PORT = "80";

/** The session cookies of a request that count. Browsers send those of longer paths first, which other ports can set. */
const COUNTED = 4;

/** The URL of a host, as a request names it; undefined for a host that is none. */
const urlOf = (protocol: string, host: string) =>
  URL.canParse(`${protocol}//${host}`) ? new URL(`${protocol}//${host}`) : undefined;

/** Session cookies of a service that people reach at `publicUrl`. */
export class SessionCookies {
  readonly #publicUrl: URL;

  constructor({ publicUrl }: { publicUrl: string }) {
    this.#publicUrl = new URL(publicUrl);
  }

  /**
   * The hashes of the tokens in the session cookies of a request, valid or not, without values that are no token. Null if it has no such
   * cookie, or `Authorization: Bearer`, which counts instead.
   */
  tokenHashesIn(request: FastifyRequest): string[] | null {
    if (isBearer(request.headers.authorization)) return null;
    const start = `${this.#nameFor(request)}=`;
    const pairs = (request.headers.cookie ?? "").split(";").map((pair) => pair.trim());
    const own = pairs.filter((pair) => pair.startsWith(start)).slice(-COUNTED);
    return own.length === 0 ? null : own.flatMap((pair) => tokenHashOf(pair.slice(start.length)) ?? []);
  }

  /** Refuses requests that a page of another origin, or of another port of this host, can make a browser send. @throws FORBIDDEN */
  mustBeOfOwnPage(request: FastifyRequest): void {
    const isRead = request.method === "GET" || request.method === "HEAD";
    const site = headerOf(request, "sec-fetch-site");
    if (site === "same-origin") return;
    // Browsers send `Sec-Fetch-Site` to https and localhost alone. Other answers are protected by SameSite and the lack of CORS.
    if (site === undefined ? isRead || this.#isOwnOrigin(request) : isRead && (site === "none" || isDownload(request)))
      return;
    throw forbidden("Only pages of this service may use its session cookie");
  }

  /** Refuses a call of a page that believes to act as somebody else than the cookie says. @throws UNAUTHORIZED */
  mustActAs(request: FastifyRequest, { publicId }: Pick<Caller, "publicId">): void {
    const expected = headerOf(request, "acting-as");
    if (expected !== undefined && expected !== publicId)
      throw unauthorized("The session cookie belongs to another account", "Acting-As");
  }

  /** Sets and clears the cookie of the browser that sent a request. */
  of(request: FastifyRequest, reply: FastifyReply): SessionCookie {
    return {
      mustBeAllowed: () => this.mustBeOfOwnPage(request),
      tokenHashes: () => this.tokenHashesIn(request) ?? [],
      set: (token) => this.#set(request, reply, token, MAX_AGE_S),
      clear: () => {
        if (this.tokenHashesIn(request) !== null) this.#set(request, reply, "", 0);
      },
    };
  }

  #set(request: FastifyRequest, reply: FastifyReply, token: string, maxAge: number): void {
    const secure = this.#isHttps(request) ? "; Secure" : "";
    const attributes = `Path=/; Max-Age=${maxAge}; HttpOnly; SameSite=Lax${secure}`;
    reply.header("set-cookie", `${this.#nameFor(request)}=${token}; ${attributes}`);
  }

  /** Cookies do not distinguish ports: without the port in its name, services on one host would share a cookie. */
  #nameFor(request: FastifyRequest): string {
    if (this.#isHttps(request)) return "__Host-work-board";
    return `work-board-${urlOf("http:", request.host)?.port || HTTP_PORT}`;
  }

  #isHttps({ protocol, host }: FastifyRequest): boolean {
    if (protocol === "https") return true;
    return this.#publicUrl.protocol === "https:" && urlOf("https:", host)?.host === this.#publicUrl.host;
  }

  /** Whether the `Origin` of a request is the service itself. Its scheme is not compared: a proxy may end TLS without saying so. */
  #isOwnOrigin(request: FastifyRequest): boolean {
    const own = headerOf(request, "origin");
    if (own === undefined || !URL.canParse(own)) return false;
    const { origin, protocol, host } = new URL(own);
    return origin === this.#publicUrl.origin || (host !== "" && host === urlOf(protocol, request.host)?.host);
  }
}

/** Whether a browser navigates to the address of a file, from any origin. */
const isDownload = (request: FastifyRequest) =>
  request.routeOptions.config.operation?.isDownload === true &&
  headerOf(request, "sec-fetch-mode") === "navigate" &&
  headerOf(request, "sec-fetch-dest") === "document";

/** The function that hands a new session over, by token or cookie. Call it first. @throws FORBIDDEN for another origin. */
export function handingOver({ cookie }: Pick<Context, "cookie">, form: "token" | "cookie") {
  if (form === "cookie") cookie.mustBeAllowed();
  return <Issued extends { accessToken: string }>(
    issued: Issued,
  ): Omit<Issued, "accessToken"> & { accessToken?: string } => {
    if (form === "token") return issued;
    const { accessToken, ...answer } = issued;
    cookie.set(accessToken);
    return answer;
  };
}
