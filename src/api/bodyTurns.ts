// Bodies over 64 KiB take turns by caller until they are parsed: each keeps the main thread busy for milliseconds.

import type { FastifyInstance, FastifyRequest } from "fastify";
import { responseEnd } from "./connections.js";
import type { Fairness } from "./fairness.js";
import { callerKeyOf } from "./limits.js";

/** Smaller bodies are parsed as they arrive. */
const SMALL_BYTES = 64 * 1024;

declare module "fastify" {
  interface FastifyRequest {
    /** Ends the turn of the request's body; null if it has none. */
    endBodyTurn: (() => void) | null;
  }
}

/** Whether a body is over 64 KiB, or of unknown size; the files of large bodies are received elsewhere. */
const takesTurn = ({ held, headers }: FastifyRequest): boolean =>
  held === null && (headers["transfer-encoding"] !== undefined || Number(headers["content-length"]) > SMALL_BYTES);

/** Lets bodies take turns. A client that waits sends no more than the system's buffers hold. */
export function readBodiesInTurn(app: FastifyInstance, fairness: Pick<Fairness, "readBody">): void {
  app.decorateRequest("endBodyTurn", null);
  app.addHook("preParsing", (request, reply, payload, done) => {
    if (!takesTurn(request)) return done(null, payload);
    const read = () => {
      const isParsed = new Promise<void>((resolve) => {
        request.endBodyTurn = resolve;
      });
      done(null, payload);
      return Promise.race([isParsed, responseEnd(request, reply)]);
    };
    fairness.readBody(callerKeyOf(request), read).catch(done);
  });
  app.addHook("preValidation", ({ endBodyTurn }, _reply, done) => {
    endBodyTurn?.();
    done();
  });
}
