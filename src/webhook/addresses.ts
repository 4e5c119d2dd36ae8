// Which addresses webhooks may be sent to (contract section 6): public ones, unless the operator allows others.

import ipaddr from "ipaddr.js";

/** IPv6 has given out 2000::/3 alone; the forms that carry an IPv4 address are in other ranges. */
const isGlobalIpv6 = (address: ipaddr.IPv6) => ((address.parts[0] ?? 0) & 0xe000) === 0x2000;

/** Whether a literal address lies in the public ranges. */
export function isPublicAddress(text: string): boolean {
  if (!ipaddr.isValid(text)) return false;
  const address = ipaddr.parse(text);
  if (address.range() !== "unicast") return false;
  return address instanceof ipaddr.IPv4 || isGlobalIpv6(address);
}

/**
 * What keeps a URL from being a webhook's, in words; null where nothing does. Names are looked at again when they are resolved,
 * at the moment of connecting.
 */
export function problemOfUrl(text: string, allowPrivate: boolean): string | null {
  if (!URL.canParse(text)) return "Must be a URL";
  const url = new URL(text);
  if (url.protocol !== "https:" && url.protocol !== "http:") return "Must be an http or https URL";
  if (url.username !== "" || url.password !== "") return "Must not hold a user name or password";
  if (allowPrivate) return null;
  // The parser has turned every notation of an IPv4 address into the dotted one.
  const host = url.hostname.replace(/^\[|\]$/g, "").replace(/\.$/, "");
  if (host === "localhost" || host.endsWith(".localhost")) return "Must not lead to this machine";
  if (ipaddr.isValid(host) && !isPublicAddress(host)) return "Must not lead to a private address";
  return null;
}
