// What tests of notifications read beside answers: what a person was told, newest first.

import { ok, type Person, type TestApp } from "../helpers/app.js";

export interface Notification {
  publicId: string;
  type: string;
  createdAt: string;
  readAt: string | null;
  actor: { name: string; email: string | null; image: string | null };
  card: {
    publicId: string;
    title: string;
    cardNumber: number;
    boardPublicId: string;
    cardPrefix: string;
  } | null;
  workspace: { publicId: string; name: string };
}

export function notificationsOn({ as }: TestApp) {
  const listOf = async (person: { token: string }, query = "") =>
    ok(await as(person).get<Notification[]>(`/notifications${query}`));

  const typesFor = async (person: Person) => (await listOf(person)).map(({ type }) => type);

  return { listOf, typesFor };
}
