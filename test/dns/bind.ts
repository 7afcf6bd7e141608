/** BIND as an authority that signs its zones, and as a resolver that validates them. Each is a plain child process. */
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { freePort } from "../helpers/free-port.ts";
import type { DnsServer } from "../../src/dns/wire/servers.ts";

const run = promisify(execFile);

/**
 * How a zone is signed, by the key that its parent vouches for: `expired` and `unsigned` are what validating resolvers
 * refuse; with `another-key`, the zone moved to a provider that signs it anew.
 */
export type Signing = "valid" | "expired" | "unsigned" | "another-key";

type Zone = {
  readonly name: string;
  readonly records: Readonly<Record<string, readonly string[]>>;
  readonly signing: Signing;
};

export type Bind = DnsServer & { stop(): Promise<void> };

/** A signed zone, ready to be served, and the key that its parent vouches for. */
export type SignedZone = { readonly name: string; readonly file: string; readonly anchor: string };

export type BindFolder = {
  sign(zone: Zone): Promise<SignedZone>;
  /** An authority for zones. */
  serve(zones: readonly SignedZone[]): Promise<Bind>;
  /** A resolver that asks these servers for these zones, another for the rest, and trusts the keys. */
  resolve(
    zones: readonly { readonly zone: SignedZone; readonly at: DnsServer }[],
    rest: DnsServer,
  ): Promise<Bind>;
  remove(): Promise<void>;
};

/** @throws Error that names the packages, if BIND is not installed */
export async function openBind(): Promise<BindFolder> {
  for (const [program, option] of [
    ["named", "-V"],
    ["dnssec-keygen", "-V"],
    ["dnssec-signzone", "-V"],
  ] as const)
    await tool(program, [option]);
  const folder = await mkdtemp(path.join(tmpdir(), "slipway-bind-"));
  let made = 0;

  async function makeKey(zone: string, at: string): Promise<string> {
    const { stdout } = await tool("dnssec-keygen", [
      "-q",
      "-K",
      at,
      "-a",
      "ECDSAP256SHA256",
      "-f",
      "KSK",
      zone,
    ]);
    return stdout.trim();
  }

  async function start(config: string): Promise<Bind> {
    const own = path.join(folder, `named-${(made += 1)}`);
    await mkdir(own);
    const port = await freePort();
    const file = path.join(own, "named.conf");
    await writeFile(file, config.replace("OPTIONS", optionsOf(own, port)));
    const child = spawn(programOf("named"), ["-g", "-c", file, "-n", "1"], {
      stdio: ["ignore", "ignore", "pipe"],
    });
    await untilRunning(child);
    return {
      host: "127.0.0.1",
      port,
      async stop() {
        const ended = once(child, "exit");
        if (child.exitCode === null && child.kill("SIGTERM")) await ended;
      },
    };
  }

  return {
    async sign({ name, records, signing }) {
      const at = path.join(folder, `${name}-${(made += 1)}`);
      await mkdir(at);
      const file = path.join(at, "zone");
      await writeFile(file, zoneFile(records));
      const key = await makeKey(name, at);
      const dnskey = await readFile(path.join(at, `${key}.key`), "utf8");
      const anchor = /DNSKEY (\d+ \d+ \d+) (.+)$/m.exec(dnskey);
      if (anchor === null) throw new Error(`dnssec-keygen wrote no key: ${dnskey}`);
      const signer = signing === "another-key" ? await makeKey(name, at) : key;
      const isExpired = signing === "expired";
      if (signing !== "unsigned") {
        const days = (count: number): string =>
          new Date(Date.now() + count * 86_400_000).toISOString().replaceAll(/[-:T]|\..*/g, "");
        const period = ["-s", days(isExpired ? -30 : -1), "-e", days(isExpired ? -1 : 30)];
        await writeFile(file, `\n$INCLUDE ${path.join(at, `${signer}.key`)}\n`, { flag: "a" });
        await tool("dnssec-signzone", [
          "-q",
          // Skips the tool's verification, which an expired signature does not pass.
          "-P",
          "-z",
          "-K",
          at,
          // The folder for the records of a parent zone; default: the working directory.
          "-d",
          at,
          "-o",
          name,
          ...period,
          "-f",
          `${file}.signed`,
          file,
          path.join(at, signer),
        ]);
      }
      return {
        name,
        file: signing === "unsigned" ? file : `${file}.signed`,
        anchor: `"${name}" static-key ${anchor[1]} "${(anchor[2] ?? "").replaceAll(" ", "")}";`,
      };
    },
    serve: (zones) =>
      start(
        `options { OPTIONS recursion no; };\n${zones
          .map(({ name, file }) => `zone "${name}" { type primary; file "${file}"; };`)
          .join("\n")}`,
      ),
    resolve: (zones, rest) =>
      start(
        `options { OPTIONS recursion yes; dnssec-validation yes; forward only; forwarders { ${placeOf(rest)} };
  qname-minimization off; };
trust-anchors { ${zones.map(({ zone }) => zone.anchor).join("\n")} };
${zones
  .map(
    ({ zone, at }) => `zone "${zone.name}" { type forward; forward only; forwarders { ${placeOf(at)} }; };`,
  )
  .join("\n")}`,
      ),
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

function placeOf({ host, port }: DnsServer): string {
  return `${host} port ${port};`;
}

function optionsOf(folder: string, port: number): string {
  return `directory "${folder}"; managed-keys-directory "${folder}"; pid-file none; session-keyfile none; lock-file none;
  listen-on port ${port} { 127.0.0.1; }; listen-on-v6 { none; }; query-source address 127.0.0.1; notify no;
  allow-query { 127.0.0.1; }; empty-zones-enable no; `;
}

/** The name servers of each zone have addresses elsewhere. */
function zoneFile(records: Zone["records"]): string {
  const lines = Object.entries(records).flatMap(([key, values]) => {
    const [owner = "", type = ""] = key.split(" ");
    return values.map((value) => `${owner}. ${type} ${type === "CNAME" ? `${value}.` : value}`);
  });
  return `$TTL 60\n@ SOA ns1.first.net. hostmaster.first.net. 1 3600 600 86400 5\n@ NS ns1.first.net.\n${lines.join("\n")}\n`;
}

async function untilRunning(child: ChildProcess): Promise<void> {
  if (child.stderr === null) throw new Error("named has no output to read.");
  const said: string[] = [];
  for await (const line of createInterface({ input: child.stderr })) {
    said.push(line);
    if (line.endsWith(" running")) {
      // What it says later is not read, and must not fill the pipe.
      child.stderr.resume();
      return;
    }
  }
  throw new Error(`named did not start:\n${said.join("\n")}`);
}

/** Debian has `named` in /usr/sbin, which the PATH of a user often lacks. */
function programOf(program: string): string {
  return program === "named" ? "/usr/sbin/named" : program;
}

async function tool(program: string, args: readonly string[]): Promise<{ readonly stdout: string }> {
  try {
    return await run(programOf(program), [...args]);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT")
      throw new Error(`${program} is not installed. Install BIND: apt-get install bind9 bind9-utils`, {
        cause: error,
      });
    throw error;
  }
}
