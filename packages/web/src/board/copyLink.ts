import { addressOfCard } from "../addresses.js";
import { copyText } from "../parts/copyText.js";
import { t } from "../texts/index.js";
import { notice } from "./Notice.js";

/** Copies the address of a card, and says whether it did. */
export async function copyLink(cardPublicId: string): Promise<void> {
  notice((await copyText(addressOfCard(cardPublicId))) ? t.copied : t.notCopied);
}
