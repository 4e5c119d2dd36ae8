import type { ComponentProps } from "react";
import { Field } from "../parts/Field.js";
import { texts } from "../texts/later.js";

type Props = Pick<ComponentProps<typeof Field>, "hint" | "error" | "autoFocus">;

/** The field for a code of the second factor. */
export const CodeField = ({ hint = texts.signIn.codeHint, ...field }: Props) => (
  <Field {...field} label={texts.signIn.code} name="code" autoComplete="one-time-code" hint={hint} required />
);
