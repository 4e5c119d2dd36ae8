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

/**
 * What a reader needs not see: the bar at the top, which would load documents of other hosts; the choice of the one server and of
 * the one media type; the empty column of links; and, of every failure but the first, the same body and headers again.
 */
const STYLE = `
.swagger-ui .topbar, .swagger-ui .servers-title, .swagger-ui .servers, .swagger-ui .response-col_links,
.swagger-ui .response-control-media-type:not(:has(option + option)), .swagger-ui .response-control-media-type__accept-message,
.swagger-ui .response:not([data-code="200"]) .headers__title, .swagger-ui .response:not([data-code="200"]) .headers,
.swagger-ui .response:not([data-code="200"]):not([data-code="400"]) .response-col_description > :not(.response-col_description__inner),
.swagger-ui .body-param-content-type:not(:has(option + option)) { display: none }
.swagger-ui .live-responses-table .response .response-col_description > * { display: block !important }
.swagger-ui .info { margin: 32px 0 16px }
.swagger-ui .info p, .swagger-ui .info li { line-height: 1.5; margin: 8px 0 }
.swagger-ui .markdown code, .swagger-ui .renderedMarkdown code { color: #334155; font-weight: 500; padding: 1px 4px }
.swagger-ui .scheme-container { box-shadow: none; margin: 0; padding: 12px 0 }
.swagger-ui .opblock { margin: 0 0 6px; box-shadow: none }
.swagger-ui .opblock-tag { padding: 12px 16px 8px 8px }
.swagger-ui .opblock-tag-section { margin-bottom: 12px }
.swagger-ui .response-col_description__inner p { margin: 0 }
.swagger-ui .responses-table .response > td { padding: 8px 0 }
`;

const FAVICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#1f6feb"/>
<g fill="#fff"><rect x="6" y="7" width="5.5" height="18" rx="1.5"/><rect x="13.25" y="7" width="5.5" height="11" rx="1.5"/>
<rect x="20.5" y="7" width="5.5" height="14" rx="1.5"/></g></svg>`;

/** Serves `/openapi.json` (the given bytes) and `/docs`. */
export async function serveDocs(app: FastifyInstance, document: Buffer): Promise<void> {
  app.get("/openapi.json", async (_request, reply) => reply.type("application/json; charset=utf-8").send(document));
  await app.register(swagger, { mode: "static", specification: { document: JSON.parse(document.toString()) } });
  await app.register(swaggerUi, {
    routePrefix: "/docs",
    staticCSP: POLICY,
    theme: {
      title: "work-board API",
      css: [{ filename: "page.css", content: STYLE }],
      favicon: [{ filename: "icon.svg", rel: "icon", sizes: "any", type: "image/svg+xml", content: FAVICON }],
    },
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
