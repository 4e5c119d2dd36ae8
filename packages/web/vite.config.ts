// Builds the page into `dist/web`, with each asset also as Brotli and gzip.

import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { defineConfig, type Plugin } from "vite";
import { TARGETS, TOO_OLD } from "./browsers.js";

const pathOf = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** Smaller files would gain less than the headers cost. */
const COMPRESSED_FROM_BYTES = 1024;

/** Writes each text beside itself in the encodings that browsers take. */
const compressed = (): Plugin => ({
  name: "compressed",
  writeBundle({ dir = "" }) {
    const assets = join(dir, "assets");
    for (const name of readdirSync(assets).filter((name) => /\.(js|css|svg)$/.test(name))) {
      const file = join(assets, name);
      const content = readFileSync(file);
      if (content.length < COMPRESSED_FROM_BYTES) continue;
      writeFileSync(`${file}.gz`, gzipSync(content, { level: constants.Z_BEST_COMPRESSION }));
      writeFileSync(`${file}.br`, brotliCompressSync(content));
    }
  },
});

/** Writes into index.html what readers with older browsers see. */
const tooOld: Plugin = { name: "too-old", transformIndexHtml: (html) => html.replace("{tooOld}", TOO_OLD) };

export default defineConfig({
  root: pathOf("."),
  resolve: {
    alias: [
      { find: /^work-board-client$/, replacement: pathOf("../client/src/index.ts") },
      { find: /^work-board-client\/(board|react)$/, replacement: `${pathOf("../client/src")}/$1/index.ts` },
    ],
  },
  plugins: [compressed(), tooOld],
  css: { modules: { generateScopedName: (name, file) => `${basename(file, ".module.css")}-${name}` } },
  build: {
    outDir: pathOf("../../dist/web"),
    emptyOutDir: true,
    target: TARGETS,
    modulePreload: { polyfill: false },
    // The policy of the page takes pictures from files alone.
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            // The client exports it to all, and the history of a card alone uses it.
            { name: "events", test: /client\/src\/(?:describe|eventTexts)\.ts$/ },
            // Every page loads these first. Libraries change less often.
            { name: "libraries", test: /node_modules/, tags: ["$initial"] },
            { name: "page", tags: ["$initial"] },
            { name: "undo", test: /board\/undo\// },
            // Nothing that is small enough to share a file may bring it along.
            { name: "markdown", test: /\/(?:marked|dompurify|card\/(?:Markdown\.tsx|boundedMarkdown\.ts))(?:\/|$)/ },
            // The libraries of dialogs and menus import nothing of the page: apart from it, they cannot tie files into circles.
            { name: "widgets", test: /node_modules/, minShareCount: 2 },
            // Several pages share and load these later. Tiny files would take a request each.
            // The names of classes stay out: they depend on nothing, and would tie files into circles, which run in the wrong order.
            {
              name: "shared",
              test: /(?<!\.css)$/,
              minShareCount: 2,
              entriesAware: true,
              entriesAwareMergeThreshold: 10_000,
            },
          ],
        },
      },
    },
  },
});
