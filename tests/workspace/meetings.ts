// What tests of meetings have in common: meetings saved and read.

import { expect } from "vitest";
import { type Fields, ok, type TestApp, type Workspace } from "../helpers/app.js";
import type { Bearer } from "../helpers/requests.js";

interface Meeting {
  publicId: string;
  title: string;
  scheduledAt: string | null;
  description: string;
  callLink: string | null;
  recurrence: string;
  occurrences: string[];
}

export const pathOf = ({ publicId }: Pick<Workspace, "publicId">) => `/workspaces/${publicId}/meetings`;

export const PLANNED = {
  title: "Weekly",
  scheduledAt: "2027-01-05T09:00:00.000Z",
  description: " What is open ",
  callLink: "https://meet.example.org/w?pwd=1",
  recurrence: "weekly",
};

export function meetingsOn({ as }: TestApp) {
  const listed = async (workspace: Workspace, query: Record<string, string> = {}) =>
    ok(await as(workspace.owner).get<Meeting[]>(`${pathOf(workspace)}?${new URLSearchParams(query)}`));

  /** Saves a meeting as an admin, or as whoever is named, and gives its identifier. */
  async function saved(workspace: Workspace, fields: Fields, by: Bearer = workspace.owner): Promise<string> {
    const body = ok(await as(by).put<{ publicId: string }>(pathOf(workspace), fields));
    expect(body).toEqual({ publicId: expect.stringMatching(/^[0-9A-Za-z]{12}$/) });
    return body.publicId;
  }

  return { listed, saved };
}
