// The pages that links of mails and invitations lead to where no application does (capabilities section 1): static files, which call
// the API. Nothing on them is inline, and nothing comes from another host.

import { readFileSync } from "node:fs";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { FAVICON } from "./docs.js";
import { Rendered } from "./rendered.js";
import { sendRendered } from "./rest.js";

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** The pages by path, each with the way from it to the root: behind a proxy the service may have a path of its own. */
const PAGES = {
  "/account/reset": "..",
  "/account/confirm": "..",
  "/account/unsubscribe": "..",
  "/invite/:code": "..",
};

const fileOf = (name: string) => readFileSync(new URL(`./pages/${name}`, import.meta.url));

/** A style sheet with the colours that all pages share. */
export const styleOf = (name: string) => Buffer.concat([fileOf("colours.css"), fileOf(name)]);

/** Serves the pages and what they load. They stay where APP_URL is set: older links lead to them. */
export function servePages(app: FastifyInstance): void {
  const send = (type: string, content: Buffer) => {
    const rendered = Rendered.from(content);
    return (request: FastifyRequest, reply: FastifyReply) =>
      sendRendered(request, reply.type(`${type}; charset=utf-8`), rendered, "no-cache");
  };
  app.register(async (pages) => {
    pages.addHook("onRequest", async (_request, reply) => {
      reply.header("content-security-policy", POLICY).header("referrer-policy", "no-referrer");
    });
    const page = fileOf("page.html").toString("utf8");
    for (const [path, root] of Object.entries(PAGES)) {
      pages.get(path, send("text/html", Buffer.from(page.replaceAll('"/account/', `"${root}/account/`))));
    }
    pages.get("/account/static/page.js", send("text/javascript", fileOf("page.js")));
    pages.get("/account/static/page.css", send("text/css", styleOf("page.css")));
    pages.get("/account/static/icon.svg", send("image/svg+xml", Buffer.from(FAVICON)));
  });
}
