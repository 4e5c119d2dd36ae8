// The security headers of every response: those of helmet, calculated once, because they never change.

import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import type { FastifyInstance } from "fastify";
import helmet from "helmet";

/** Sets the headers; `isEncrypted`: whether the service is reached over HTTPS. */
export function setSecurityHeaders(app: FastifyInstance, isEncrypted: boolean): void {
  const blank = new ServerResponse(new IncomingMessage(new Socket()));
  helmet({
    contentSecurityPolicy: { useDefaults: false, directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] } },
    strictTransportSecurity: isEncrypted,
    // Over plain HTTP browsers ignore these headers, and report an error on every page.
    crossOriginOpenerPolicy: isEncrypted,
    originAgentCluster: isEncrypted,
  })(blank.req, blank, () => {});
  const headers = { ...blank.getHeaders() };
  app.addHook("onRequest", (_request, reply, done) => {
    reply.headers(headers);
    done();
  });
}
