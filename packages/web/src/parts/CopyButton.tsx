import { Check, Copy } from "lucide-react";
import { useState } from "react";
import { copyText } from "../board/copyText.js";
import { texts } from "../texts/later.js";
import { Icon } from "./Icon.js";

/** Copies a text, and says that it did. */
export function CopyButton({ text, name, children }: { text: string; name?: string; children: string }) {
  const [copied, setCopied] = useState<string | null>(null);
  const isCopied = copied === text;
  const copy = () => {
    copyText(text);
    setCopied(text);
  };
  return (
    <>
      <button className="btn" type="button" aria-label={name} onClick={copy}>
        <Icon of={isCopied ? Check : Copy} />
        {isCopied ? texts.copied : children}
      </button>
      <span className="sr" role="status">
        {isCopied && texts.copied}
      </span>
    </>
  );
}
