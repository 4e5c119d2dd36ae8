// The form in which e-mail addresses are stored and compared, so that two spellings of one address are one account.

import { domainToASCII } from "node:url";

/** Far more than an address may have in any spelling. */
const LONGEST = 1000;

/** Not the form of a domain without such letters, which may look like an IPv4 address. */
const BEYOND_ASCII = /[^\0-\x7f]/;

/** A domain in lower case and in ASCII: `Bücher.example` is `xn--bcher-kva.example`. One that is none stays as it is. */
export const asciiDomain = (domain: string): string =>
  (BEYOND_ASCII.test(domain) && domain.length <= LONGEST && domainToASCII(domain)) || domain.toLowerCase();

/** An address whose local part is in NFC and lower case, and whose domain is in ASCII. */
export function normalAddress(address: string): string {
  const at = address.lastIndexOf("@");
  const local = address.slice(0, at).normalize("NFC").toLowerCase().normalize("NFC");
  return at === -1 || address.length > LONGEST ? address : `${local}@${asciiDomain(address.slice(at + 1))}`;
}
