// Receivers of webhooks for tests: what they were sent, and whatever answers a test wants of them.

import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { sql } from "drizzle-orm";
import { Webhook } from "standardwebhooks";
import { expect, onTestFinished, vi } from "vitest";
import { createReceiver, type Message } from "../../examples/webhook-receiver.js";
import type { QueueWorker } from "../../src/db/queueLoop.js";
import type { Resolve } from "../../src/webhook/addresses.js";
import { startDelivering } from "../../src/webhook/worker.js";
import { ok, type TestApp, unique, type Workspace } from "../helpers/app.js";

export async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return `http://127.0.0.1:${port}/hook`;
}

export interface Received {
  id: string;
  headers: IncomingMessage["headers"];
  body: string;
  message: Message;
}

type Answer = (res: ServerResponse, received: Received, count: number) => void;

/** A receiver that answers as it is told to, 204 unless told otherwise. */
export async function receiver(answer: Answer = (res) => res.writeHead(204).end()) {
  const received: Received[] = [];
  const act: RequestListener = (req, res) => {
    let body = "";
    req.setEncoding("utf8").on("data", (text) => {
      body += text;
    });
    req.on("end", () => {
      const arrived = { id: String(req.headers["webhook-id"]), headers: req.headers, body, message: JSON.parse(body) };
      received.push(arrived);
      answer(res, arrived, received.length);
    });
  };
  return { url: await listen(createServer(act)), received };
}

/** The receiver of `examples/`, with the messages whose signature was right. */
export async function exampleReceiver() {
  const taken: { id: string; message: Message }[] = [];
  let server: Server | undefined;
  const url = await listen(createServer((req, res) => server?.emit("request", req, res)));
  return {
    url,
    taken,
    trust: (secret: string) => {
      server = createReceiver(secret, (message, id) => taken.push({ id, message }));
    },
  };
}

export const typesOf = (received: readonly Received[]) =>
  received
    .map(({ message }) => message)
    .sort((a, b) => (a.data?.id ?? 0) - (b.data?.id ?? 0))
    .map(({ type }) => type);

/** Whether a secret is one of those that signed. */
export function isSignedBy(secret: string, { headers, body }: Received): boolean {
  const signed = {
    "webhook-id": String(headers["webhook-id"]),
    "webhook-timestamp": String(headers["webhook-timestamp"]),
    "webhook-signature": String(headers["webhook-signature"]),
  };
  try {
    new Webhook(secret).verify(body, signed);
    return true;
  } catch {
    return false;
  }
}

/** Delivers on the application's database until the test ends, private addresses allowed. */
export function deliver({ db, app }: TestApp, resolve: Resolve = async () => []): QueueWorker {
  const worker = startDelivering({ db, log: app.log, outside: { resolve, allowPrivate: true } });
  onTestFinished(() => worker.stop(0));
  return worker;
}

export interface MadeWebhook {
  publicId: string;
  secret: string;
  path: string;
}

export interface ShownDelivery {
  publicId: string;
  eventId: number | null;
  type: string;
  status: "pending" | "delivered" | "failed";
  attempts: number;
  lastStatusCode: number | null;
  lastError: string | null;
  nextAttemptAt: string | null;
  createdAt: string;
}

export const webhooksOf = (workspace: Workspace) => `/workspaces/${workspace.publicId}/webhooks`;

/** Makes a webhook that hears of tags unless told otherwise. */
export async function makeWebhook({ as }: TestApp, workspace: Workspace, fields: object): Promise<MadeWebhook> {
  const made = ok(
    await as(workspace.owner).post<MadeWebhook>(webhooksOf(workspace), { name: "Hook", events: ["tag.*"], ...fields }),
  );
  return { ...made, path: `${webhooksOf(workspace)}/${made.publicId}` };
}

/** Waits until what is expected holds; says what was wrong when it never does. */
export const eventually = (expected: () => unknown) => vi.waitFor(expected, { timeout: 20_000, interval: 20 });

/** The newest deliveries of a webhook as its owner sees them. */
export async function deliveriesOf({ as }: TestApp, { owner }: Workspace, { path }: MadeWebhook) {
  return ok(await as(owner).get<{ items: ShownDelivery[] }>(`${path}/deliveries?limit=100`)).items;
}

/** Waits until the newest delivery of a webhook has this status after this many attempts, and gives it. */
export async function ended(
  app: TestApp,
  workspace: Workspace,
  webhook: MadeWebhook,
  status: ShownDelivery["status"],
  attempts = 1,
): Promise<ShownDelivery> {
  let newest: ShownDelivery | undefined;
  await eventually(async () => {
    [newest] = await deliveriesOf(app, workspace, webhook);
    expect(newest).toMatchObject({ status, attempts });
    if (status === "pending") expect(newest?.lastError).not.toBeNull();
  });
  if (newest === undefined) throw new Error("no delivery");
  return newest;
}

export const makeTag = async ({ as }: TestApp, workspace: Workspace) =>
  ok(
    await as(workspace.owner).post<{ publicId: string; name: string }>(`/workspaces/${workspace.publicId}/tags`, {
      name: unique("Tag"),
      colourCode: "#123456",
    }),
  );

/** Makes what waits for a webhook due at once. */
export async function makeDue({ db }: TestApp, { publicId }: MadeWebhook): Promise<void> {
  await db.rows(sql`
    update webhook_delivery d set next_attempt_at = now() - interval '1 second' from webhook w
    where w.public_id = ${publicId}::text and d.workspace_id = w.workspace_id and d.webhook_id = w.id and d.status = 'pending'`);
}

/** Seconds from now until the next attempt of the newest delivery, by the database's clock. */
export async function secondsLeft({ db }: TestApp, { publicId }: MadeWebhook): Promise<number> {
  const [row] = await db.rows<{ seconds: number }>(sql`
    select ceil(extract(epoch from d.next_attempt_at - now()))::int as seconds
    from webhook_delivery d join webhook w on w.workspace_id = d.workspace_id and w.id = d.webhook_id
    where w.public_id = ${publicId}::text order by d.id desc limit 1`);
  return row?.seconds ?? Number.NaN;
}
