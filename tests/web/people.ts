// People at the page: how tests sign up and find things by the names that the page promises.

import type { Page } from "playwright-core";
import { anAddress } from "../helpers/app.js";

export const PASSWORD = "correct horse battery";

export const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
export const heading = (page: Page, name: string) => page.getByRole("heading", { level: 1, name, exact: true });

/** Types into fields by their labels. */
export async function fill(page: Page, values: Record<string, string>): Promise<void> {
  for (const [label, value] of Object.entries(values)) await page.getByLabel(label, { exact: true }).fill(value);
}

/** Signs up on a page that nobody has signed in to. Returns the address. */
export async function signUp(page: Page, name: string): Promise<string> {
  const email = anAddress();
  await fill(page, { Name: name, "E-mail": email, Password: PASSWORD });
  await button(page, "Sign up").click();
  await heading(page, "Boards").waitFor();
  return email;
}
