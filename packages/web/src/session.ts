// The session of the page. Nothing else knows whether it is a token or a cookie.

import { stored } from "./stored.js";

const token = stored("work-board.token");

/** The token to send; null while nobody is signed in. */
export const sessionToken = (): string | null => token.get();

export const keepSession = ({ accessToken }: { accessToken: string }): void => token.set(accessToken);

export const dropSession = (): void => token.set(null);
