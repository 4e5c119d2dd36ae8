import { useState } from "react";
import { areSingleKeysOn, switchSingleKeys } from "../keys/singleKeys.js";
import { Section } from "../parts/Section.js";
import { t } from "../texts/index.js";
import { texts } from "../texts/later.js";
import { chooseTheme, chosenTheme, type Theme } from "../theme.js";

const THEMES: readonly Theme[] = ["light", "dark", "system"];

/** The settings that this browser stores. */
export function ThisBrowser() {
  const text = texts.account.browser;
  const [theme, setTheme] = useState(chosenTheme);
  const [areKeysOn, setKeysOn] = useState(areSingleKeysOn);
  return (
    <Section heading={texts.account.sections.browser}>
      <div className="rows panel-form">
        <fieldset className="choices">
          <legend className="legend">{text.theme}</legend>
          {THEMES.map((one) => (
            <label className="option" key={one}>
              <input
                className="check"
                type="radio"
                name="theme"
                checked={one === theme}
                onChange={() => {
                  chooseTheme(one);
                  setTheme(one);
                }}
              />
              {t.theme[one]}
            </label>
          ))}
        </fieldset>
        <label className="option">
          <input
            className="switch"
            type="checkbox"
            checked={areKeysOn}
            onChange={({ currentTarget }) => {
              switchSingleKeys(currentTarget.checked);
              setKeysOn(currentTarget.checked);
            }}
          />
          <span>
            {texts.keys.single}
            <br />
            <span className="hint">{texts.keys.singleHint}</span>
          </span>
        </label>
      </div>
    </Section>
  );
}
