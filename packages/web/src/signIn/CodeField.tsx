import { Field } from "../parts/Field.js";
import { texts } from "../texts/later.js";

/** The field for a code of the second factor. */
export const CodeField = ({ error }: { error?: string | undefined }) => (
  <Field
    label={texts.signIn.code}
    name="code"
    autoComplete="one-time-code"
    hint={texts.signIn.codeHint}
    required
    autoFocus
    error={error}
  />
);
