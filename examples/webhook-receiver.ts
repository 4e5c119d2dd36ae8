// Receives webhooks of work-board: verifies the signature of each message and processes it once. To try it, with the secret of a webhook:
//
//   WEBHOOK_SECRET=whsec_… PORT=4000 npx tsx examples/webhook-receiver.ts

import { createServer, type IncomingMessage, type Server } from "node:http";
import { pathToFileURL } from "node:url";
import { Webhook } from "standardwebhooks";

/** The body of a delivery. `data` is the event; null if `type` is `webhook.test`. */
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

/** The body as it was sent, because the signature is calculated from its bytes. */
async function bodyOf(req: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of req) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

/** The headers that are needed to verify the signature. */
const signatureOf = ({ headers }: IncomingMessage) => ({
  "webhook-id": String(headers["webhook-id"]),
  "webhook-timestamp": String(headers["webhook-timestamp"]),
  "webhook-signature": String(headers["webhook-signature"]),
});

/** Refuses messages with a wrong signature and messages older than five minutes. */
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
    // Respond within 10 seconds: put work that takes longer into a queue of your own.
    res.writeHead(204).end();
  });
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  // Deliveries arrive at least once and in no guaranteed order. A repeated delivery has the same id.
  const taken = new Set<string>();
  const receiver = createReceiver(process.env.WEBHOOK_SECRET ?? "", (message, id) => {
    if (taken.has(id)) return;
    taken.add(id);
    console.log(message.type, ...(message.data === null ? [] : [message.data.id, JSON.stringify(message.data.data)]));
  });
  receiver.listen(Number(process.env.PORT ?? 4000));
}
