/** Caddy (Debian's package `caddy`), with its admin API on a free loopback port, and no sites. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { freePort } from "../free-port.ts";
import { makeTempDir } from "../template.ts";
import { until } from "../until.ts";

export type Caddy = {
  readonly adminUrl: string;
  readonly folder: string;
  pid(): number;
  /** Everything that it wrote. */
  log(): string;
  /** The names that it forwards itself; none while it starts another admin server. */
  forwards(): Promise<readonly string[]>;
  /** Ends it at once. */
  kill(): Promise<void>;
  /** Starts another with the configuration that it has on the disk: no sites. */
  start(): Promise<void>;
  stop(): Promise<void>;
};

export async function startCaddy(): Promise<Caddy> {
  const folder = await makeTempDir("caddy");
  const listen = `127.0.0.1:${await freePort()}`;
  const adminUrl = `http://${listen}`;
  const config = path.join(folder, "caddy.json");
  await writeFile(config, JSON.stringify({ admin: { listen } }));
  let text = "";
  let pid = 0;
  let kill: () => Promise<void> = async () => undefined;

  async function start(): Promise<void> {
    const child = spawn("caddy", ["run", "--config", config], {
      stdio: ["ignore", "ignore", "pipe"],
      env: { PATH: process.env["PATH"], HOME: folder },
    });
    child.stderr.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
    pid = child.pid ?? 0;
    const ended = once(child, "exit");
    const atExit = (): void => void child.kill("SIGKILL");
    process.once("exit", atExit);
    kill = async () => {
      process.removeListener("exit", atExit);
      child.kill("SIGKILL");
      await ended;
    };
    const isUp = () =>
      fetch(`${adminUrl}/config/`).then(
        (answer) => answer.ok,
        () => false,
      );
    await until(isUp, "Caddy answers", 20_000);
  }
  await start();
  return {
    adminUrl,
    folder,
    pid: () => pid,
    log: () => text,
    async forwards() {
      const at = `${adminUrl}/config/apps/http/servers/https/routes`;
      const answer = await fetch(at, { headers: { connection: "close" } }).catch(() => null);
      const routes = ((await answer?.json()) ?? []) as { match?: { host?: string[] }[] }[];
      return routes.flatMap(({ match = [] }) => match.flatMap(({ host = [] }) => host));
    },
    kill: () => kill(),
    start,
    async stop() {
      await kill();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
