// The routes of an application.

import type { FastifyInstance } from "fastify";

/** Every route of an application, as `METHOD path`, read from the tree that Fastify prints. */
export function routesOf(app: FastifyInstance): string[] {
  const parents: string[] = [];
  return app
    .printRoutes({ commonPrefix: false })
    .split("\n")
    .flatMap((line) => {
      const [, indent, segment, methods = ""] = /^(.*?)[├└]── (\S*?)(?: \(([A-Z, ]+)\))?$/.exec(line) ?? [];
      if (indent === undefined || segment === undefined) return [];
      const depth = indent.length / 4;
      const path = (parents[depth - 1] ?? "") + segment;
      parents[depth] = path;
      return methods.split(", ").flatMap((method) => (method === "" ? [] : `${method} ${path}`));
    });
}
