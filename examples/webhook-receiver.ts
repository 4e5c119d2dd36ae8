// Receives webhooks of work-board: verifies who sent them, and takes each once. To try it, with the secret of a webhook:
//
//   WEBHOOK_SECRET=whsec_… PORT=4000 npx tsx examples/webhook-receiver.ts

import { createServer, type IncomingMessage, type Server } from "node:http";
import { pathToFileURL } from "node:url";
import { Webhook } from "standardwebhooks";

/** What a delivery says. `data` is the event, null where `type` is `webhook.test`. */
export interface Message {
  type: string;
  timestamp: string;
  data: {
    id: number;
    type: string;
    createdAt: string;
    actor: { publicId: string; name: string; image: string | null } | null;
    workspacePublicId: string;
    boardPublicId: string | null;
    cardPublicId: string | null;
    data: Record<string, unknown>;
  } | null;
}

/** The body as it was sent: the signature is of its bytes. */
async function bodyOf(req: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of req) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

/** The headers that the signature is made of. */
const signatureOf = ({ headers }: IncomingMessage) => ({
  "webhook-id": String(headers["webhook-id"]),
  "webhook-timestamp": String(headers["webhook-timestamp"]),
  "webhook-signature": String(headers["webhook-signature"]),
});

/** Verifies with the secret of the webhook; it throws for a wrong signature and for a message older than five minutes. */
export function createReceiver(secret: string, onMessage: (message: Message, id: string) => void): Server {
  const webhook = new Webhook(secret);
  return createServer(async (req, res) => {
    const body = await bodyOf(req);
    try {
      webhook.verify(body, signatureOf(req));
    } catch {
      res.writeHead(401).end();
      return;
    }
    const message: Message = JSON.parse(body);
    onMessage(message, signatureOf(req)["webhook-id"]);
    // Answer within 10 seconds: what takes longer is for a queue of your own.
    res.writeHead(204).end();
  });
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  // Deliveries come at least once and in no promised order: a repeat has the same id, and events count within a workspace.
  const taken = new Set<string>();
  const receiver = createReceiver(process.env.WEBHOOK_SECRET ?? "", (message, id) => {
    if (taken.has(id)) return;
    taken.add(id);
    console.log(message.type, message.data?.id, JSON.stringify(message.data?.data));
  });
  receiver.listen(Number(process.env.PORT ?? 4000));
}
