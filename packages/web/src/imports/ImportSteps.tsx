import { Check } from "lucide";
import { Icon } from "../parts/Icon.js";
import { texts } from "../texts/later.js";

export type Step = keyof typeof texts.imports.steps;

/** The steps of an import, with the current one marked. */
export function ImportSteps({ of, current }: { of: readonly Step[]; current: Step }) {
  const at = of.indexOf(current);
  return (
    <ol className="steps" aria-label={texts.imports.progress}>
      {of.map((step, index) => (
        <li key={step} className={index < at ? "is-done" : ""} aria-current={step === current ? "step" : undefined}>
          <span className="no">{index < at ? <Icon of={Check} isSmall /> : index + 1}</span>
          <span className="t">{texts.imports.steps[step]}</span>
        </li>
      ))}
    </ol>
  );
}
