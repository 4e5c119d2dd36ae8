// A person at the pages of /docs, played by a browser. With `SCREENSHOTS=<folder>` it leaves pictures of what it saw.

import { join } from "node:path";
import type { BrowserContext, Locator, Page } from "playwright-core";

export interface Visit {
  created: unknown;
  read: unknown;
  refused: unknown;
  groups: string[];
  isStillAuthorised: boolean;
  /** How many operations are shown at first below the headings, and the headings with the operations that the filter leaves. */
  shownAtFirst: number;
  filtered: Record<string, { groups: string[]; operations: string[] }>;
  /** Errors of the console, requests that failed or were blocked, and requests to another host. */
  troubles: string[];
}

/** The name that the service is called by: not this machine's, for which Swagger UI makes exceptions. */
const HOST = "boards.example.org";

async function picture(page: Page, name: string): Promise<void> {
  const folder = process.env.SCREENSHOTS;
  if (folder) await page.screenshot({ path: join(folder, `${name}.png`), fullPage: name !== "list" });
}

function watch(page: Page, base: string): string[] {
  const troubles: string[] = [];
  page.on("console", (message) => {
    // What the browser says of a refusal that the visit asks for is no trouble.
    const isRefusal = message.text().includes("status of 400");
    if (message.type() === "error" && !isRefusal) troubles.push(`console: ${message.text()}`);
  });
  page.on("pageerror", (error) => troubles.push(`page: ${error.message}`));
  page.on("requestfailed", (request) => {
    const reason = request.failure()?.errorText;
    // The page gives up what it still waits for, such as its icon, when it is left.
    if (reason !== "net::ERR_ABORTED") troubles.push(`failed: ${request.url()}, ${reason}`);
  });
  page.on("request", (request) => {
    const here = request.url().startsWith(`${base}/`) || /^(data|blob):/.test(request.url());
    if (!here) troubles.push(`elsewhere: ${request.url()}`);
  });
  return troubles;
}

async function authorise(page: Page, token: string): Promise<void> {
  await page.locator(".auth-wrapper .authorize").click();
  await page.locator(".auth-container input").fill(token);
  await page.locator(".auth-btn-wrapper .authorize").click();
  await picture(page, "authorised");
  await page.locator(".auth-btn-wrapper .btn-done").click();
}

const tagsOn = (page: Page) =>
  page.locator(".opblock-tag").evaluateAll((tags) => tags.map((tag): string => Object(tag).dataset.tag ?? ""));

/** Types into the filter, and reads what it leaves. */
async function filterBy(page: Page, phrase: string) {
  await page.locator(".operation-filter-input").fill(phrase);
  // React shows what was typed in its next pass.
  await page.waitForTimeout(500);
  const operations = await page.locator(".opblock-tag-section .opblock-summary-description").allTextContents();
  return { groups: await tagsOn(page), operations };
}

async function open(page: Page, tag: string, operationId: string): Promise<Locator> {
  const operation = page.locator(`[id="operations-${tag}-${operationId}"]`);
  if (!(await operation.isVisible())) await page.locator(`[id="operations-tag-${tag}"]`).click();
  await operation.locator(".opblock-summary-control").click();
  await operation.locator(".btn.execute").waitFor();
  return operation;
}

async function execute(page: Page, operation: Locator): Promise<unknown> {
  const answered = page.waitForResponse((response) => response.url().includes("/api/v1/"));
  await operation.locator(".btn.execute").click();
  const status = String((await answered).status());
  const live = operation.locator(".live-responses-table");
  await live.locator(".response-col_status", { hasText: status }).first().waitFor();
  return JSON.parse((await live.locator(".highlight-code pre").first().textContent()) ?? "");
}

/** Visits `/docs` of the service, which listens at `url`, as somebody who has a token. */
export async function tryOut(browser: BrowserContext, url: string, token: string): Promise<Visit> {
  const base = `http://${HOST}:${new URL(url).port}`;
  const page = await browser.newPage();
  const troubles = watch(page, base);
  await page.goto(`${base}/docs`);
  await page.locator(".opblock-tag").first().waitFor();
  const groups = await tagsOn(page);
  const shownAtFirst = await page.locator(".opblock-tag-section .opblock").count();
  await picture(page, "list");
  const filtered: Visit["filtered"] = {};
  for (const phrase of ["COMMENTS", "/invites/accept", "sign IN"]) filtered[phrase] = await filterBy(page, phrase);
  await picture(page, "filtered");
  await filterBy(page, "");
  await authorise(page, token);

  const create = await open(page, "Workspaces", "workspace_create");
  const created = await execute(page, create);
  await picture(page, "answer");
  const get = await open(page, "Workspaces", "workspace_get");
  await get
    .locator("input")
    .first()
    .fill(String(Reflect.get(Object(created), "publicId")));
  const read = await execute(page, get);
  await create.locator("textarea").first().fill('{ "name": "" }');
  const refused = await execute(page, create);
  await picture(page, "error");

  await page.goto(`${base}/docs#/Boards/board_get`);
  await page.reload();
  await page.locator('[id="operations-Boards-board_get"] .btn.execute').waitFor();
  const isStillAuthorised = await page.locator(".auth-wrapper .authorize.locked").isVisible();
  await picture(page, "deep-link");
  return { created, read, refused, groups, isStillAuthorised, shownAtFirst, filtered, troubles };
}
