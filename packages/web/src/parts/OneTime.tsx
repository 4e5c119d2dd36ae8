import type { ReactNode } from "react";
import { texts } from "../texts/later.js";
import { CopyButton } from "./CopyButton.js";
import { useHold } from "./hold.js";

interface Props {
  className?: string;
  text: string;
  secret: string;
  /** The name of the button that copies it. */
  copy: string;
  /** The secret, if it is not shown as it is copied. */
  children?: ReactNode;
}

/** A secret that is shown once, to be copied. */
export function OneTime({ className = "rows panel-form", text, secret, copy, children }: Props) {
  useHold();
  return (
    <div className={className} role="status">
      <p>{text}</p>
      {children ?? <code className="secret">{secret}</code>}
      <CopyButton text={secret} name={copy}>
        {texts.share.copy}
      </CopyButton>
    </div>
  );
}
