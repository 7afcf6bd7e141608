/** What a person sees who starts Slipway, and what a program gets. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { rm } from "node:fs/promises";
import { type AddressInfo, createServer, type Socket } from "node:net";
import path from "node:path";
import { describe, it } from "node:test";
import { cleanEnv, startProcess } from "../helpers/processes/service-process.ts";
import { copyPgliteTemplate, makeTempDir } from "../helpers/template.ts";
import { until } from "../helpers/until.ts";

const BIN = path.join(import.meta.dirname, "../../bin/slipway.js");
const JSON_LINE = /^\{"level":\d+,"time":/;

/** Starts it on a pseudo-terminal, by `script` of Debian's bsdutils. */
function startOnTerminal(env: Readonly<Record<string, string>>) {
  const command = `echo PID $$; exec '${process.execPath}' '${BIN}' start`;
  const child = spawn("script", ["-qefc", command, "/dev/null"], {
    env: { ...cleanEnv({ SLIPWAY_LOG: "info", ...env }), SHELL: "/bin/sh", TERM: "dumb" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  let shown = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (shown += text.replaceAll("\r\n", "\n")));
  const ended = once(child, "exit");
  return {
    shown: () => shown,
    async stop() {
      if (child.exitCode === null) process.kill(Number(/PID (\d+)/.exec(shown)?.[1]), "SIGTERM");
      await ended;
    },
  };
}

describe("a start", () => {
  it("on a terminal shows a log in text, the key once, and the console's address at the end", async () => {
    const folder = await makeTempDir("terminal");
    const started = startOnTerminal({ SLIPWAY_DATA_DIR: folder });
    try {
      await until(() => /Slipway is at .*\n/.test(started.shown()), "it serves", 120_000);
      const lines = started.shown().trimEnd().split("\n");
      assert.match(
        lines.at(-1) ?? "",
        /^ {2}Slipway is at http:\S+ {2}\(console; API reference: http:\S+\/docs\)/,
      );
      assert.ok(lines.some((line) => /^\d\d:\d\d:\d\d INFO {2}Slipway serves url=http:/.test(line)));
      assert.deepEqual(
        lines.filter((line) => JSON_LINE.test(line)),
        [],
      );
      assert.equal(started.shown().match(/slw_\w{20,}/g)?.length, 1, "the key is shown once");
      assert.ok(!started.shown().includes("\u001b"), "a terminal without colours gets none");
    } finally {
      await started.stop();
      await rm(folder, { recursive: true, force: true });
    }
    assert.match(started.shown(), /INFO {2}Draining signal=SIGTERM/);
  });

  it("elsewhere logs JSON, without the key, unless text is asked for", async () => {
    const folder = await makeTempDir("no-terminal");
    await copyPgliteTemplate(path.join(folder, "database"));
    for (const format of ["auto", "text"]) {
      const service = await startProcess({
        SLIPWAY_DATA_DIR: folder,
        SLIPWAY_LOG: "info",
        SLIPWAY_LOG_FORMAT: format,
      });
      await until(() => service.stdout().includes("Slipway serves"), "it has logged");
      service.process.kill("SIGTERM");
      await service.ended;
      const lines = service.stdout().trimEnd().split("\n");
      for (const line of lines) assert.equal(JSON_LINE.test(line), format === "auto", line);
      assert.doesNotMatch(service.stdout(), /slw_\w{20,}/);
    }
    await rm(folder, { recursive: true, force: true });
  });

  it("that takes longer than two seconds says what it is doing", async () => {
    const folder = await makeTempDir("slow-start");
    const sockets: Socket[] = [];
    // A database behind a network that swallows everything.
    const silent = createServer((socket) => void sockets.push(socket)).listen(0, "127.0.0.1");
    await once(silent, "listening");
    const { port } = silent.address() as AddressInfo;
    const started = startOnTerminal({
      SLIPWAY_DATA_DIR: folder,
      DATABASE_URL: `postgres://slipway@127.0.0.1:${port}/slipway`,
    });
    try {
      const line = /INFO {2}Still starting: opening the database and the cloud seconds=(\d+)/;
      await until(() => line.test(started.shown()), "it says so", 60_000);
      assert.ok(Number(line.exec(started.shown())?.[1]) >= 2);
    } finally {
      await started.stop();
      for (const socket of sockets) socket.destroy();
      silent.close();
      await rm(folder, { recursive: true, force: true });
    }
  });
});
