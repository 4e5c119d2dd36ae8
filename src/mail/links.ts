// The links that people are sent. Tokens stand in the fragment, which no server and no scanner of mail sees.

import type { Config } from "../config.js";

/** The settings that links are made of. */
export type LinkSettings = Pick<Config, "appUrl" | "publicUrl" | "web">;

const baseOf = ({ appUrl, publicUrl }: LinkSettings) => appUrl ?? publicUrl;

/** A page under `/account/` that a link leads to. */
type LinkPage = "reset" | "confirm" | "unsubscribe";

/** The link to a page that uses a token: of the application at `APP_URL`, else of the page of the service. */
export const linkTo = (config: LinkSettings, page: LinkPage, token: string): string =>
  `${baseOf(config)}/account/${page}#token=${encodeURIComponent(token)}`;

/** The link of an invitation. */
export const inviteLinkTo = (config: LinkSettings, code: string): string => `${baseOf(config)}/invite/${code}`;

/** The link to a card; null where there is neither an application nor the page. */
export const cardLinkTo = (config: LinkSettings, publicId: string): string | null =>
  config.appUrl === null && !config.web ? null : `${baseOf(config)}/cards/${publicId}`;

/** The address that a mail program calls to unsubscribe in one click (RFC 8058): an operation of the API, not a page. */
export const unsubscribeCallOf = ({ publicUrl }: LinkSettings, token: string): string =>
  `${publicUrl}/api/v1/mail/unsubscribe?token=${encodeURIComponent(token)}`;
