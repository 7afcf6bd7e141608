import { accessSync, constants, existsSync, mkdirSync, statSync } from "node:fs";
import { isIP } from "node:net";
import path from "node:path";
import { hasValidChecksum } from "../lib/api-key.ts";
import type { TlsFiles } from "../http/tls-files.ts";

export type HostPort = { readonly host: string; readonly port: number };

const ROLES = ["all", "api", "worker"] as const;
const ISOLATIONS = ["auto", "bwrap", "unshare", "uid", "none"] as const;
const LOG_LEVELS = ["fatal", "error", "warn", "info", "debug", "trace", "silent"] as const;

/** The checked environment variables of design section 1. `docs/reference/configuration.md` explains each. */
export type Config = {
  readonly host: string;
  readonly port: number;
  /** Without a trailing slash; null when it follows from the listening address. */
  readonly publicUrl: string | null;
  /** The files of the certificate and its key; null: plain HTTP. */
  readonly tls: TlsFiles | null;
  /** Null: the embedded database in the data folder. */
  readonly databaseUrl: string | null;
  readonly databasePoolSize: number;
  /** How many may wait for a connection of the pool before new requests are refused. */
  readonly maxWaiting: number;
  /** Null: keep forever. */
  readonly auditKeptDays: number | null;
  readonly dataDir: string;
  readonly role: (typeof ROLES)[number];
  readonly cloud: "sandbox" | "aws";
  readonly apiKey: string | null;
  /** Null: the system's resolvers; in the sandbox, its own DNS. */
  readonly dnsServers: readonly HostPort[] | null;
  readonly sealingKeysDir: string;
  /** The AWS KMS key that wraps the keys in that folder; null: they are not wrapped. */
  readonly kmsKeyId: string | null;
  readonly validationWindowMs: number;
  /** How long a build, and the release of a service, may take. */
  readonly buildLimitMs: number;
  readonly releaseLimitMs: number;
  /** Requests per minute for each API key; null: no limit. */
  readonly rateLimitPerMinute: number | null;
  /** How many requests each API key, and each organization, may have held open. */
  readonly held: { readonly perKey: number; readonly perOrganization: number };
  readonly gitAllowedHosts: readonly string[];
  /** Addresses and networks of proxies whose `X-Forwarded-For` is trusted. */
  readonly trustedProxies: readonly string[];
  /** Null with any other cloud. */
  readonly aws: {
    /** Slipway's own account, which customers' roles trust. */
    readonly accountId: string;
    /** The URL from which CloudFormation reads the connection's template; null: the API's. */
    readonly templateUrl: string | null;
  } | null;
  readonly sandbox: {
    readonly dnsPort: number;
    readonly edgePort: number;
    /** The address of the sandbox server; null: it runs in this process. */
    readonly url: string | null;
    /** The secret that authenticates a process to it; set whenever `url` is. */
    readonly secret: string | null;
    /** Skips lags and throttles, for tests and demonstrations. */
    readonly instant: boolean;
    /** Where commands of repositories find their programs; null: no commands may run. */
    readonly commandPath: string | null;
    /** How these commands are isolated from Slipway; `auto`: as well as the machine can. */
    readonly isolation: (typeof ISOLATIONS)[number];
    /** Hosts and networks that may be origins of `external` services although they are not public. */
    readonly allowedOrigins: readonly string[];
    /** Folders that these commands may read in addition to the system's programs. */
    readonly readable: readonly string[];
  };
  readonly logLevel: (typeof LOG_LEVELS)[number];
};

/** All faults of the configuration at once. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
  readonly problems: readonly string[];
  constructor(problems: readonly string[]) {
    super(`The configuration is not usable:\n${problems.map((problem) => `  - ${problem}`).join("\n")}`);
    this.problems = problems;
  }
}

/** The shortest key that `SLIPWAY_API_KEY` may set; shorter ones could be guessed. */
const MIN_API_KEY_LENGTH = 24;

const KMS_KEY_ID =
  /^(?:arn:aws[\w-]*:kms:[\w-]+:\d{12}:(?:key|alias)\/[\w/-]+|alias\/[\w/-]+|[0-9a-f-]{36}|mrk-[0-9a-f]{32})$/;

/** Upper bound for the limits of builds and releases; no platform needs longer ones. */
const MAX_LIMIT_MS = 24 * 3_600_000;

/**
 * Reads and checks the configuration. Nothing else reads the environment.
 * @throws ConfigError naming every fault
 */
export function readConfig(env: NodeJS.ProcessEnv = process.env): Config {
  const problems: string[] = [];
  const text = (name: string): string | null => {
    const value = env[name]?.trim();
    return value === undefined || value === "" ? null : value;
  };
  const oneOf = <T extends string>(name: string, words: readonly T[], fallback: T): T => {
    const value = text(name);
    if (value === null) return fallback;
    const word = words.find((candidate) => candidate === value);
    if (word === undefined) problems.push(`${name} is "${value}"; it must be one of ${words.join(", ")}.`);
    return word ?? fallback;
  };
  const wholeNumber = (name: string, fallback: number, min: number, max: number): number => {
    const value = text(name);
    if (value === null) return fallback;
    const number = /^\d{1,9}$/.test(value) ? Number(value) : Number.NaN;
    if (number >= min && number <= max) return number;
    problems.push(`${name} is "${value}"; it must be a whole number from ${min} to ${max}.`);
    return fallback;
  };
  const url = (name: string, protocols: readonly string[]): string | null => {
    const value = text(name);
    if (value === null) return null;
    // The value may hold a password, so it is never repeated in a message.
    if (URL.canParse(value) && protocols.includes(new URL(value).protocol)) return value.replace(/\/+$/, "");
    problems.push(
      `${name} must be an address that begins with ${protocols.map((p) => `${p}//`).join(" or ")}.`,
    );
    return null;
  };

  const dataDir = path.resolve(text("SLIPWAY_DATA_DIR") ?? ".slipway");
  checkFolder("SLIPWAY_DATA_DIR", dataDir, problems);
  const sealingKeysDir = path.resolve(text("SLIPWAY_SEALING_KEYS") ?? path.join(dataDir, "keys"));
  const role = oneOf("SLIPWAY_ROLE", ROLES, "all");
  const cloud = oneOf("SLIPWAY_CLOUD", ["sandbox", "aws"], "sandbox");
  const databaseUrl = url("DATABASE_URL", ["postgres:", "postgresql:"]);
  const sandboxUrl = url("SLIPWAY_SANDBOX_URL", ["http:", "https:"]);
  if (role !== "all" && databaseUrl === null) {
    problems.push(
      `SLIPWAY_ROLE is "${role}", but the embedded database serves one process only. Set DATABASE_URL, or leave SLIPWAY_ROLE unset.`,
    );
  }
  if (role !== "all" && cloud === "sandbox" && sandboxUrl === null) {
    problems.push(
      `SLIPWAY_ROLE is "${role}" with the sandbox cloud, which all processes share: start it with npm run slipway -- sandbox, and set SLIPWAY_SANDBOX_URL to where it is.`,
    );
  }
  const awsAccountId = text("SLIPWAY_AWS_ACCOUNT_ID");
  const awsTemplateUrl = url("SLIPWAY_AWS_TEMPLATE_URL", ["https:"]);
  if (cloud === "aws" && (awsAccountId === null || !/^\d{12}$/.test(awsAccountId))) {
    problems.push(
      'SLIPWAY_CLOUD is "aws": set SLIPWAY_AWS_ACCOUNT_ID to the 12 digits of your own AWS account, the one that customers\' roles are to trust.',
    );
  }
  const kmsKeyId = text("SLIPWAY_KMS_KEY_ID");
  if (kmsKeyId !== null && !KMS_KEY_ID.test(kmsKeyId)) {
    problems.push(
      "SLIPWAY_KMS_KEY_ID must be the ARN or the id of a key of AWS KMS, or an alias that begins with alias/.",
    );
  }
  const sandboxSecret = text("SLIPWAY_SANDBOX_SECRET");
  if (sandboxSecret === null && sandboxUrl !== null) {
    problems.push(
      "SLIPWAY_SANDBOX_URL is set without SLIPWAY_SANDBOX_SECRET. Set it to the secret that the sandbox was started with.",
    );
  } else if (sandboxSecret !== null && !/^[\x21-\x7e]{16,}$/.test(sandboxSecret)) {
    problems.push("SLIPWAY_SANDBOX_SECRET must have at least 16 characters, printable ASCII and no spaces.");
  }
  const apiKey = env["SLIPWAY_API_KEY"] || null;
  if (apiKey !== null && !/^[\x21-\x7e]*$/.test(apiKey)) {
    problems.push("SLIPWAY_API_KEY must be printable ASCII characters without spaces.");
  } else if (apiKey !== null && apiKey.length < MIN_API_KEY_LENGTH) {
    problems.push(`SLIPWAY_API_KEY must have at least ${MIN_API_KEY_LENGTH} characters.`);
  } else if (apiKey !== null && !hasValidChecksum(apiKey)) {
    problems.push(
      "SLIPWAY_API_KEY begins like a key that Slipway made, and its checksum does not fit: a part of it is missing or mistyped. Copy the whole key, or choose one that begins otherwise.",
    );
  }
  const publicUrl = url("SLIPWAY_PUBLIC_URL", ["http:", "https:"]);
  if (cloud === "aws" && publicUrl?.startsWith("http:") === true && !isLoopbackUrl(publicUrl)) {
    problems.push(
      'SLIPWAY_PUBLIC_URL begins with http:// and SLIPWAY_CLOUD is "aws": customers\' stacks and keys would be told in clear text. Give it https://; see docs/how-to/harden.md.',
    );
  }
  const [certFile, keyFile] = [text("SLIPWAY_TLS_CERT"), text("SLIPWAY_TLS_KEY")];
  if ((certFile === null) !== (keyFile === null)) {
    const [set, unset] = certFile === null ? ["KEY", "CERT"] : ["CERT", "KEY"];
    problems.push(`SLIPWAY_TLS_${set} is set without SLIPWAY_TLS_${unset}. Set both, or neither.`);
  }
  const dnsServers = readDnsServers(text("SLIPWAY_DNS_SERVERS"), problems);
  const trustedProxies = readNetworks("SLIPWAY_TRUSTED_PROXIES", text("SLIPWAY_TRUSTED_PROXIES"), problems);
  const duration = (name: string, fallback: string, maxMs = Number.POSITIVE_INFINITY): number =>
    readDuration(name, text(name), { fallback, maxMs }, problems);
  const validationWindowMs = duration("SLIPWAY_VALIDATION_WINDOW", "72h");
  const rateLimit = wholeNumber("SLIPWAY_RATE_LIMIT_PER_MINUTE", 12_000, 0, 1_000_000);
  const auditDays = wholeNumber("SLIPWAY_AUDIT_DAYS", 400, 0, 36_500);

  const config: Config = {
    host: text("HOST") ?? "127.0.0.1",
    port: wholeNumber("PORT", 4000, 0, 65_535),
    publicUrl,
    tls: certFile === null || keyFile === null ? null : { certFile, keyFile },
    databaseUrl,
    databasePoolSize: wholeNumber("SLIPWAY_DATABASE_POOL", 10, 2, 500),
    maxWaiting: wholeNumber("SLIPWAY_MAX_WAITING", 100, 1, 100_000),
    auditKeptDays: auditDays === 0 ? null : auditDays,
    dataDir,
    role,
    cloud,
    apiKey,
    dnsServers,
    sealingKeysDir,
    kmsKeyId,
    validationWindowMs,
    buildLimitMs: duration("SLIPWAY_BUILD_LIMIT", "30m", MAX_LIMIT_MS),
    releaseLimitMs: duration("SLIPWAY_RELEASE_LIMIT", "60m", MAX_LIMIT_MS),
    rateLimitPerMinute: rateLimit === 0 ? null : rateLimit,
    held: {
      perKey: wholeNumber("SLIPWAY_HELD_PER_KEY", 500, 10, 1_000_000),
      perOrganization: wholeNumber("SLIPWAY_HELD_PER_ORGANIZATION", 2_000, 10, 1_000_000),
    },
    gitAllowedHosts: readList(text("SLIPWAY_GIT_ALLOWED_HOSTS")),
    trustedProxies,
    aws: cloud === "aws" ? { accountId: awsAccountId ?? "", templateUrl: awsTemplateUrl } : null,
    sandbox: {
      dnsPort: wholeNumber("SLIPWAY_SANDBOX_DNS_PORT", 8053, 0, 65_535),
      edgePort: wholeNumber("SLIPWAY_SANDBOX_EDGE_PORT", 8443, 0, 65_535),
      url: sandboxUrl,
      secret: sandboxSecret,
      instant: oneOf("SLIPWAY_SANDBOX_PACE", ["real", "instant"], "real") === "instant",
      commandPath:
        oneOf("SLIPWAY_SANDBOX_PROCESSES", ["on", "off"], "on") === "off"
          ? null
          : (text("PATH") ?? "/usr/local/bin:/usr/bin:/bin"),
      isolation: oneOf("SLIPWAY_SANDBOX_ISOLATION", ISOLATIONS, "auto"),
      allowedOrigins: readList(text("SLIPWAY_SANDBOX_ALLOWED_ORIGINS")),
      readable: readFolders("SLIPWAY_SANDBOX_READABLE", text("SLIPWAY_SANDBOX_READABLE"), problems),
    },
    logLevel: oneOf("SLIPWAY_LOG", LOG_LEVELS, "info"),
  };
  if (problems.length > 0) throw new ConfigError(problems);
  return config;
}

function isLoopbackUrl(url: string): boolean {
  return /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(new URL(url).hostname);
}

/** The closest existing folder must be writable, or one that we may create. */
function checkFolder(name: string, folder: string, problems: string[]): void {
  const problem = `${name} (${folder}) is not a folder that this user can read and write.`;
  try {
    if (!existsSync(folder)) mkdirSync(folder, { recursive: true, mode: 0o700 });
    accessSync(folder, constants.R_OK | constants.W_OK);
    if (!statSync(folder).isDirectory()) problems.push(problem);
  } catch {
    problems.push(problem);
  }
}

function readDnsServers(value: string | null, problems: string[]): readonly HostPort[] | null {
  if (value === null) return null;
  return value.split(",").flatMap((entry) => {
    const match = /^\s*(?:\[([0-9a-f:.]+)\]|([0-9.]+))(?::(\d{1,5}))?\s*$/i.exec(entry);
    const host = match?.[1] ?? match?.[2];
    const port = Number(match?.[3] ?? 53);
    if (host !== undefined && isIP(host) !== 0 && port >= 1 && port <= 65_535) return { host, port };
    problems.push(
      `SLIPWAY_DNS_SERVERS has "${entry.trim()}"; write addresses as 192.0.2.1:53 or [2001:db8::1]:53.`,
    );
    return [];
  });
}

/** Addresses, and networks in CIDR notation. */
function readNetworks(name: string, value: string | null, problems: string[]): readonly string[] {
  return (value ?? "").split(",").flatMap((entry) => {
    const network = entry.trim();
    if (network === "") return [];
    const [address = "", prefix, ...more] = network.split("/");
    const bits = { 0: 0, 4: 32, 6: 128 }[isIP(address)] ?? 0;
    const length = prefix === undefined ? bits : /^\d{1,3}$/.test(prefix) ? Number(prefix) : 0;
    // A prefix of 0 would trust the whole internet, and clients could choose the address that is recorded.
    if (more.length === 0 && length >= 1 && length <= bits) return [network];
    problems.push(`${name} has "${network}"; write addresses or networks as 192.0.2.1 or 10.0.0.0/8.`);
    return [];
  });
}

function readList(value: string | null): readonly string[] {
  return (value ?? "").split(",").flatMap((entry) => entry.trim() || []);
}

function readFolders(name: string, value: string | null, problems: string[]): readonly string[] {
  const folders = readList(value);
  for (const folder of folders) {
    if (!path.isAbsolute(folder))
      problems.push(`${name} has "${folder}"; write folders as /opt/jdk,/srv/cache.`);
  }
  return folders;
}

/** Whether this host or address can be reached from other machines. */
export function isExposed({ host, publicUrl }: Pick<Config, "host" | "publicUrl">): boolean {
  const names = [host, ...(publicUrl === null ? [] : [new URL(publicUrl).hostname])];
  return names.some((name) => !/^(?:localhost|.*\.localhost|127\.[\d.]+|\[?::1\]?)$/i.test(name));
}

const UNIT_MS = { s: 1_000, m: 60_000, h: 3_600_000 } as const;

function readDuration(
  name: string,
  value: string | null,
  { fallback, maxMs }: { readonly fallback: string; readonly maxMs: number },
  problems: string[],
): number {
  const written = value ?? fallback;
  const match = /^(\d{1,6})(s|m|h)$/.exec(written);
  const durationMs = Number(match?.[1]) * UNIT_MS[(match?.[2] ?? "s") as keyof typeof UNIT_MS];
  if (durationMs > 0 && durationMs <= maxMs) return durationMs;
  const limit = durationMs > maxMs ? ` of ${maxMs / UNIT_MS.h}h at most` : "";
  problems.push(`${name} is "${written}"; write a number and s, m or h${limit}, such as ${fallback}.`);
  return 0;
}
