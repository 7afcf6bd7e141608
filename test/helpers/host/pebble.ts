/** Pebble, Let's Encrypt's test server (Debian's package `pebble`), on free loopback ports. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { request } from "node:https";
import path from "node:path";
import { text as readText } from "node:stream/consumers";
import {
  createCertificateAuthority,
  createRoot,
} from "../../../sandbox/src/certificates/certificate-authority.ts";
import { freePort } from "../free-port.ts";
import { makeTempDir } from "../template.ts";
import { until } from "../until.ts";

export type Pebble = {
  /** The address of its ACME directory. */
  readonly directory: string;
  /** The CA that signed the directory's own certificate, for `SLIPWAY_ACME_CA_FILE`; also as a file. */
  readonly caPem: string;
  readonly caFile: string;
  /** The root of the certificates that it issues; a new one after each start. */
  rootPem(): Promise<string>;
  /** Everything that it wrote. */
  log(): string;
  /** Kills it, as a CA that is down; `start` brings it back with an empty memory, at the same address. */
  kill(): Promise<void>;
  start(): Promise<void>;
  stop(): Promise<void>;
};

export type PebbleOptions = {
  /** The DNS server that it asks. */
  readonly dns: { readonly host: string; readonly port: number };
  /** Where it connects for http-01 and tls-alpn-01. */
  readonly httpPort: number;
  readonly httpsPort: number;
  /** How many of a hundred good nonces it refuses. Default: 15. */
  readonly nonceReject?: number;
  /** How many of a hundred new orders reuse valid authorizations. Default: 0. */
  readonly authorizationReuse?: number;
  /** External account binding is required, with these keys in base64url. */
  readonly externalAccounts?: Readonly<Record<string, string>>;
  /** Longest pause before it validates, in seconds. Default: none. */
  readonly maxSleepSeconds?: number;
  /** Another build of the program. */
  readonly program?: string;
  /** More members of its configuration, for newer releases. */
  readonly more?: Readonly<Record<string, unknown>>;
};

export async function startPebble(options: PebbleOptions): Promise<Pebble> {
  const folder = await makeTempDir("pebble");
  const [port, managementPort] = [await freePort(), await freePort()];
  const ca = createCertificateAuthority(createRoot(new Date()));
  const pair = ca.issue(["localhost"], new Date(), new Date(Date.now() + 86_400_000));
  const file = (name: string) => path.join(folder, name);
  await writeFile(file("ca.pem"), ca.certificatePem);
  await writeFile(file("cert.pem"), pair.certificatePem);
  await writeFile(file("key.pem"), pair.privateKeyPem);
  const pebble = {
    listenAddress: `127.0.0.1:${port}`,
    managementListenAddress: `127.0.0.1:${managementPort}`,
    certificate: file("cert.pem"),
    privateKey: file("key.pem"),
    httpPort: options.httpPort,
    tlsPort: options.httpsPort,
    ocspResponderURL: "",
    externalAccountBindingRequired: options.externalAccounts !== undefined,
    externalAccountMACKeys: options.externalAccounts ?? {},
    ...options.more,
  };
  await writeFile(file("config.json"), JSON.stringify({ pebble }));
  const env = {
    PATH: process.env["PATH"],
    PEBBLE_WFE_NONCEREJECT: String(options.nonceReject ?? 15),
    PEBBLE_AUTHZREUSE: String(options.authorizationReuse ?? 0),
    ...(options.maxSleepSeconds === undefined
      ? { PEBBLE_VA_NOSLEEP: "1" }
      : { PEBBLE_VA_SLEEPTIME: String(options.maxSleepSeconds) }),
  };
  const args = ["-config", file("config.json"), "-dnsserver", `${options.dns.host}:${options.dns.port}`];
  const get = (url: string) => getText(url, ca.certificatePem);
  const directory = `https://localhost:${port}/dir`;
  let text = "";
  let kill: () => Promise<void> = async () => undefined;

  async function start(): Promise<void> {
    const child = spawn(options.program ?? "pebble", args, { env, stdio: ["ignore", "pipe", "pipe"] });
    const atExit = (): void => void child.kill("SIGKILL");
    process.once("exit", atExit);
    const ended = once(child, "exit").finally(() => process.removeListener("exit", atExit));
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
    }
    kill = async () => {
      child.kill("SIGKILL");
      await ended;
    };
    await until(
      async () => {
        if (child.exitCode !== null) throw new Error(`Pebble ended:\n${text}`);
        return (await get(directory).catch(() => null)) !== null;
      },
      "Pebble answers",
      20_000,
    );
  }
  await start();
  return {
    directory,
    caPem: ca.certificatePem,
    caFile: file("ca.pem"),
    rootPem: () => get(`https://localhost:${managementPort}/roots/0`),
    log: () => text,
    kill: () => kill(),
    start,
    async stop() {
      await kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function getText(url: string, ca: string): Promise<string> {
  const sent = request(url, { ca, agent: false, headers: { "user-agent": "slipway-test" } });
  sent.end();
  const [response] = await once(sent, "response");
  return await readText(response);
}
