// Load on one server: an operation again and again on so many connections, and what each request took.

import autocannon from "autocannon";
import type { Operation } from "./operations.js";

export interface Load {
  url: string;
  token: string;
  operation: Operation;
  connections: number;
  forMs: number;
  /** Called before each request of an operation that wants the board changed. */
  changeBoard: () => void;
}

/** Requests a second, and what each took in milliseconds. */
export interface Measured {
  rate: number;
  times: number[];
}

const HEADERS = { "content-type": "application/json" };

/** Runs the load; an answer other than 200 or 304 ends the benchmark. */
export async function measure({ url, token, operation, connections, forMs, changeBoard }: Load): Promise<Measured> {
  const etag = operation.conditional ? await etagOf(url, token, operation) : null;
  const headers = { ...HEADERS, authorization: `Bearer ${token}`, ...(etag !== null && { "if-none-match": etag }) };
  const times: number[] = [];
  const refused = new Map<number, number>();
  const running = new Promise<autocannon.Result>((resolve, reject) => {
    const instance = autocannon(
      {
        url,
        connections,
        duration: forMs / 1000,
        timeout: 60,
        requests: [
          {
            setupRequest: (request) => {
              if (operation.changesBoard) changeBoard();
              const { method, path, body, headers: asked } = operation.next();
              return {
                ...request,
                method,
                path: `/api/v1${path}`,
                headers: { ...(body === undefined ? without(headers) : headers), ...asked },
                body,
              };
            },
          },
        ],
      },
      (error, result) => (error ? reject(error) : resolve(result)),
    );
    instance.on("response", (_client, status, _bytes, ms) => {
      times.push(ms);
      if (status !== 200 && status !== 304) refused.set(status, (refused.get(status) ?? 0) + 1);
    });
  });
  const result = await running;
  if (refused.size > 0 || result.errors > 0) {
    throw new Error(`${operation.name} at ${url}: ${[...refused]} ${result.errors} errors`);
  }
  return { rate: times.length / result.duration, times };
}

const without = ({ "content-type": _, ...headers }: Record<string, string>) => headers;

async function etagOf(url: string, token: string, operation: Operation): Promise<string> {
  const answer = await fetch(`${url}/api/v1${operation.next().path}`, {
    headers: { authorization: `Bearer ${token}` },
  });
  await answer.arrayBuffer();
  const etag = answer.headers.get("etag");
  if (etag === null) throw new Error(`${operation.name}: no ETag`);
  return etag;
}
