// The committed OpenAPI document, and Swagger UI to explore it. Both are served from this process alone.

import swagger from "@fastify/swagger";
import swaggerUi from "@fastify/swagger-ui";
import type { FastifyInstance } from "fastify";

/** The page runs its own scripts and calls this service; nothing comes from another host. It styles elements in line. */
const POLICY = {
  "default-src": "'none'",
  "script-src": "'self'",
  "style-src": "'self' 'unsafe-inline'",
  "img-src": "'self' data:",
  "font-src": "'self'",
  "connect-src": "'self'",
  "base-uri": "'self'",
  "frame-ancestors": "'none'",
};

/** The bar at the top would load documents of other hosts. */
const STYLE = ".swagger-ui .topbar { display: none }";

/** Serves `/openapi.json` (the given bytes) and `/docs`. */
export async function serveDocs(app: FastifyInstance, document: Buffer): Promise<void> {
  app.get("/openapi.json", async (_request, reply) => reply.type("application/json; charset=utf-8").send(document));
  await app.register(swagger, { mode: "static", specification: { document: JSON.parse(document.toString()) } });
  await app.register(swaggerUi, {
    routePrefix: "/docs",
    staticCSP: POLICY,
    theme: { title: "work-board API", css: [{ filename: "page.css", content: STYLE }] },
    uiConfig: {
      deepLinking: true,
      filter: true,
      persistAuthorization: true,
      docExpansion: "list",
      tryItOutEnabled: true,
      displayRequestDuration: true,
      defaultModelsExpandDepth: 0,
    },
  });
}
