// The texts of the document beside its operations: its description, groups, headers and errors.

import { ERRORS, type ErrorCode } from "./errors.js";
import { LARGE_BODY_LIMIT } from "./largeBodies.js";

export const SUMMARY = "A work board: workspaces, boards, lists and cards.";

export const DESCRIPTION = `**Get started**: \`POST /auth/sign-up\` returns an \`accessToken\`. Send it, or a personal token, as
\`Authorization: Bearer <token>\`; on this page, use the button **Authorize**, or sign in with \`session: "cookie"\`. Then create a workspace, a board, and a card on a list.

**Cookies** are for pages of this service, see [Accounts](/guides/accounts#sessions-for-pages). With a cookie, a call from a page of another origin is
FORBIDDEN, and UNAUTHORIZED with the issue \`Acting-As\` if that header names another account than the cookie.

**HEAD** is answered as GET, without a body: a stream ends, and an export does not run.

**Bodies** are JSON objects of at most 1 MiB; imports accept ${LARGE_BODY_LIMIT / 1024 / 1024} MiB. Unknown fields are an error. A PUT changes only the
given fields. Times are ISO 8601 in UTC; a date means midnight UTC. A due date that is sent as a date is a day
(\`dueHasTime\`). Treat identifiers as opaque.

**Errors** have the body \`{ code, message, issues }\`: \`code\` is the kind of error, \`issues\` names the invalid fields.
Where a description says that something is NOT_FOUND, a call with it fails with this code.

**Pages**: long lists take \`limit\` and \`cursor\` and return \`nextCursor\`, which is null on the last page.

**Retries**: an \`Idempotency-Key\` makes a POST, PUT or DELETE happen only once. **Caching**: boards and cards have an \`ETag\` for
\`If-None-Match\`; \`If-Match\` keeps an update of a card from overwriting a change that you have not seen.

**Headers**: every response, also of an error, has \`X-Request-Id\`, \`Service-Version\` and, where calls are limited, \`RateLimit-*\`;
a successful change has \`Operation-Id\` and \`Event-Id\`. \`x-headers\` in this document describes them; operations list only the headers
that they have besides.

**Limits** are in \`RateLimit-*\`. If a limit is reached or the service is overloaded, wait for \`Retry-After\` seconds.

**Streams** are Server-Sent Events, which Swagger UI cannot show. **Webhooks** send the same events; see \`webhooks\` in this document.

**Guides**: [Getting started](/guides/getting-started), [Imports and exports](/guides/imports), [Streams](/guides/streams),
[Webhooks](/guides/webhooks), [Build a front end](/guides/front-end), [TypeScript client](/guides/typescript-client), [Generated clients](/guides/generated-clients),
[Accounts](/guides/accounts), [Mail](/guides/mail), [Single sign-on](/guides/single-sign-on), [Limits](/guides/limits),
[Settings](/guides/settings), [Operations](/guides/operations), [Operator commands](/guides/operators), [Backup, restore and move](/guides/backup),
[Citus](/guides/citus), [Versions](/guides/versions), [Drills](/guides/drills), [Benchmarks](/guides/benchmarks), [Architecture](/guides/architecture).`;

/** The groups of operations, in the order in which a newcomer meets them. */
export const TAGS: Record<string, string> = {
  Accounts: "Sign up, sign in, sign out, and manage your account. `POST /auth/sign-up` returns the first token.",
  "Single sign-on":
    "Sign in at OpenID Connect providers that the operator has set up, and manage your identities there.",
  Workspaces: "A workspace holds boards and the people who work on them. Create one first.",
  Boards: "A board holds lists, and lists hold cards.",
  Lists: "The columns of a board, in order.",
  Cards: "A card is a piece of work: its description, its list, its due date.",
  "Many cards": "Change up to 1000 cards in one call: all of them or none.",
  Labels: "The labels of a board, which mark its cards.",
  Checklists: "The checklists of a card and their items.",
  Comments: "The comments on a card, with replies and mentions.",
  Members: "The members of workspaces and boards, and how people join.",
  "Board tags": "The tags of a workspace, which mark its boards.",
  Calendar: "The cards that are due in a month, a week or a day.",
  Meetings: "The meetings of a workspace, held once or repeatedly.",
  Search: "Find boards and cards by the words they contain.",
  Events: "Every change of a workspace, once and in order: as a list or as a live stream.",
  Notifications: "What people are notified of: mentions, replies, and changes of memberships.",
  Tokens: "Personal tokens for scripts and integrations.",
  Webhooks: "Send the events of a workspace to other systems.",
  Imports: "Create boards from files.",
  Administration: "Manage the accounts of the instance. For its admins alone; others get NOT_FOUND.",
  Integrations:
    "The address at which a person allows your application to read from Trello or GitHub. Boards are imported from files.",
};

/** The guides that explain groups of operations, by tag; the service serves them (`guides.ts`). */
export const GUIDES: Record<string, string> = {
  Accounts: "accounts",
  "Single sign-on": "single-sign-on",
  Administration: "operators",
  Events: "streams",
  Imports: "imports",
  Notifications: "streams",
  Webhooks: "webhooks",
};

/** The explanation of each code beside its fixed text. */
export const WHEN: Record<ErrorCode, string> = {
  BAD_REQUEST: "The input breaks a rule, or the current state forbids the change. `issues` names the field.",
  UNAUTHORIZED:
    "The token is missing, unknown, expired or revoked; when signing in, the address, password or code is wrong.",
  FORBIDDEN: "The caller has no access. A POST also returns this error if the target does not exist.",
  NOT_FOUND: "The target of the path does not exist.",
  CONFLICT:
    "The Idempotency-Key was used before in the same workspace with another request, or the thing belongs to somebody else.",
  PRECONDITION_FAILED:
    "A condition of the call does not hold: the card has changed since the revision that `If-Match` names, the server lacks a setting, or events are no longer kept. `issues` says which.",
  PAYLOAD_TOO_LARGE: "The body is larger than the operation accepts.",
  UNSUPPORTED_MEDIA_TYPE: "The body is not JSON.",
  TOO_MANY_REQUESTS: "A rate limit was reached. Wait for `Retry-After` seconds.",
  INTERNAL_SERVER_ERROR: "The service failed unexpectedly.",
  SERVICE_UNAVAILABLE: "The service is shutting down or overloaded, or its database is unreachable.",
};

export const ERROR_SCHEMA = {
  type: "object",
  description: "The body of every error.",
  properties: {
    code: { type: "string", description: "The kind of error.", enum: Object.keys(ERRORS) },
    message: { type: "string", description: "The fixed text of the code." },
    issues: {
      type: "array",
      description: "The details; empty if there are none.",
      items: {
        type: "object",
        description: "One problem with the input.",
        properties: {
          path: {
            type: "array",
            description: "The location in the input: names of fields and indexes of arrays.",
            items: { type: ["string", "integer"] },
          },
          message: { type: "string", description: "What is wrong, in words." },
        },
        required: ["path", "message"],
        additionalProperties: false,
      },
    },
  },
  required: ["code", "message", "issues"],
  additionalProperties: false,
};

const text = (description: string) => ({ description, schema: { type: "string" } });
const number = (description: string) => ({ description, schema: { type: "integer" } });

/** The headers of every response or every change, which the document lists once; those of the rate limit only where one is set. */
export const COMMON_HEADERS = {
  "X-Request-Id": text("The identifier of the request, as sent or generated."),
  "Service-Version": text("The version of the service."),
  "Operation-Id": text(
    "Of a successful change: its `operationPublicId` in events. Absent if it wrote none, or in several workspaces.",
  ),
  "Event-Id": number(
    "Of a successful change: the number of the last event that it wrote. Absent where `Operation-Id` is.",
  ),
  "RateLimit-Limit": number("The number of requests per minute."),
  "RateLimit-Remaining": number("The number of requests left in this window."),
  "RateLimit-Reset": number("Seconds until the window ends."),
};

/** The headers of particular responses. */
export const HEADERS = {
  "Retry-After": number("Seconds to wait."),
  "Idempotent-Replayed": {
    description: "`true` if this is the stored response to the first request with this key.",
    schema: { type: "string", enum: ["true"] },
  },
  "Event-Id": number("The response is current up to this event, with 304 too."),
  ETag: text("Changes whenever the response of the GET changes."),
  "Content-Disposition": text("The name of the file."),
  "Set-Cookie": text(
    "The session cookie, which scripts cannot read: sent if `session` is `cookie`, and removed by the end of a session that it carried.",
  ),
  "X-Access-Token": text(
    "The token of the accountless guest that was created, if the request had no token and `session` is not `cookie`.",
  ),
};

/** The header of streams, whose schema is that of each. */
export const RESUMPTION = {
  name: "Last-Event-ID",
  in: "header",
  description:
    "The `id` of the last message that arrived: the stream starts with everything after it. Without it the stream starts now.",
};

/** The request headers of the contract, as parameters. */
export const PARAMETERS = {
  "Idempotency-Key": {
    name: "Idempotency-Key",
    in: "header",
    description:
      "Makes a retry safe: the first successful response is stored for 24 hours per user and workspace and returned again with `Idempotent-Replayed: true`. For operations without a workspace, such as creating one, a key counts per user. The same key with another request is CONFLICT.",
    schema: { type: "string", minLength: 1, maxLength: 255, pattern: "^[!-~]{1,255}$" },
  },
  "Request-Key": {
    name: "Request-Key",
    in: "header",
    description:
      "All events of this request carry it as `requestKey`, so that a client recognises its own changes in a stream. Everybody who may read the events sees it. It need not be unique: compare it together with `actor`.",
    schema: { type: "string", minLength: 8, maxLength: 32, pattern: "^[A-Za-z0-9_-]{8,32}$" },
  },
  "If-None-Match": {
    name: "If-None-Match",
    in: "header",
    description: "Entity tags of stored responses. If one of them is current, the response is 304 without a body.",
    schema: { type: "string" },
  },
  "If-Match": {
    name: "If-Match",
    in: "header",
    description:
      "The entity tag of the card that you have read. If the card has changed since then, the error is PRECONDITION_FAILED. The response of a successful change has the new tag.",
    schema: { type: "string" },
  },
};

const messageHeader = (name: string, header: ReturnType<typeof text>) => ({
  name,
  in: "header",
  required: true,
  ...header,
});

/** The headers of a webhook's message, as parameters. */
export const MESSAGE_HEADERS = [
  messageHeader("webhook-id", text("The `publicId` of the delivery, the same for every attempt.")),
  messageHeader("webhook-timestamp", number("When the attempt was made, in seconds since 1970.")),
  messageHeader(
    "webhook-signature",
    text("`v1,` and the base64 HMAC-SHA256 of `id.timestamp.body`, once for each valid secret, separated by spaces."),
  ),
];
