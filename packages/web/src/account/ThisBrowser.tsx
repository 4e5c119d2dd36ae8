import { SingleKeysSwitch } from "../keys/SingleKeysSwitch.js";
import { Section } from "../parts/Section.js";
import { useStore } from "../store.js";
import { t } from "../texts/index.js";
import { texts } from "../texts/later.js";
import { chooseTheme, THEMES, theme } from "../theme.js";
import * as styles from "./Account.module.css";

/** The settings that this browser stores. */
export function ThisBrowser() {
  const chosen = useStore(theme, (value) => value);
  return (
    <Section heading={texts.account.sections.browser}>
      <div className="rows panel-form">
        <fieldset className={styles.choices}>
          <legend className="legend">{texts.account.browser.theme}</legend>
          {THEMES.map(([one]) => (
            <label className="option" key={one}>
              <input
                className="check"
                type="radio"
                name="theme"
                checked={one === chosen}
                onChange={() => chooseTheme(one)}
              />
              <span>{t.theme[one]}</span>
            </label>
          ))}
        </fieldset>
        <SingleKeysSwitch />
      </div>
    </Section>
  );
}
