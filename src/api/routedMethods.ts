// The methods of the paths that have routes, for requests with another method.

import type { FastifyInstance, FastifyRequest } from "fastify";
import { pathOf } from "./paths.js";
import { REST_BASE } from "./rest.js";

/** Only instance admins may learn which paths there are below this one. */
const HIDDEN = `${REST_BASE}/admin/`;

interface RoutedPath {
  pattern: RegExp;
  methods: Set<string>;
}

/** Matches the decoded paths of a route's address: `:name` is one segment, `*` is any rest. */
const patternOf = (url: string) =>
  new RegExp(
    `^${url
      .replace(/[.+?^${}()|[\]\\]/g, "\\$&")
      .replace(/:\w+/g, "[^/]+")
      .replaceAll("*", ".*")}$`,
  );

/** Collects the routes that are added to an application from now on, but for those of instance admins. */
export class RoutedMethods {
  readonly #paths = new Map<string, RoutedPath>();

  constructor(app: FastifyInstance) {
    app.addHook("onRoute", ({ url, method }) => {
      if (url.startsWith(HIDDEN)) return;
      const path = this.#paths.get(url) ?? { pattern: patternOf(url), methods: new Set() };
      this.#paths.set(url, path);
      for (const one of [method].flat()) path.methods.add(one);
    });
  }

  /** The methods that the path of a request has; empty if no route has it. */
  at(request: FastifyRequest): string[] {
    const decoded = pathOf(request);
    const matching = [...this.#paths.values()].filter(({ pattern }) => pattern.test(decoded));
    return [...new Set(matching.flatMap(({ methods }) => [...methods]))].sort();
  }
}
