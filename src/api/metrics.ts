// The metrics for Prometheus at /metrics: those of the process, and the duration of requests by route pattern.

import type { FastifyInstance } from "fastify";
import { collectDefaultMetrics, Histogram, Registry } from "prom-client";
import type { Config } from "../config.js";
import { isSame } from "./digests.js";
import { unauthorized } from "./errors.js";
import { UNCOUNTED } from "./paths.js";

/** Measures requests and serves the metrics, with METRICS_TOKEN if it is set. Gives the registry; undefined without METRICS. */
export function serveMetrics(app: FastifyInstance, config: Config): Registry | undefined {
  if (!config.metrics) return undefined;
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const duration = new Histogram({
    name: "http_request_duration_seconds",
    help: "Time from the arrival of a request to the end of its response",
    labelNames: ["method", "route", "status"],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [registry],
  });

  app.addHook("onResponse", async (request, reply) => {
    const labels = { method: request.method, route: request.routeOptions.url ?? "none", status: reply.statusCode };
    duration.observe(labels, reply.elapsedTime / 1000);
  });
  app.get("/metrics", UNCOUNTED, async (request, reply) => {
    const { metricsToken } = config;
    if (metricsToken !== undefined && !isSame(request.headers.authorization ?? "", `Bearer ${metricsToken}`)) {
      throw unauthorized();
    }
    return reply.type(registry.contentType).send(await registry.metrics());
  });
  return registry;
}
