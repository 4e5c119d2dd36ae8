// The address that lets this service read from Trello or GitHub, once a person has agreed there (specification 4.20).

import { randomBytes } from "node:crypto";
import { z } from "zod";
import { notFound } from "../api/errors.js";
import { personalProcedure } from "../api/trpc.js";
import type { Config } from "../config.js";

type Provider = "trello" | "github";

/** The page of the front end to which a provider sends people back. */
const returnUrl = (config: Config, provider: Provider) => new URL(`${config.publicUrl}/integration/${provider}`);

function withQuery(address: string, query: Record<string, string>): string {
  const url = new URL(address);
  url.search = new URLSearchParams(query).toString();
  return url.href;
}

/** Trello appends the token as the fragment of the page and returns no `state`, so the page's address contains it. */
function trelloUrl(config: Config, state: string): string | null {
  if (config.trelloAppKey === undefined) return null;
  const page = returnUrl(config, "trello");
  page.searchParams.set("state", state);
  return withQuery("https://trello.com/1/authorize", {
    key: config.trelloAppKey,
    name: "Work board",
    scope: "read",
    expiration: "1day",
    response_type: "token",
    callback_method: "fragment",
    return_url: page.href,
    state,
  });
}

function githubUrl(config: Config, state: string): string | null {
  if (config.githubClientId === undefined) return null;
  return withQuery("https://github.com/login/oauth/authorize", {
    client_id: config.githubClientId,
    redirect_uri: returnUrl(config, "github").href,
    scope: "read:project",
    state,
  });
}

const ADDRESSES: Record<Provider, (config: Config, state: string) => string | null> = {
  trello: trelloUrl,
  github: githubUrl,
};

export const integrations = {
  authorizeUrl: personalProcedure
    .meta({
      openapi: {
        method: "GET",
        path: "/integration/authorize",
        tags: ["Integrations"],
        summary: "Get authorization URL for an integration",
        description:
          "Returns the address where a person allows this service to read from `provider`. The provider then sends the person back to `/integration/{provider}` under the public address of the service, where the page tells how to import a file. A front end that reads from the provider must serve that path and verify `state`, which is new each time. NOT_FOUND if the operator has not configured the provider. Requires any valid token.",
        successDescription: "The address to open.",
      },
    })
    .input(
      z.strictObject({
        provider: z.enum(["trello", "github"]).default("trello").meta({ description: "The service to read from." }),
      }),
    )
    .output(
      z
        .object({ url: z.url().meta({ description: "The address to open in the browser." }) })
        .meta({ id: "AuthorizationUrl", description: "Where a person authorizes this service." }),
    )
    .query(({ ctx, input: { provider } }) => {
      const url = ADDRESSES[provider](ctx.config, randomBytes(24).toString("base64url"));
      if (url === null) throw notFound();
      return { url };
    }),
};
