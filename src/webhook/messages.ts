// The messages that webhooks send (contract section 6), for the document.

import { z } from "zod";
import { Timestamp } from "../api/shapes.js";
import { Event } from "../events/eventShapes.js";

/** The message of an event. */
const WebhookMessage = z
  .object({
    type: z.string().meta({ description: "The `type` of the event." }),
    timestamp: Timestamp.meta({ description: "When the event happened." }),
    data: Event,
  })
  .meta({ id: "WebhookMessage", description: "The body of a message about an event." });

/** The message of a test. */
const WebhookTestMessage = z
  .object({
    type: z.literal("webhook.test"),
    timestamp: Timestamp.meta({ description: "When the message was sent." }),
    data: z.null().meta({ description: "Always null." }),
  })
  .meta({ id: "WebhookTestMessage", description: "The body of a test message." });

const SIGNING =
  "The message is signed by the Standard Webhooks scheme: verify `webhook-signature` with the secret of the webhook before you trust the body.";

/** The messages, by their names in the document. */
export const webhookMessages = {
  event: {
    summary: "An event happened",
    description: `Sent for every event that the webhook's \`events\` select, at least once. ${SIGNING} Any 2xx status within 10 seconds confirms the message. Otherwise it is sent again after 5 s, 5 min, 30 min, 2 h, 5 h, 10 h and 14 h, with the same \`webhook-id\`. The status 410 deactivates the webhook.`,
    body: WebhookMessage,
  },
  test: {
    summary: "A test was requested",
    description: `Sent once by \`POST /workspaces/{workspacePublicId}/webhooks/{webhookPublicId}/test\`. ${SIGNING}`,
    body: WebhookTestMessage,
  },
};
