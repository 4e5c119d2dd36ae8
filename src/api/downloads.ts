// Answers that are files of bytes, made while they are sent. They are sent over REST alone, because tRPC answers with JSON.

import { Readable } from "node:stream";
import type { FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import { endWhenStalled } from "./connections.js";
import type { Context } from "./context.js";
import { failureOf, preconditionFailed } from "./errors.js";

/** The output of an operation that answers with a file, whose content type its `meta` names: no tRPC client ever gets a value. */
export const FileAnswer = z
  .custom<never>((answer) => answer instanceof Readable)
  .meta({ override: { type: "string", format: "binary" } });

/** A stream of bytes as the type of `FileAnswer`. */
const answering = (bytes: Readable) => bytes as unknown as never;

/** Answers with a file of a name and content type. */
type SendFile = (file: { name: string; type: string }, bytes: Readable) => never;

/** Answers a call with a file. Call it before anything that a refused call must not do. @throws PRECONDITION_FAILED over tRPC. */
export function fileAnswerOf({ requestOptions: { sendAs } }: Pick<Context, "requestOptions">): SendFile {
  if (sendAs === undefined) throw preconditionFailed("The answer is a file, which only REST can send");
  return (file, bytes) => {
    sendAs(file);
    return answering(bytes);
  };
}

/** Sends bytes; closes the connection after an error, so that no part is taken for the whole, or `stalledMs` without progress. */
export function sendFile(request: FastifyRequest, reply: FastifyReply, bytes: Readable, stalledMs: number) {
  endWhenStalled(reply.raw, stalledMs);
  bytes.once("error", (error) => {
    const failure = failureOf(error);
    if (failure.isFault) request.log.error({ err: failure }, "a file could not be sent to its end");
  });
  return reply.send(bytes);
}
