// The committed OpenAPI document, and Swagger UI to explore it. Both are served from this process alone.

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { constants } from "node:zlib";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { type Documented, operationIndex } from "./operationGuides.js";
import { UNCOUNTED } from "./paths.js";
import { Rendered } from "./rendered.js";
import { Beginning, CountedParts, Piece, RenderedParts } from "./renderedParts.js";
import { JSON_UTF8, sendRendered } from "./rest.js";

/** The page runs its own scripts and calls this service; nothing is loaded from another host. It uses inline styles. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'self'",
  "frame-ancestors 'none'",
].join("; ");

/**
 * Hides what readers do not need: the top bar, which would load documents of other hosts; the choice of the only server and the
 * only media type; the empty column of links; and the repeated bodies and headers of all errors but the first.
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

/** The icon of every page. */
export const FAVICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#1f6feb"/>
<g fill="#fff"><rect x="6" y="7" width="5.5" height="18" rx="1.5"/><rect x="13.25" y="7" width="5.5" height="11" rx="1.5"/>
<rect x="20.5" y="7" width="5.5" height="14" rx="1.5"/></g></svg>`;

/**
 * Starts Swagger UI, collapsed, with responses as plain text: highlighting a large one would freeze the page. Its own filter only
 * matches tags and is case-sensitive; this one also matches paths and summaries, and expands what it finds.
 */
const START = `
const has = (text, phrase) => (text ?? "").toLowerCase().includes(phrase);

const Filter = () => ({
  fn: {
    opsFilter: (tagged, given) => {
      const phrase = given.trim().toLowerCase();
      const fits = (operation) =>
        has(operation.get("path"), phrase) || has(operation.getIn(["operation", "summary"]), phrase);
      return tagged
        .map((group, tag) => (has(tag, phrase) ? group : group.update("operations", (all) => all.filter(fits))))
        .filter((group) => group.get("operations").size > 0);
    },
  },
  statePlugins: {
    layout: {
      wrapSelectors: {
        isShown: (original, system) => (state, thing, byDefault) => {
          const phrase = system.layoutSelectors.currentFilter();
          const isFound = thing[0] === "operations-tag" && typeof phrase === "string" && phrase.trim() !== "";
          return original(thing, byDefault || isFound);
        },
      },
    },
  },
});

const { url } = document.getElementById("swagger-ui").dataset;
SwaggerUIBundle({
  url,
  dom_id: "#swagger-ui",
  presets: [SwaggerUIBundle.presets.apis],
  plugins: [Filter],
  layout: "BaseLayout",
  validatorUrl: null,
  deepLinking: true,
  filter: true,
  persistAuthorization: true,
  docExpansion: "none",
  syntaxHighlight: false,
  tryItOutEnabled: true,
  displayRequestDuration: true,
  defaultModelsExpandDepth: 0,
  onComplete: () =>
    document.querySelector(".operation-filter-input").setAttribute("placeholder", "Filter by tag, path or summary"),
});
`;

/** Bytes that stay the same as long as the process lives, compressed as far as possible on first use. */
const lasting = (content: Buffer | string) =>
  Rendered.from(Buffer.from(content), undefined, constants.Z_BEST_COMPRESSION);

/** The files that the page loads, by name. */
function assetsOfPage(document: Documented): Map<string, { type: string; content: Rendered }> {
  const { resolve } = createRequire(import.meta.url);
  const ofSwagger = (name: string) => readFileSync(resolve(`@fastify/swagger-ui/static/${name}`));
  const script = "text/javascript; charset=utf-8";
  const style = "text/css; charset=utf-8";
  const assets: [string, string, Buffer][] = [
    ["swagger-ui-bundle.js", script, ofSwagger("swagger-ui-bundle.js")],
    ["start.js", script, Buffer.from(START)],
    ["swagger-ui.css", style, ofSwagger("swagger-ui.css")],
    ["page.css", style, Buffer.concat([ofSwagger("index.css"), Buffer.from(STYLE)])],
    ["icon.svg", "image/svg+xml", Buffer.from(FAVICON)],
    // With relative addresses: "Try it out" calls the service through whatever proxy shows this page.
    ["openapi.json", JSON_UTF8, Buffer.from(JSON.stringify(document))],
  ];
  return new Map(assets.map(([name, type, content]) => [name, { type, content: lasting(content) }]));
}

const pageOf = (assets: string) => `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>work-board API</title>
<link rel="stylesheet" href="${assets}/swagger-ui.css">
<link rel="stylesheet" href="${assets}/page.css">
<link rel="icon" type="image/svg+xml" href="${assets}/icon.svg" sizes="any">
</head>
<body>
<div id="swagger-ui" data-url="${assets}/openapi.json"></div>
<script src="${assets}/swagger-ui-bundle.js"></script>
<script src="${assets}/start.js"></script>
</body>
</html>
`;

/** One year: the address of an asset changes with its content. */
const IMMUTABLE = "public, max-age=31536000, immutable";

const TEXT = "text/plain; charset=utf-8";

/** Crawlers may read everything: `X-Robots-Tag` says what they must not index, which they can only obey after they have read it. */
const ROBOTS = "User-agent: *\nAllow: /\n";

/** The origin at which a request reached the service. A proxy may end TLS without saying so: the host of `PUBLIC_URL` has its scheme. */
function originOf({ protocol, host }: FastifyRequest, publicUrl: URL): string {
  const isPublic =
    URL.canParse(`${publicUrl.protocol}//${host}`) && new URL(`${publicUrl.protocol}//${host}`).host === publicUrl.host;
  return isPublic ? publicUrl.origin : `${protocol}://${host}`;
}

/**
 * The document with absolute addresses of servers and guides, because tools that import it know no base for relative ones. Only its
 * short beginning depends on the origin: the rest is hashed and compressed once.
 */
function absoluteDocument(document: Documented): (origin: string) => Rendered {
  const { paths, ...others } = document;
  const entries = Object.entries(others);
  const isBefore = ([name]: [string, unknown]) =>
    Object.keys(document).indexOf(name) < Object.keys(document).indexOf("paths");
  const head = Object.fromEntries(entries.filter(isBefore));
  const rest = JSON.stringify({ paths, ...Object.fromEntries(entries.filter((entry) => !isBefore(entry))) });
  const piece = new Piece(Buffer.from(`,${rest.slice(1)}`), constants.Z_BEST_COMPRESSION);
  return (origin) => {
    const absolute = (name: string, value: unknown) =>
      name === "url" && typeof value === "string" && value.startsWith("/") ? origin + value : value;
    return new RenderedParts(
      new CountedParts(new Beginning([JSON.stringify(head, absolute).slice(0, -1)]), [piece]),
      "",
    );
  };
}

/** The parts of a document that are read, hashed and compressed once. */
interface Lasting {
  documentAt: (origin: string) => Rendered;
  index: Rendered;
  assets: ReturnType<typeof assetsOfPage>;
}

/** Many applications of one process serve the same document. */
const lastingParts = new WeakMap<Documented, Lasting>();

function lastingPartsOf(document: Documented): Lasting {
  const parts = lastingParts.get(document) ?? {
    documentAt: absoluteDocument(document),
    index: lasting(operationIndex(document)),
    assets: assetsOfPage(document),
  };
  lastingParts.set(document, parts);
  return parts;
}

/** Serves `/openapi.json` (the given document without white space), `/llms.txt`, `/docs` and the icon and rules for crawlers. */
export async function serveDocs(app: FastifyInstance, document: Documented, publicUrl: URL): Promise<void> {
  const send = (type: string, content: Rendered, cacheControl = "no-cache") => {
    return (request: FastifyRequest, reply: FastifyReply) =>
      sendRendered(request, reply.type(type), content, cacheControl);
  };
  const { documentAt, index, assets } = lastingPartsOf(document);
  app.get("/openapi.json", UNCOUNTED, async (request, reply) =>
    sendRendered(request, reply.type(JSON_UTF8), documentAt(originOf(request, publicUrl)), "no-cache"),
  );
  app.get("/llms.txt", UNCOUNTED, send(TEXT, index));
  app.get("/robots.txt", UNCOUNTED, send(TEXT, lasting(ROBOTS)));
  app.get("/favicon.ico", UNCOUNTED, send("image/svg+xml", lasting(FAVICON)));

  const version = createHash("sha256");
  for (const { content } of assets.values()) version.update(content.etag);
  const path = `static/${version.digest("hex").slice(0, 16)}`;
  app.register(async (docs) => {
    docs.addHook("onRequest", async (_request, reply) => void reply.header("content-security-policy", POLICY));
    // Relative addresses, which work behind a proxy that serves this under a path of its own.
    const pages = { "/docs": pageOf(`docs/${path}`), "/docs/": pageOf(path) };
    for (const [url, page] of Object.entries(pages)) {
      docs.get(url, UNCOUNTED, send("text/html; charset=utf-8", lasting(page)));
    }
    for (const [name, { type, content }] of assets) {
      docs.get(`/docs/${path}/${name}`, UNCOUNTED, send(type, content, IMMUTABLE));
    }
  });
}
