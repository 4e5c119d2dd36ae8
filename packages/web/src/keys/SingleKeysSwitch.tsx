import { useStore } from "../store.js";
import { texts } from "../texts/later.js";
import { singleKeys, switchSingleKeys } from "./singleKeys.js";

/** The switch of the keys that act anywhere. */
export function SingleKeysSwitch() {
  const areOn = useStore(singleKeys, (value) => value);
  return (
    <label className="option">
      <input
        className="switch"
        type="checkbox"
        checked={areOn}
        onChange={({ currentTarget }) => switchSingleKeys(currentTarget.checked)}
      />
      <span>
        <span>{texts.keys.single}</span>
        <br />
        <span className="hint">{texts.keys.singleHint}</span>
      </span>
    </label>
  );
}
