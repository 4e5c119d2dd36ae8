// The OpenAPI document of this service, from its router and the messages of its webhooks.

import { type Example, openApiDocument } from "./api/openapi.js";
import { appRouter } from "./router.js";
import { webhookMessages } from "./webhook/messages.js";

/** The document as the text that is committed and served. */
export const documentText = (version: string, examples: Record<string, Example>) =>
  `${JSON.stringify(openApiDocument(appRouter, { version, examples, webhooks: webhookMessages }), null, 2)}\n`;
