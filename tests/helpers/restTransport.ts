// Takes the mutations of the TypeScript client to the REST API: the same changes and headers, as another client would send them.

import { readFileSync } from "node:fs";

interface Described {
  paths: Record<string, Record<string, { operationId: string }>>;
}

/** The method and path of each operation, by its identifier. */
const OPERATIONS = new Map(
  Object.entries((JSON.parse(readFileSync("openapi.json", "utf8")) as Described).paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId }]) => [operationId, { method, path }] as const),
  ),
);

interface Refusal {
  code: string;
  message: string;
  issues: object[];
}

/** A `fetch` that sends each mutation over REST, and gives its answer as tRPC does. Queries and streams pass as they are. */
export function restTransport(url: string): typeof fetch {
  return async (resource, init) => {
    if (init?.method !== "POST") return fetch(resource, init);
    const name = new URL(String(resource)).pathname.replace("/trpc/", "");
    const operation = OPERATIONS.get(name.replaceAll(".", "_"));
    if (operation === undefined) throw new Error(`REST has no operation ${name}`);
    const input: Record<string, unknown> = JSON.parse(String(init.body));
    const path = operation.path.replace(/\{(\w+)\}/g, (_, field: string) => {
      const value = String(input[field]);
      delete input[field];
      return value;
    });
    const headers = new Headers(init.headers);
    const hasBody = operation.method !== "delete";
    if (!hasBody) headers.delete("content-type");
    const request = { ...init, method: operation.method.toUpperCase(), headers };
    const response = await fetch(`${url}/api/v1${path}`, { ...request, body: hasBody ? JSON.stringify(input) : null });
    const { status, ok } = response;
    const body = await response.json();
    const { code, message, issues } = body as Refusal;
    const error = { message, code: -32603, data: { code, httpStatus: status, issues } };
    const answered = new Headers(response.headers);
    answered.delete("content-length");
    return Response.json(ok ? { result: { data: body } } : { error }, { status, headers: answered });
  };
}
