// How the service ends as a process: by SIGTERM, with every answer given, or by an error that nobody caught.
//
// @module-tag slow

import { once } from "node:events";
import { request } from "node:http";
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { call, newStore, serve } from "../helpers/processes.js";
import { settle } from "./settling.js";

describe("on SIGTERM", () => {
  test("what runs already is answered, then it ends with exit code 0", async () => {
    const service = await serve((await newStore()).env);
    const { token, workspacePublicId } = await settle(service);
    const rows = Array.from({ length: 2000 }, (_, row) => [
      `Card ${row}`,
      "A description",
      `List ${row % 10}`,
      `a, b, ${row % 50}`,
    ]);
    const importing = call(service.url, token, "POST", "/imports/csv/boards", {
      workspacePublicId,
      boardName: "Slow",
      rows,
      mapping: { title: 0, description: 1, list: 2, labels: 3 },
    });
    await sleep(100);

    service.signal("SIGTERM");

    expect(await importing).toMatchObject({ status: 200, body: { cardsCreated: 2000 } });
    expect(await service.ended).toBe(0);
  });

  test("a full standard output that nobody reads keeps it neither from serving nor from ending", async () => {
    const service = await serve((await newStore()).env);
    service.leaveUnread(true);
    for (let batch = 0; batch < 40; batch += 1) {
      const calls = Array.from({ length: 50 }, () => call(service.url, null, "GET", "/users/me"));
      expect((await Promise.all(calls)).map(({ status }) => status)).toEqual(Array(50).fill(401));
    }

    service.signal("SIGTERM");

    const isAlive = () => {
      try {
        return process.kill(service.pid, 0);
      } catch {
        return false;
      }
    };
    await expect.poll(isAlive, { timeout: 15_000 }).toBe(false);
    service.leaveUnread(false);
    expect(await service.ended).toBe(0);
  });

  test("a body that is still on its way is read to its end", async () => {
    const service = await serve((await newStore()).env);
    const { token } = await settle(service);
    const body = JSON.stringify({ name: "Late" });
    const { port } = new URL(service.url);
    const socket = connect(Number(port), "127.0.0.1").setEncoding("utf8");
    socket.write(
      `POST /api/v1/workspaces HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${token}\r\nexpect: 100-continue\r\n` +
        `content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`,
    );
    expect((await once(socket, "data"))[0]).toContain("100 Continue");

    service.signal("SIGTERM");
    await service.printed("refusing new calls");
    socket.write(body);

    expect((await once(socket, "data"))[0]).toMatch(/^HTTP\/1\.1 200 /);
    expect(await service.ended).toBe(0);
    socket.destroy();
  });

  test("it is no longer ready, but answers calls, each as the last of its connection, until it closes", async () => {
    const service = await serve((await newStore()).env);
    const { token } = await settle(service);
    expect((await fetch(`${service.url}/ready`)).status).toBe(200);

    service.signal("SIGTERM");
    await service.printed("shutting down");

    const [ready, health, me] = await Promise.all([
      fetch(`${service.url}/ready`),
      fetch(`${service.url}/health`),
      call(service.url, token, "GET", "/users/me"),
    ]);
    expect([ready.status, health.status, me.status]).toEqual([503, 200, 200]);
    expect(me.headers.get("connection")).toBe("close");
    expect(await service.ended).toBe(0);
    await expect(fetch(`${service.url}/health`)).rejects.toThrow("fetch failed");
  });

  /** Calls on a connection of its own; gives the status of the answer or the code of the failure. */
  const callOnce = (url: string) =>
    new Promise<number | string>((resolve) => {
      const calling = request(`${url}/api/v1/users/me`, { agent: false }, (response) => {
        response.resume().on("end", () => resolve(response.statusCode ?? 0));
      });
      calling.on("error", (error) => resolve("code" in error ? String(error.code) : error.message)).end();
    });

  test("clients that connect on and on are answered until it listens no more: none is cut off", async () => {
    const service = await serve((await newStore()).env);
    const outcomes = new Map<number | string, number>();
    const client = async () => {
      for (let outcome: number | string = 0; outcome !== "ECONNREFUSED"; ) {
        outcome = await callOnce(service.url);
        outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
      }
    };
    const clients = Array.from({ length: 100 }, client);
    await sleep(500);

    service.signal("SIGTERM");

    expect(await service.ended).toBe(0);
    await Promise.all(clients);
    expect([...outcomes.keys()].sort()).toEqual([401, 503, "ECONNREFUSED"]);
  });
});

test("an error that nobody caught is logged and ends it with exit code 1", async () => {
  const defect = "data:text/javascript,process.on('SIGUSR2',()=>{Promise.reject(new Error('a%20defect'))})";
  const service = await serve((await newStore()).env, { nodeOptions: ["--import", defect] });
  service.signal("SIGUSR2");
  expect(await service.ended).toBe(1);
  const last = JSON.parse(service.output.stdout.trim().split("\n").at(-1) ?? "");
  expect(last).toMatchObject({ level: 60, err: { message: "a defect" } });
});
