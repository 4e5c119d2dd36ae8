import { OneTime } from "../parts/OneTime.js";
import { texts } from "../texts/later.js";

/** The secret of a webhook, which is shown once. */
export const Secret = ({ secret }: { secret: string }) => (
  <OneTime text={texts.settings.webhooks.secretText} secret={secret} copy={texts.settings.webhooks.copySecret} />
);
