// `npm run dev`: the service, which starts again when its source changes, and the page, which shows each change at once.
//
// The page is at http://localhost:5173; Vite passes everything that is not of the page on to the service.

import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { createServer } from "vite";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const port = process.env.PORT || "3000";

const service = spawn(process.execPath, ["node_modules/tsx/dist/cli.mjs", "watch", "src/server.ts"], {
  cwd: ROOT,
  stdio: "inherit",
  env: { ...process.env, WEB: "off" },
});
service.on("exit", (code) => process.exit(code ?? 1));

const page = await createServer({
  configFile: `${ROOT}packages/web/vite.config.ts`,
  server: {
    proxy: { "^/(api|trpc|docs|guides|openapi\\.json|llms\\.txt|account|invite)(/|$|\\?)": `http://127.0.0.1:${port}` },
  },
});
await page.listen();
page.printUrls();
