import { Check, Copy } from "lucide";
import { useState } from "react";
import { t } from "../texts/index.js";
import { copyText } from "./copyText.js";
import { Icon } from "./Icon.js";

/** Copies a text, and says whether it did. */
export function CopyButton({ text, name, children }: { text: string; name?: string; children: string }) {
  const [copied, setCopied] = useState<{ text: string; isDone: boolean } | null>(null);
  const last = copied?.text === text ? copied : null;
  const outcome = last && (last.isDone ? t.copied : t.notCopied);
  const copy = async () => setCopied({ text, isDone: await copyText(text) });
  return (
    <>
      <button className="btn" type="button" aria-label={name} onClick={() => void copy()}>
        <Icon of={last?.isDone ? Check : Copy} />
        <span>{outcome ?? children}</span>
      </button>
      <span className="sr" role="status">
        {outcome}
      </span>
    </>
  );
}
