// Which part of the service a request is for. A path can be spelled in many ways, so this is decided by the route that the router
// found, never by the text of the request.

import type { FastifyRequest } from "fastify";

declare module "fastify" {
  interface FastifyContextConfig {
    /** Whether requests of the route are neither counted nor require a caller. */
    isUncounted?: true;
  }
}

/** The options of a route whose requests are not counted. Admission counts those of all other routes, and requires a caller. */
export const UNCOUNTED = { config: { isUncounted: true } } as const;

/** The decoded path of a request. Only for requests without a route: the router decodes some characters otherwise. */
export function pathOf({ url }: FastifyRequest): string {
  const path = url.replace(/^https?:\/\/[^/?#]*/i, "").replace(/[?#].*/s, "") || "/";
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** Whether a request is for a route below `base`, or, without a route, for a path below it. */
export const isBelow = (request: FastifyRequest, base: string): boolean =>
  (request.routeOptions.url ?? pathOf(request)).startsWith(`${base}/`);
