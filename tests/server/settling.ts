// People who work with a service that runs as a process of its own.

import { call, type Service } from "../helpers/processes.js";

let people = 0;

/** A new person with a workspace, a board and a list to put cards into. */
export async function settle({ url }: Service) {
  people += 1;
  const account = { name: "Ada", email: `ada${people}@example.org`, password: "correct horse battery" };
  const { accessToken: token } = (await call(url, null, "POST", "/auth/sign-up", account)).body;
  const workspace = (await call(url, token, "POST", "/workspaces", { name: "Engines" })).body;
  const board = (await call(url, token, "POST", `/workspaces/${workspace.publicId}/boards`, { name: "Notes" })).body;
  const list = (await call(url, token, "POST", "/lists", { name: "Ideas", boardPublicId: board.publicId })).body;
  return { token, workspacePublicId: workspace.publicId, listPublicId: list.publicId };
}
