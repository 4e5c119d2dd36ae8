import { Field } from "../parts/Field.js";
import { texts } from "../texts/later.js";
import { useOwn } from "./own.js";

/** Whether changes of the ways to sign in require the password. Without one, the service requires a session that has just begun. */
export function useAsksForPassword(): boolean {
  const { user, methods } = useOwn();
  return user.hasPassword && methods.password;
}

/** The address of the account, which password managers read beside a password. */
export function Username() {
  const { user } = useOwn();
  return <input hidden type="text" autoComplete="username" value={user.email ?? ""} readOnly />;
}

/** The field for the password that is valid now, if there is one. */
export function CurrentPassword() {
  const asksForPassword = useAsksForPassword();
  return (
    <>
      <Username />
      {asksForPassword && (
        <Field
          label={texts.account.currentPassword}
          name="currentPassword"
          type="password"
          autoComplete="current-password"
          required
        />
      )}
    </>
  );
}

/** The password in a form; nothing where it has no field. */
export function passwordIn(form: FormData): { currentPassword?: string } {
  const password = form.get("currentPassword");
  return password === null ? {} : { currentPassword: String(password) };
}
