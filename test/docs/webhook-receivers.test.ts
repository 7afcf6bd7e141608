/** Runs the receivers of docs/how-to/webhooks.md, each in its language, against real deliveries. */
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import path from "node:path";
import { createInterface } from "node:readline";
import { after, before, describe, it } from "node:test";
import { freePort } from "../helpers/free-port.ts";
import { type Instance, startInstance } from "../helpers/instance.ts";
import { until } from "../helpers/until.ts";

const EXAMPLES = path.join(import.meta.dirname, "../../docs/examples/webhooks");

const LANGUAGES = [
  { name: "TypeScript", file: "receiver.ts", command: process.execPath, version: "--version", run: [] },
  { name: "Python", file: "receiver.py", command: "python3", version: "--version", run: [] },
  { name: "Go", file: "receiver.go", command: "go", version: "version", run: ["run"] },
] as const;

function isThere(command: string, version: string): boolean {
  try {
    execFileSync(command, [version], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

describe("the receiver of webhooks in", () => {
  let instance: Instance;
  before(async () => {
    instance = await startInstance();
  });
  after(() => instance.dispose());

  for (const { name, file, command, version, run } of LANGUAGES) {
    const skip = isThere(command, version) ? false : `${command} is not installed`;
    it(`${name} accepts what is signed, once, and nothing else`, { skip }, async (t) => {
      const { admin } = instance;
      const port = await freePort();
      const url = `http://127.0.0.1:${port}/`;
      const types = ["user.*"];
      const endpoint = (await admin.post("/v1/webhook-endpoints", { url, types })).body;
      t.after(() => admin.delete(`/v1/webhook-endpoints/${endpoint.id}`));
      const child = spawn(command, [...run, path.join(EXAMPLES, file)], {
        env: { ...process.env, SECRET: endpoint.secret, PORT: String(port) },
        // A group of its own: `go run` starts the program as a child.
        detached: true,
        stdio: ["ignore", "pipe", "inherit"],
      });
      t.after(() => process.kill(-(child.pid ?? 0), "SIGKILL"));
      const lines: string[] = [];
      createInterface(child.stdout).on("line", (line) => lines.push(line));
      await until(() => lines.includes("ready"), "it listens", 120_000);

      const forged = await fetch(url, {
        method: "POST",
        body: "{}",
        headers: {
          "webhook-id": "evt_forged",
          "webhook-timestamp": String(Math.floor(Date.now() / 1_000)),
          "webhook-signature": "v1,Zm9yZ2Vk",
        },
      });
      assert.equal(forged.status, 401);
      const user = await admin.post("/v1/users", { email: `${name}@example.com`, role: "viewer" });
      assert.equal(user.status, 201, user.text);
      const line = await until(() => lines.find((one) => one.includes("user.created")), "the event is there");
      const list = `/v1/webhook-endpoints/${endpoint.id}/deliveries`;
      const [delivery] = (await admin.get(list)).body.deliveries;
      assert.equal(line, `${delivery.sequence} user.created ${delivery.eventId}`);
      await until(
        async () => (await admin.get(`${list}/${delivery.id}`)).body.status === "DELIVERED",
        "it is logged",
      );
      await admin.post(`${list}/${delivery.id}/redeliver`);
      const again = await until(async () => {
        const { body } = await admin.get(`${list}/${delivery.id}`);
        return body.attempts === 2 && body.status === "DELIVERED" ? body : null;
      }, "it was sent again");
      assert.equal(again.lastStatus, 204);
      assert.equal(lines.filter((one) => one.includes(delivery.eventId)).length, 1);
    });
  }
});
