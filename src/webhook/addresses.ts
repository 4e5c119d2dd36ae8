// The addresses that webhooks may be sent to (contract section 6): public ones, unless the operator allows others. A URL is checked
// when it is saved and again at every attempt, which connects only to the addresses that were checked.

import { lookup, Resolver } from "node:dns/promises";
import type { LookupFunction } from "node:net";
import ipaddr from "ipaddr.js";

/** Addresses in public ranges that belong to the platform a machine runs on: Azure's. */
const OF_PLATFORMS = new Set(["168.63.129.16"]);

/** Only 2000::/3 of IPv6 is allocated; the forms that embed an IPv4 address are in other ranges. */
const isGlobalIpv6 = (address: ipaddr.IPv6) => ((address.parts[0] ?? 0) & 0xe000) === 0x2000;

/** Whether a literal address is in the public ranges. */
export function isPublicAddress(text: string): boolean {
  if (!ipaddr.isValid(text) || OF_PLATFORMS.has(text)) return false;
  const address = ipaddr.parse(text);
  if (address.range() !== "unicast") return false;
  return address instanceof ipaddr.IPv4 || isGlobalIpv6(address);
}

/** The reason why a URL is not allowed for a webhook, or null. Names are checked again when they are resolved on connecting. */
export function problemOfUrl(text: string, allowPrivate: boolean): string | null {
  if (!URL.canParse(text)) return "Must be a URL";
  const url = new URL(text);
  if (url.protocol !== "https:" && url.protocol !== "http:") return "Must be an http or https URL";
  if (url.username !== "" || url.password !== "") return "Must not contain a user name or password";
  if (allowPrivate) return null;
  // The URL parser has converted every notation of an IPv4 address to the dotted one.
  const host = url.hostname.replace(/^\[|\]$/g, "").replace(/\.$/, "");
  if (host === "localhost" || host.endsWith(".localhost")) return "Must not point to this machine";
  if (ipaddr.isValid(host) && !isPublicAddress(host)) return "Must not point to a private address";
  return null;
}

/** Finds the addresses of a name, in the order in which to try them. */
export type Resolve = (name: string) => Promise<string[]>;

/** The rules by which an attempt resolves names and connects. */
export interface Outside {
  resolve: Resolve;
  allowPrivate: boolean;
}

/** Asks name servers over sockets: the system's own lookup blocks one of the four threads of the process per name. */
function askNameServers(): Resolve {
  const servers = new Resolver({ timeout: 2000, tries: 2 });
  return async (name) => {
    const answers = await Promise.allSettled([servers.resolve4(name), servers.resolve6(name)]);
    return answers.flatMap((answer) => (answer.status === "fulfilled" ? answer.value : []));
  };
}

/** Also knows the names of private networks: of the hosts file and of search domains. */
const askSystem: Resolve = async (name) => (await lookup(name, { all: true })).map(({ address }) => address);

/** The resolvers of names where private addresses are allowed, and where they are not. */
export const resolver = (allowPrivate: boolean): Resolve => (allowPrivate ? askSystem : askNameServers());

export const NOT_PUBLIC = "The host name resolves to an address that is not public";

/** The reason why a message cannot be delivered, in words for the owner of the webhook. */
export class Undeliverable extends Error {}

async function allowedAddresses({ resolve, allowPrivate }: Outside, name: string): Promise<string[]> {
  const addresses = await resolve(name).catch(() => []);
  if (addresses.length === 0) throw new Undeliverable("The host name does not resolve to an address");
  if (!allowPrivate && !addresses.every(isPublicAddress)) throw new Undeliverable(NOT_PUBLIC);
  return addresses;
}

/** The lookup of a connection; fails with Undeliverable unless all is allowed. `problemOfUrl` checks literal addresses. */
export function guardedLookup(outside: Outside): LookupFunction {
  return (name, options, callback) => {
    allowedAddresses(outside, name).then(
      (allowed) => {
        const addresses = allowed.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
        const [first] = addresses;
        if (options.all) callback(null, addresses);
        else callback(null, first?.address ?? "", first?.family);
      },
      (error) => callback(error, ""),
    );
  };
}
