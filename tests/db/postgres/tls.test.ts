// TLS to PostgreSQL: a server in front of the test database that speaks it, with certificates of an authority of its own.

import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createSecureContext, TLSSocket } from "node:tls";
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import { isRejection, reasonOf } from "../../../src/db/failures.js";
import { openPostgres } from "../../../src/db/postgres.js";

const url = process.env.TEST_DATABASE_URL ?? "";
const hasOpenssl = (() => {
  try {
    return execFileSync("openssl", ["version"]).length > 0;
  } catch {
    return false;
  }
})();

describe.skipIf(!url || !hasOpenssl)("TLS", () => {
  const folder = mkdtempSync(join(tmpdir(), "work-board-tls-"));
  afterAll(() => rmSync(folder, { recursive: true }));
  const openssl = (...args: string[]) => execFileSync("openssl", args, { cwd: folder, stdio: "ignore" });
  const newKey = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
  openssl("req", "-x509", ...newKey, "-keyout", "ca.key", "-out", "ca.pem", "-subj", "/CN=Authority", "-days", "2");
  const authority = join(folder, "ca.pem");

  /** A certificate of the authority for some names. */
  function certificateFor(names: string, days = "2") {
    const file = names.replace(/\W/g, "");
    openssl("req", ...newKey, "-keyout", `${file}.key`, "-out", `${file}.csr`, "-subj", "/CN=server");
    writeFileSync(join(folder, `${file}.ext`), `subjectAltName=${names}\n`);
    const signing = ["-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-extfile", `${file}.ext`, "-days", days];
    openssl("x509", "-req", "-in", `${file}.csr`, "-out", `${file}.pem`, ...signing);
    const read = (end: string) => readFileSync(join(folder, `${file}.${end}`));
    return createSecureContext({ key: read("key"), cert: read("pem") });
  }

  /** The address of a server with a certificate, or without TLS. */
  async function serverWith(secureContext: ReturnType<typeof createSecureContext> | null) {
    const sockets = new Set<Socket>();
    const { hostname, port } = new URL(url);
    const server = createServer((client) => {
      client.once("data", (asked) => {
        const isAsked = asked.readInt32BE(4) === 80877103;
        const isSecure = isAsked && secureContext !== null;
        if (isAsked) client.write(isSecure ? "S" : "N");
        const plain = isSecure ? new TLSSocket(client, { isServer: true, secureContext }) : client;
        const upstream = connect(Number(port || 5432), hostname);
        for (const socket of [client, plain, upstream]) {
          sockets.add(socket);
          socket.on("error", () => {});
          socket.on("close", () => [client, upstream].forEach((one) => void one.destroy()));
        }
        if (!isAsked) upstream.write(asked);
        plain.pipe(upstream).pipe(plain);
      });
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => {
      for (const socket of sockets) socket.destroy();
      server.close();
    });
    return (settings: Record<string, string>, host = "127.0.0.1") => {
      const address = new URL(url);
      address.hostname = host;
      address.port = String((server.address() as AddressInfo).port);
      address.search = new URLSearchParams(settings).toString();
      return address.href;
    };
  }

  /** The result of connecting: `open`, or the reason of a refusal that no further try can mend. */
  async function connecting(address: string): Promise<string> {
    const driver = openPostgres({ url: address, poolSize: 1, prepare: true, statementTimeoutMs: 10_000 });
    onTestFinished(() => driver.close());
    const failure = await driver.query("select 1", [], "array").then(
      () => null,
      (error: Error) => error,
    );
    if (failure === null) return "open";
    return `${isRejection(failure) ? "ends the start" : "tries again"}: ${reasonOf(failure)}`;
  }

  test("with verify-full the address is that of the certificate, or the start ends", async () => {
    const full = { sslmode: "verify-full", sslrootcert: authority };
    const ofAddress = await serverWith(certificateFor("IP:127.0.0.1"));
    expect(await connecting(ofAddress(full))).toBe("open");
    expect(await connecting(ofAddress(full, "localhost"))).toMatch(/^ends the start: .*localhost/);
    const ofName = await serverWith(certificateFor("DNS:localhost"));
    expect(await connecting(ofName(full, "localhost"))).toBe("open");
    expect(await connecting(ofName(full))).toMatch(/^ends the start: .*127\.0\.0\.1/);
    const ofAnother = await serverWith(certificateFor("DNS:db.example.org"));
    expect(await connecting(ofAnother(full, "localhost"))).toMatch(/^ends the start: /);
    expect(await connecting(ofAnother({ ...full, sslmode: "verify-ca" }))).toBe("open");
  });

  test("only verified modes and those with an authority refuse a certificate that nobody vouches for", async () => {
    const address = await serverWith(certificateFor("IP:127.0.0.1"));
    for (const sslmode of ["prefer", "require"]) expect(await connecting(address({ sslmode })), sslmode).toBe("open");
    for (const sslmode of ["verify-ca", "verify-full"]) {
      expect(await connecting(address({ sslmode })), sslmode).toMatch(/^ends the start: .*certificate/);
    }
    expect(await connecting(address({ sslmode: "require", sslrootcert: authority }))).toBe("open");
    openssl("req", "-x509", ...newKey, "-keyout", "b.key", "-out", "b.pem", "-subj", "/CN=Another", "-days", "2");
    const another = join(folder, "b.pem");
    expect(await connecting(address({ sslmode: "require", sslrootcert: another }))).toMatch(/^ends the start: /);
  });

  test("a certificate that has expired ends the start", async () => {
    const address = await serverWith(certificateFor("IP:127.0.0.1, DNS:old", "-1"));
    const settings = { sslmode: "verify-full", sslrootcert: authority };
    expect(await connecting(address(settings))).toMatch(/^ends the start: .*expired/);
  });

  test("a server without TLS ends the start where TLS is asked for, and is used where it is preferred or not asked for", async () => {
    const address = await serverWith(null);
    expect(await connecting(address({ sslmode: "require" }))).toBe(
      "ends the start: the server has no TLS, which sslmode=require asks for",
    );
    for (const sslmode of ["disable", "prefer"]) expect(await connecting(address({ sslmode })), sslmode).toBe("open");
    expect(await connecting(address({}))).toBe("open");
  });

  test("an unknown mode, and a file of authorities that cannot be read, are named", async () => {
    const address = await serverWith(null);
    expect(await connecting(address({ sslmode: "verifyfull" }))).toContain("sslmode must be one of disable, allow");
    const sslrootcert = join(folder, "none.pem");
    expect(await connecting(address({ sslmode: "verify-full", sslrootcert }))).toContain("none.pem");
  });
});
