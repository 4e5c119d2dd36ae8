import { Field } from "../parts/Field.js";
import { t } from "../texts/index.js";

/** The field for a code of the second factor. */
export const CodeField = ({ error }: { error?: string | undefined }) => (
  <Field
    label={t.signIn.code}
    name="code"
    autoComplete="one-time-code"
    hint={t.signIn.codeHint}
    required
    autoFocus
    error={error}
  />
);
