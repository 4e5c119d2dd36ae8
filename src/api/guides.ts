// The guides, as pages for browsers and as Markdown, with the files that they link to.

import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { posix } from "node:path";
import type { FastifyInstance } from "fastify";
import { FAVICON } from "./docs.js";
import { notFound } from "./errors.js";
import { pageOf } from "./guidePages.js";
import { type Documented, operationPages } from "./operationGuides.js";
import { UNCOUNTED } from "./paths.js";
import { Rendered } from "./rendered.js";
import { sendRendered } from "./rest.js";

/** The path under which the guides are served. */
export const GUIDES_BASE = "/guides";

/** The pages run no script; nothing comes from another host. */
const POLICY = [
  "default-src 'none'",
  "style-src 'self'",
  "img-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

const HTML = "text/html; charset=utf-8";
const TEXT = "text/plain; charset=utf-8";
const TYPES: Record<string, string> = { ".png": "image/png", ".svg": "image/svg+xml" };

/** The address by which the guides name the service that serves them. */
const THIS_SERVICE = "http://localhost:3000/";

interface Served {
  type: string;
  content: Rendered;
}

/** The path of a repository file below `/guides`: `docs/streams.md` is `streams`, `CHANGELOG.md` is `CHANGELOG`. */
const addressOf = (path: string) => path.replace(/^docs\//, "").replace(/\.md$/, "");

const urlOf = (address: string) => (address === "" ? GUIDES_BASE : `${GUIDES_BASE}/${address}`);

/** The way from a page to a path of the service. It is relative, because behind a proxy the service may have a path of its own. */
function relativeTo(page: string, path: string): string {
  const from = posix.dirname(urlOf(page));
  return from === path ? `../${posix.basename(path)}` : posix.relative(from, path);
}

/** Makes the guides of an installation: everything in `docs/`, each file that a page links to, and Markdown of its operations. */
class Guides {
  readonly served = new Map<string, Served>();
  readonly #root: URL;
  readonly #guides: { title: string; address: string }[];

  constructor(root: URL, document: Documented) {
    this.#root = root;
    for (const [address, text] of operationPages(document)) {
      this.served.set(address, { type: TEXT, content: Rendered.from(Buffer.from(text)) });
    }
    const sections = this.#read("README.md").toString().split(/^## /m);
    const list = sections.find((section) => section.startsWith("Guides\n")) ?? "";
    this.#guides = [...list.matchAll(/\[([^\]]+)\]\((docs\/[\w-]+\.md)\)/g)].map(([, title = "", path = ""]) => ({
      title,
      address: addressOf(path),
    }));
    this.#addPage("", "README.md", `# ${list}`);
    for (const name of readdirSync(new URL("docs/", root))) {
      if (posix.extname(name) === ".md") this.#add(`docs/${name}`);
    }
    const style = readFileSync(new URL("./pages/guides.css", import.meta.url));
    this.served.set("guides.css", { type: "text/css; charset=utf-8", content: Rendered.from(style) });
    this.served.set("icon.svg", { type: "image/svg+xml", content: Rendered.from(Buffer.from(FAVICON)) });
  }

  #read(path: string): Buffer {
    return readFileSync(new URL(path, this.#root));
  }

  /** Adds a file, unless it is there already. */
  #add(path: string): void {
    const extension = posix.extname(path);
    const address = extension === ".md" ? `${addressOf(path)}.md` : addressOf(path);
    if (this.served.has(address)) return;
    const content = this.#read(path);
    this.served.set(address, { type: TYPES[extension] ?? TEXT, content: Rendered.from(content) });
    if (extension === ".md") this.#addPage(addressOf(path), path, content.toString(), address);
  }

  #addPage(address: string, path: string, text: string, source?: string): void {
    const at = (to: string) => relativeTo(address, to);
    const page = pageOf({
      text,
      resolve: (to) => this.#resolve(to, address, path),
      guides: this.#guides.map((guide) => ({
        title: guide.title,
        url: at(urlOf(guide.address)),
        isCurrent: guide.address === address,
      })),
      index: at(GUIDES_BASE),
      reference: at("/docs"),
      style: at(urlOf("guides.css")),
      icon: at(urlOf("icon.svg")),
      source: source === undefined ? null : at(urlOf(source)),
    });
    this.served.set(address, { type: HTML, content: Rendered.from(Buffer.from(page)) });
  }

  /** The address of a page's link in the browser; null if this installation does not have the file. */
  #resolve(to: string, address: string, path: string): string | null {
    if (to.startsWith(THIS_SERVICE)) return relativeTo(address, `/${to.slice(THIS_SERVICE.length)}`);
    if (to.startsWith("https://") || to.startsWith("#")) return to;
    // Placeholders such as http://localhost:PORT, which Markdown takes for addresses.
    if (/^[a-z]+:/.test(to)) return null;
    const [name = "", anchor] = to.split("#");
    const target = posix.join(posix.dirname(path), name);
    const file = new URL(target, this.#root);
    if (target.startsWith("..") || !existsSync(file) || !statSync(file).isFile()) return null;
    this.#add(target);
    return relativeTo(address, urlOf(addressOf(target))) + (anchor === undefined ? "" : `#${anchor}`);
  }
}

/** Serves the guides of the installation in a folder, rendered when the first of them is requested, and those of its operations. */
export function serveGuides(app: FastifyInstance, root: URL, document: Documented): void {
  let guides: Guides | undefined;
  app.register(async (pages) => {
    pages.addHook("onRequest", async (_request, reply) => void reply.header("content-security-policy", POLICY));
    pages.get(`${GUIDES_BASE}/`, UNCOUNTED, async (_request, reply) => reply.redirect("../guides"));
    for (const url of [GUIDES_BASE, `${GUIDES_BASE}/*`]) {
      pages.get<{ Params: { "*"?: string } }>(url, UNCOUNTED, async (request, reply) => {
        guides ??= new Guides(root, document);
        const guide = guides.served.get(request.params["*"] ?? "");
        if (guide === undefined) throw notFound();
        return sendRendered(request, reply.type(guide.type), guide.content, "no-cache");
      });
    }
  });
}
