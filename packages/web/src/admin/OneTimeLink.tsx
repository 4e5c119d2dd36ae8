import { CopyButton } from "../parts/CopyButton.js";
import { texts } from "../texts/later.js";

/** A link that is shown once, to pass on. */
export const OneTimeLink = ({ text, link }: { text: string; link: string }) => (
  <div className="one-time" role="status">
    <p>{text}</p>
    <p className="secret">{link}</p>
    <CopyButton text={link} name={texts.admin.users.copyLink}>
      {texts.share.copy}
    </CopyButton>
  </div>
);
