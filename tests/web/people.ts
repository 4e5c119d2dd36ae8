// People at the page: how tests sign up and find things by the names that the page promises.

import type { Page } from "playwright-core";
import { anAddress } from "../helpers/app.js";

export const PASSWORD = "correct horse battery";

export const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
export const heading = (page: Page, name: string) => page.getByRole("heading", { level: 1, name, exact: true });

/** Answers the question that the page asks before something is done. */
export const answer = (page: Page, name: string) =>
  page.getByRole("alertdialog").getByRole("button", { name, exact: true }).click();

/** Chooses from a select that acts at once. */
export async function choose(page: Page, name: string, option: string): Promise<void> {
  await page.getByRole("combobox", { name, exact: true }).click();
  await page.getByRole("listbox").getByRole("option", { name: option, exact: true }).click();
}

export async function fill(page: Page, values: Record<string, string>): Promise<void> {
  for (const [label, value] of Object.entries(values)) await page.getByLabel(label, { exact: true }).fill(value);
}

/** Signs up on a page that nobody has signed in to, which leads to the first board. Returns the address. */
export async function signUp(page: Page, name: string): Promise<string> {
  const email = anAddress();
  await fill(page, { Name: name, "E-mail": email, Password: PASSWORD });
  await button(page, "Sign up").click();
  await heading(page, "First steps").waitFor();
  return email;
}

/** Signs in somebody who exists, on a page that nobody has signed in to. */
export async function signIn(page: Page, { email, password }: { email: string; password: string }): Promise<void> {
  await button(page, "Sign in").click();
  await fill(page, { "E-mail": email, Password: password });
  await button(page, "Sign in").click();
  await page.getByRole("navigation", { name: "Main" }).waitFor();
}
