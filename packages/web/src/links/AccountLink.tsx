// The pages that links of mails lead to. Each acts by a button alone, because scanners of mail open links.

import { useEffect, useState } from "react";
import { NotFound } from "../frame/UnavailablePage.js";
import { SignInForm } from "../signIn/SignInForm.js";
import { texts } from "../texts/later.js";
import { ConfirmAddress } from "./ConfirmAddress.js";
import { RequestReset } from "./RequestReset.js";
import { ResetPassword } from "./ResetPassword.js";
import { Unsubscribe } from "./Unsubscribe.js";

const PAGES: Partial<Record<string, (props: { token: string }) => React.ReactNode>> = {
  reset: ResetPassword,
  confirm: ConfirmAddress,
  unsubscribe: Unsubscribe,
};

/** The token of the link. It leaves the address bar, and with it the history, as soon as it was read. */
function useToken(): string {
  const [token] = useState(() => new URLSearchParams(location.hash.slice(1)).get("token") ?? "");
  useEffect(() => history.replaceState(history.state, "", location.pathname), []);
  return token;
}

/** The page of an address below `/account/`. */
export default function AccountLink({ page }: { page: string }) {
  const token = useToken();
  const Page = PAGES[page];
  if (Page === undefined) return <NotFound />;
  if (token !== "") return <Page token={token} />;
  if (page === "reset") return <RequestReset />;
  return (
    <SignInForm heading={texts.links.incomplete.heading}>
      <p role="alert">{texts.links.incomplete.text}</p>
    </SignInForm>
  );
}
