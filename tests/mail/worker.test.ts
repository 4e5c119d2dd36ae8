// Sending what is queued (capabilities section 1), to a real mail server: each mail once, or again as the schedule says.

import { createServer } from "node:net";
import { eq, inArray, sql } from "drizzle-orm";
import { beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { mail } from "../../src/db/schema/index.js";
import { forgetOldMail } from "../../src/mail/mailRetention.js";
import { mailRow, NOW } from "../../src/mail/newMail.js";
import { openSender } from "../../src/mail/smtp.js";
import { testApp, unique } from "../helpers/app.js";
import { swept } from "../helpers/sweeping.js";
import { MAIL, mailServer, refusal, sendMail } from "./mailServer.js";

const app = await testApp(MAIL);
const { db } = app;

const eventually = (expected: () => unknown) => vi.waitFor(expected, { timeout: 25_000, interval: 20 });
const newAddress = () => `${unique("to").replace(" ", ".")}@example.net`;

// What a test leaves waiting is none of the next one's.
beforeEach(() => db.delete(mail));

/** Queues an invitation to an address that nothing else has. */
async function queue(data: Record<string, unknown> = {}): Promise<{ publicId: string; address: string }> {
  const address = newAddress();
  const invitation = { code: "4kTq8hJ3", workspaceName: "Acme", inviterName: "Ada", ...data };
  const row = mailRow({ kind: "invitation", accountId: null, address, data: invitation }, NOW);
  await db.insert(mail).values(row);
  return { publicId: row.publicId, address };
}

async function stored({ publicId }: { publicId: string }) {
  const [row] = await db
    .select({
      status: mail.status,
      attempts: mail.attempts,
      lastError: mail.lastError,
      data: mail.data,
      seconds: sql<number | null>`round(extract(epoch from ${mail.nextAttemptAt} - now()))::int`,
    })
    .from(mail)
    .where(eq(mail.publicId, publicId));
  return row;
}

const makeDue = ({ publicId }: { publicId: string }) =>
  db.update(mail).set({ nextAttemptAt: sql`now()` }).where(eq(mail.publicId, publicId));

test("a mail goes over STARTTLS with the login, as text and HTML, under an identifier of its own; its data is then removed", async () => {
  const { url, arrived } = await mailServer();
  const queued = await queue();
  sendMail(app, url);
  await eventually(async () => expect(await stored(queued)).toMatchObject({ status: "sent", attempts: 1, data: null }));
  expect(arrived).toHaveLength(1);
  expect(arrived[0]).toMatchObject({
    recipient: queued.address,
    from: { name: "Work Board", address: "board@example.org" },
    to: [{ address: queued.address }],
    subject: "Ada invited you to Acme",
    messageId: `<${queued.publicId}@example.org>`,
  });
  expect(arrived[0]?.text).toContain("https://board.example.org/invite/4kTq8hJ3");
  expect(arrived[0]?.html).toContain(`href="https://board.example.org/invite/4kTq8hJ3"`);
  expect(arrived[0]?.headers).toContainEqual(
    expect.objectContaining({ key: "auto-submitted", value: "auto-generated" }),
  );
});

test("names that hold line ends add no header and no address", async () => {
  const { url, arrived } = await mailServer();
  const queued = await queue({
    inviterName: "Eve\r\nBcc: all@example.com\r\n\r\nHello",
    workspaceName: "A\nX-Evil: 1",
  });
  sendMail(app, url);
  await eventually(() => expect(arrived).toHaveLength(1));
  const [received] = arrived;
  expect(received?.subject).toBe("Eve Bcc: all@example.\u200bcom Hello invited you to A X-Evil: 1");
  expect(received?.bcc ?? []).toEqual([]);
  expect(received?.headers.map(({ key }) => key)).not.toContain("x-evil");
  expect(received?.recipient).toBe(queued.address);
});

test("an address with letters beyond ASCII gets its mail, and a server without SMTPUTF8 is named as what refused it", async () => {
  const inviteTo = async (address: string) => {
    const data = { code: "4kTq8hJ3", workspaceName: "Acme", inviterName: "Ada" };
    const row = mailRow({ kind: "invitation", accountId: null, address, data }, NOW);
    await db.insert(mail).values(row);
    return { publicId: row.publicId };
  };
  const { url, arrived } = await mailServer({ hideSMTPUTF8: false });
  const sending = sendMail(app, url);
  const taken = await inviteTo("müller@xn--bcher-kva.example");
  await eventually(async () => expect((await stored(taken))?.status).toBe("sent"));
  expect(arrived[0]?.recipient).toMatch(/^müller@/);
  await sending.stop(0);

  const old = await mailServer({
    onRcptTo: ({ address }, _session, callback) => callback(/^[ -~]*$/.test(address) ? null : refusal(553)),
  });
  sendMail(app, old.url);
  const refused = await inviteTo("jörg@example.org");
  await eventually(async () => expect((await stored(refused))?.status).toBe("failed"));
  expect((await stored(refused))?.lastError).toMatch(/^The mail server 127\.0\.0\.1 answered 553 .*SMTPUTF8$/);
});

test("two workers send 200 mails, each once", { tags: ["slow"] }, async () => {
  const { url, arrived } = await mailServer();
  const rows = Array.from({ length: 200 }, () =>
    mailRow({ kind: "notice", accountId: null, address: newAddress(), data: { about: "passwordReset" } }, NOW),
  );
  await db.insert(mail).values(rows);
  sendMail(app, url);
  sendMail(app, url);
  const publicIds = rows.map(({ publicId }) => publicId);
  await eventually(async () => {
    const sent = await db.select({ status: mail.status }).from(mail).where(inArray(mail.publicId, publicIds));
    expect(sent.every(({ status }) => status === "sent")).toBe(true);
  });
  expect(arrived.map(({ messageId }) => messageId).toSorted()).toEqual(
    publicIds.map((publicId) => `<${publicId}@example.org>`).toSorted(),
  );
});

test("a worker that ends between DATA and the row's update leaves the mail to its lease: it comes again under the same identifier", async () => {
  let taken = 0;
  const messageIds: string[] = [];
  const { url } = await mailServer({
    answer: async ({ messageId = "" }) => {
      messageIds.push(messageId);
      taken += 1;
      // The server has the mail, and the first worker never hears of it.
      if (taken === 1) await new Promise(() => {});
    },
  });
  const queued = await queue();
  const first = sendMail(app, url);
  await eventually(() => expect(messageIds).toHaveLength(1));
  await first.stop(0);
  const left = await stored(queued);
  expect(left).toMatchObject({ status: "pending", attempts: 1 });
  expect(left?.seconds).toBeGreaterThan(30);
  expect(left?.seconds).toBeLessThanOrEqual(90);

  await makeDue(queued);
  sendMail(app, url);
  await eventually(async () => expect(await stored(queued)).toMatchObject({ status: "sent", attempts: 2 }));
  expect(messageIds).toEqual([`<${queued.publicId}@example.org>`, `<${queued.publicId}@example.org>`]);
});

describe("a mail that is not taken", () => {
  test("is tried again after 1 min, 5 min, 30 min and 2 h, then given up, and its data removed", async () => {
    const { url, arrived } = await mailServer({
      answer: () => {
        throw refusal(450);
      },
    });
    const queued = await queue();
    const worker = sendMail(app, url);
    for (const [index, seconds] of [60, 300, 1800, 7200].entries()) {
      await eventually(async () => {
        const row = await stored(queued);
        expect(row).toMatchObject({
          status: "pending",
          attempts: index + 1,
          lastError: "The mail server answered 450",
        });
        expect(row?.seconds).toBeGreaterThan(seconds - 30);
        expect(row?.seconds).toBeLessThanOrEqual(seconds);
      });
      await makeDue(queued);
      worker.wake();
    }
    await eventually(async () =>
      expect(await stored(queued)).toMatchObject({ status: "failed", attempts: 5, data: null }),
    );
    expect(arrived).toEqual([]);
  });

  test("because the server answers the greeting with 421 is tried again", async () => {
    const { url } = await mailServer({ onConnect: (_session, callback) => callback(refusal(421)) });
    const queued = await queue();
    sendMail(app, url);
    await eventually(async () =>
      expect(await stored(queued)).toMatchObject({
        status: "pending",
        attempts: 1,
        lastError: "The mail server answered 421",
      }),
    );
  });

  test.each(["onRcptTo", "onData"] as const)("because of a 550 in %s is given up at once", async (hook) => {
    const refuse = { onRcptTo: (_: unknown, __: unknown, callback: (error: Error) => void) => callback(refusal(550)) };
    const { url } = await mailServer(
      hook === "onRcptTo"
        ? refuse
        : {
            answer: () => {
              throw refusal(550);
            },
          },
    );
    const queued = await queue();
    sendMail(app, url);
    await eventually(async () =>
      expect(await stored(queued)).toMatchObject({
        status: "failed",
        lastError: "The mail server answered 550",
        data: null,
      }),
    );
  });

  test("because the login is refused is tried again, and nothing logs the login", async () => {
    const { url } = await mailServer();
    const queued = await queue();
    sendMail(app, url.replace("p%40ss", "wr0ng"));
    await eventually(async () =>
      expect(await stored(queued)).toMatchObject({
        status: "pending",
        lastError: "The mail server did not accept the login",
      }),
    );
    expect(app.logs.join("\n")).not.toMatch(/wr0ng|p@ss/);
  });

  test("because the server says nothing is tried again", async () => {
    const silent = createServer((socket) => void socket.on("error", () => {}));
    await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void silent.close());
    const address = silent.address();
    const port = typeof address === "object" ? address?.port : 0;
    const queued = await queue();
    sendMail(app, `smtp://127.0.0.1:${port}`, { silenceMs: 200 });
    await eventually(async () =>
      expect(await stored(queued)).toMatchObject({
        status: "pending",
        lastError: "The mail server did not answer in time",
      }),
    );
  });

  test("because the connection is cut after DATA is tried again", async () => {
    const server = await mailServer({ answer: () => void server.cut() });
    const queued = await queue();
    sendMail(app, server.url);
    await eventually(async () => {
      const row = await stored(queued);
      expect(row).toMatchObject({ status: "pending", attempts: 1 });
      expect(row?.lastError).toMatch(/^The (connection to the mail server failed|mail server did not answer in time)$/);
    });
  });

  test("because it cannot be written fails no other, and is logged without what it was made of", async () => {
    const { url } = await mailServer();
    const broken = await queue({ code: 5, workspaceName: "s3cret" });
    const whole = await queue();
    sendMail(app, url);
    await eventually(async () => expect(await stored(whole)).toMatchObject({ status: "sent" }));
    await eventually(async () =>
      expect(await stored(broken)).toMatchObject({ lastError: "The mail could not be written" }),
    );
    expect(app.logs.join("\n")).not.toContain("s3cret");
  });
});

test("an operator is told in one line what is wrong with the mail server", async () => {
  const { url, port } = await mailServer();
  const problemOf = async (at: string) => {
    const sender = openSender({ url: at, from: MAIL.MAIL_FROM });
    onTestFinished(() => sender.close());
    return sender.problem();
  };
  expect(await problemOf(url)).toBeNull();
  expect(await problemOf(url.replace("board:", "nobody:"))).toBe("The mail server did not accept the login");
  expect(await problemOf(`smtp://127.0.0.1:${port}?requireTLS=true`)).toBe(
    "No secure connection to the mail server could be made",
  );
});

test("mail that ended is forgotten after 30 days; what waits stays", async () => {
  const [old, recent, waiting] = [await queue(), await queue(), await queue()];
  const month = sql`now() - interval '31 days'`;
  const later = sql`now() + interval '1 day'`;
  await db.update(mail).set({ status: "sent", createdAt: month }).where(eq(mail.publicId, old.publicId));
  await db.update(mail).set({ status: "failed" }).where(eq(mail.publicId, recent.publicId));
  await db.update(mail).set({ createdAt: month, nextAttemptAt: later }).where(eq(mail.publicId, waiting.publicId));
  expect(await swept(forgetOldMail, db)).toEqual([1]);
  expect(await stored(old)).toBeUndefined();
  expect(await stored(recent)).toMatchObject({ status: "failed" });
  expect(await stored(waiting)).toMatchObject({ status: "pending" });
});
