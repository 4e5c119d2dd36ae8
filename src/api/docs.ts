// The committed OpenAPI document, and Swagger UI to explore it. Both are served from this process alone.

import swagger from "@fastify/swagger";
import swaggerUi from "@fastify/swagger-ui";
import type { FastifyInstance } from "fastify";

/** Serves `/openapi.json` (the given bytes) and `/docs`. */
export async function serveDocs(app: FastifyInstance, document: Buffer): Promise<void> {
  app.get("/openapi.json", async (_request, reply) => reply.type("application/json; charset=utf-8").send(document));
  await app.register(swagger, { mode: "static", specification: { document: JSON.parse(document.toString()) } });
  await app.register(swaggerUi, {
    routePrefix: "/docs",
    staticCSP: true,
    // Over plain HTTP it would turn the page's own requests into HTTPS ones.
    transformStaticCSP: (policy) => policy.replace(/\s*upgrade-insecure-requests;?/, ""),
    uiConfig: { deepLinking: true, filter: true, persistAuthorization: true, docExpansion: "none" },
  });
}
