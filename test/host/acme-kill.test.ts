import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { randomBytes, randomInt } from "node:crypto";
import { once } from "node:events";
import path from "node:path";
import { test } from "node:test";
import { startCa, startWorld } from "../helpers/host/acme-fixture.ts";
import { freePort } from "../helpers/free-port.ts";

const PROGRAM = path.join(import.meta.dirname, "../helpers/host/acme-process.ts");
const FULL = process.env["SLIPWAY_TEST_FULL"] === "1";
/** More of them in the full run. */
const NAMES = FULL ? 1_000 : 24;

test("kill -9 in the middle of orders: no order twice, no certificate lost", async (t) => {
  const world = await startWorld(t);
  const ports = { http: await freePort(), https: await freePort() };
  const ca = await startCa(t, {
    ...world,
    edge: { ...world.edge, httpPort: ports.http, httpsPort: ports.https },
  });
  const names = Array.from({ length: NAMES }, (_, index) => `n${index}.example`);
  for (const name of names) world.names.set(name, "A", "127.0.0.1");
  const settings = {
    folder: world.folder,
    directory: ca.directory,
    caPem: ca.caPem,
    sealKey: randomBytes(32).toString("hex"),
    names,
    dns: { host: world.names.host, port: world.names.port },
    ports,
  };
  const start = () => {
    const child = spawn(process.execPath, ["--no-warnings", PROGRAM, JSON.stringify(settings)], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const kill = (): void => void child.kill("SIGKILL");
    process.once("exit", kill);
    t.after(kill);
    const ended = once(child, "exit").finally(() => process.removeListener("exit", kill));
    let last = "";
    const issued = new Promise<void>((resolve) => {
      child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
        last = chunk;
        if (chunk.includes("ISSUED\n")) resolve();
      });
    });
    return { child, ended, issued, last: () => last };
  };
  const orders = () => [...ca.log().matchAll(/Added order/g)].length;
  let kills = 0;
  for (let round = 0; round < (FULL ? 12 : 5); round += 1) {
    const before = orders();
    const running = start();
    const isDone = await Promise.race([
      running.issued.then(() => true),
      // Until orders are under way, and a moment that differs.
      (async () => {
        while (orders() <= before) await new Promise((resolve) => setTimeout(resolve, 5));
        await new Promise((resolve) => setTimeout(resolve, randomInt(FULL ? 3_000 : 300)));
        return false;
      })(),
    ]);
    running.child.kill("SIGKILL");
    await running.ended;
    kills += 1;
    if (isDone) break;
  }
  t.diagnostic(`${kills} kills, the last with ${orders()} of ${NAMES} orders made`);
  const last = start();
  const startedAt = performance.now();
  await Promise.race([
    last.issued,
    last.ended.then(() => assert.fail("the engine ended")),
    new Promise((_, reject) =>
      setTimeout(() => reject(new Error(`not issued: ${last.last()}`)), FULL ? 600_000 : 60_000).unref(),
    ),
  ]);
  last.child.kill("SIGKILL");
  await last.ended;
  t.diagnostic(`the rest took ${Math.round(performance.now() - startedAt)} ms`);
  // While the process is dead, a check that the CA has begun has no answer; the CA ends such an order.
  const ended = [...ca.log().matchAll(/authz \S+ set INVALID/g)].length;
  t.diagnostic(`${ended} orders were ended by the CA, because a kill came during its check`);
  assert.equal(orders(), NAMES + ended);
  const accounts = [...ca.log().matchAll(/There are now (\d+) accounts/g)].map(([, count]) => count);
  assert.deepEqual(accounts, ["1"]);
});
