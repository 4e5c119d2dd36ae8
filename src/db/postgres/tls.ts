// TLS to PostgreSQL, as `sslmode` and `sslrootcert` of an address ask for it; what they mean is libpq's. postgres.js takes unknown modes
// for TLS, checks no address against a certificate, and waits for ever for a server without TLS.

import { readFileSync } from "node:fs";
import type { Socket } from "node:net";
import { checkServerIdentity, connect, type TLSSocket } from "node:tls";
import { codes, connectionError, reasonOf, TLS_REFUSED } from "../failures.js";

const MODES = ["disable", "allow", "prefer", "require", "verify-ca", "verify-full"] as const;
type SslMode = (typeof MODES)[number];

/** Spellings of other drivers. */
const ALIASES: Record<string, SslMode> = { true: "verify-full", false: "disable" };

/** The TLS of an address. */
export interface Tls {
  mode: SslMode;
  /** The certificates of the authorities that are trusted, PEM; those of the system unless given. */
  ca?: string;
}

/** A setting of TLS in an address that cannot be used. */
export class TlsSettingError extends Error {
  override readonly name = "TlsSettingError";
}

const isMode = (text: string): text is SslMode => MODES.some((mode) => mode === text);

function readCertificates(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new TlsSettingError(
      `DATABASE_URL: sslrootcert cannot be read: ${error instanceof Error ? reasonOf(error) : String(error)}`,
      { cause: error },
    );
  }
}

/** The address of a database without its settings of TLS, and those. @throws TlsSettingError */
export function tlsOf(address: string): { url: string; tls: Tls } {
  const url = new URL(address);
  const { searchParams: params } = url;
  const given = params.get("sslmode") ?? params.get("ssl");
  const root = params.get("sslrootcert");
  for (const name of ["sslmode", "ssl", "sslrootcert"]) params.delete(name);
  const mode = given === null ? (root === "system" ? "verify-full" : "disable") : (ALIASES[given] ?? given);
  if (!isMode(mode)) throw new TlsSettingError(`DATABASE_URL: sslmode must be one of ${MODES.join(", ")}`);
  if (root === null || root === "system") return { url: url.href, tls: { mode } };
  // As libpq: who names an authority wants it checked.
  return { url: url.href, tls: { mode: mode === "require" ? "verify-ca" : mode, ca: readCertificates(root) } };
}

/** A connection that TLS cannot be used on: it fails again until somebody changes a setting. */
const refused = (message: string, cause?: unknown) =>
  Object.assign(new Error(message, { cause }), { code: TLS_REFUSED });

const SSL_REQUEST = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]);

/** Asks a server whether it speaks TLS. */
function asksForTls(socket: Socket): Promise<boolean> {
  return new Promise((resolve, reject) => {
    socket.once("error", reject);
    socket.once("close", () => reject(connectionError("CONNECTION_CLOSED", "The connection was closed while opening")));
    socket.once("data", (answer) => {
      socket.removeAllListeners();
      resolve(answer.toString("latin1") === "S");
    });
    socket.write(SSL_REQUEST);
  });
}

/** Whether an error of Node's TLS is one of certificates or of the protocol, and not of the socket. */
const isOfCertificate = (error: Error) =>
  codes(error).some((code) => /CERT|SIGNATURE|_CA$|ISSUER|^ERR_(?:TLS|SSL)_/.test(code));

/** The connection to a host with its TLS, or without where the mode does not ask for it. */
export async function secured(socket: Socket, host: string, { mode, ca }: Tls): Promise<Socket | TLSSocket> {
  if (mode === "disable" || mode === "allow") return socket;
  if (!(await asksForTls(socket))) {
    if (mode === "prefer") return socket;
    throw refused(`the server has no TLS, which sslmode=${mode} asks for`);
  }
  const secure = connect({
    socket,
    ...(ca !== undefined && { ca }),
    rejectUnauthorized: mode.startsWith("verify"),
    // Node compares with the name that it sends to the server, and sends none where it is an address.
    checkServerIdentity: (_, certificate) =>
      mode === "verify-full" ? checkServerIdentity(host, certificate) : undefined,
  });
  return new Promise((resolve, reject) => {
    secure.once("error", (error) => reject(isOfCertificate(error) ? refused(reasonOf(error), error) : error));
    secure.once("close", () => reject(connectionError("CONNECTION_CLOSED", "The connection was closed while opening")));
    secure.once("secureConnect", () => resolve(secure.removeAllListeners()));
  });
}
