import { CopyButton } from "../parts/CopyButton.js";
import { texts } from "../texts/later.js";

/** The secret of a webhook, which is shown once. */
export const Secret = ({ secret }: { secret: string }) => (
  <div className="rows panel-form" role="status">
    <p>{texts.settings.webhooks.secretText}</p>
    <p className="secret">{secret}</p>
    <CopyButton text={secret} name={texts.settings.webhooks.copySecret}>
      {texts.share.copy}
    </CopyButton>
  </div>
);
