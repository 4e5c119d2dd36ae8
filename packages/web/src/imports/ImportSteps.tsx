import { Check } from "lucide";
import { Icon } from "../parts/Icon.js";
import { importTexts } from "../texts/importTexts.js";
import * as styles from "./Imports.module.css";

export type Step = keyof typeof importTexts.steps;

/** The steps of an import, with the current one marked. */
export function ImportSteps({ of, current }: { of: readonly Step[]; current: Step }) {
  const at = of.indexOf(current);
  return (
    <ol className={styles.steps} aria-label={importTexts.progress}>
      {of.map((step, index) => (
        <li key={step} className={index < at ? styles.isDone : ""} aria-current={step === current ? "step" : undefined}>
          <span className={styles.number}>{index < at ? <Icon of={Check} isSmall /> : index + 1}</span>
          <span>{importTexts.steps[step]}</span>
        </li>
      ))}
    </ol>
  );
}
