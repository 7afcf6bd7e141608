import { accessSync, constants, existsSync, mkdirSync, statSync } from "node:fs";
import path from "node:path";
import { CLOUD_KINDS } from "../../cloud/cloud.ts";
import { hasValidChecksum } from "../../lib/api-key.ts";
import { OperatorError } from "../../lib/operator-error.ts";
import { type EdgeConfig, readEdge, readEdgeSecret, readServing } from "./edge.ts";
import { readDomainConnect } from "./domain-connect.ts";
import { readHost } from "./host.ts";
import { readLogging } from "./logging.ts";
import { readOidc } from "./oidc.ts";
import { readSecretFiles } from "./secret-files.ts";
import { readShare } from "./share.ts";
import { readSmtp } from "./smtp.ts";
import { isLoopbackUrl, readValues, type Values } from "./values.ts";

/** The checked environment variables. `docs/reference/configuration.md` explains each. */
export type Config = Readonly<ReturnType<typeof readConfig>>;

/** All faults of the configuration at once. */
export class ConfigError extends OperatorError {
  override readonly name = "ConfigError";
  readonly problems: readonly string[];
  constructor(problems: readonly string[]) {
    super(`The configuration is not valid:\n${problems.map((problem) => `  - ${problem}`).join("\n")}`);
    this.problems = problems;
  }
}

/** Whether this host or address can be reached from other machines. */
export function isExposed({ host, publicUrl }: Pick<Config, "host" | "publicUrl">): boolean {
  const names = [host, ...(publicUrl === null ? [] : [new URL(publicUrl).hostname])];
  return names.some((name) => !/^(?:localhost|.*\.localhost|127\.[\d.]+|\[?::1\]?)$/i.test(name));
}

/** The shortest key that `SLIPWAY_API_KEY` may set; shorter ones could be guessed. */
const MIN_API_KEY_LENGTH = 24;

const KMS_KEY_ID =
  /^(?:arn:aws[\w-]*:kms:[\w-]+:\d{12}:(?:key|alias)\/[\w/-]+|alias\/[\w/-]+|[0-9a-f-]{36}|mrk-[0-9a-f]{32})$/;

/** Upper bound for the limits of builds and releases; no platform needs longer ones. */
const MAX_LIMIT_MS = 24 * 3_600_000;

/** When a session was last seen is written once a minute. */
const MIN_SESSION_MS = 5 * 60_000;
const MAX_SESSION_MS = 8_760 * 3_600_000;

/**
 * Reads and checks the configuration. Nothing else reads the environment.
 * @throws ConfigError naming every fault
 */
export function readConfig(given: NodeJS.ProcessEnv = process.env) {
  const { env, problems: unread } = readSecretFiles(given);
  const values = readValues(env);
  values.problems.push(...unread);
  const { problems, text, oneOf, wholeNumber, url, duration } = values;
  const dataDir = path.resolve(text("SLIPWAY_DATA_DIR") ?? ".slipway");
  checkFolder("SLIPWAY_DATA_DIR", dataDir, problems);
  const sealingKeysDir = path.resolve(text("SLIPWAY_SEALING_KEYS") ?? path.join(dataDir, "keys"));
  const role = oneOf("SLIPWAY_ROLE", ["all", "api", "worker"], "all");
  const cloud = oneOf("SLIPWAY_CLOUD", CLOUD_KINDS, "sandbox");
  const databaseUrl = values.databaseUrl("DATABASE_URL");
  const databaseDirectUrl = values.databaseUrl("SLIPWAY_DATABASE_DIRECT_URL");
  if (databaseDirectUrl !== null && databaseUrl === null) {
    problems.push(
      "SLIPWAY_DATABASE_DIRECT_URL is set without DATABASE_URL, which should lead to the pooler in front of it.",
    );
  }
  const sandboxUrl = url("SLIPWAY_SANDBOX_URL", ["http:", "https:"]);
  if (role !== "all" && databaseUrl === null) {
    problems.push(
      `SLIPWAY_ROLE is "${role}", but the embedded database serves one process only. Set DATABASE_URL, or leave SLIPWAY_ROLE unset.`,
    );
  }
  if (role !== "all" && cloud !== "aws" && sandboxUrl === null) {
    const shared = cloud === "host" ? "an own server's edge" : "the sandbox cloud";
    problems.push(
      `SLIPWAY_ROLE is "${role}" with ${shared}, which all processes share. Start it with npm run slipway -- sandbox, and set SLIPWAY_SANDBOX_URL to its address.`,
    );
  }
  const awsAccountId = text("SLIPWAY_AWS_ACCOUNT_ID");
  const awsTemplateUrl = url("SLIPWAY_AWS_TEMPLATE_URL", ["https:"]);
  if (cloud === "aws" && (awsAccountId === null || !/^\d{12}$/.test(awsAccountId))) {
    problems.push(
      'SLIPWAY_CLOUD is "aws": set SLIPWAY_AWS_ACCOUNT_ID to the 12 digits of your own AWS account, which customers\' roles will trust.',
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
      "SLIPWAY_API_KEY has the prefix of a key from Slipway, but its checksum is wrong: part of it is missing or mistyped. Copy the whole key, or choose one with another prefix.",
    );
  }
  const publicUrl = url("SLIPWAY_PUBLIC_URL", ["http:", "https:"]);
  if (cloud === "aws" && publicUrl?.startsWith("http:") === true && !isLoopbackUrl(publicUrl)) {
    problems.push(
      'SLIPWAY_PUBLIC_URL begins with http:// and SLIPWAY_CLOUD is "aws": data of customers\' stacks and API keys would be sent in clear text. Use https://; see docs/how-to/harden.md.',
    );
  }
  const [certFile, keyFile] = [text("SLIPWAY_TLS_CERT"), text("SLIPWAY_TLS_KEY")];
  if ((certFile === null) !== (keyFile === null)) {
    const [set, unset] = certFile === null ? ["KEY", "CERT"] : ["CERT", "KEY"];
    problems.push(`SLIPWAY_TLS_${set} is set without SLIPWAY_TLS_${unset}. Set both, or neither.`);
  }
  /** How commands of repositories are isolated from Slipway; `auto`: as well as the machine can. */
  const isolation = oneOf(
    "SLIPWAY_SANDBOX_ISOLATION",
    ["auto", "podman", "bwrap", "unshare", "uid", "none"],
    "auto",
  );
  const rateLimit = wholeNumber("SLIPWAY_RATE_LIMIT_PER_MINUTE", 12_000, 0, 1_000_000);
  const auditDays = wholeNumber("SLIPWAY_AUDIT_DAYS", 400, 0, 36_500);

  const config = {
    host: text("HOST") ?? "127.0.0.1",
    port: wholeNumber("PORT", 4000, 0, 65_535),
    /** Without a trailing slash; null when it follows from the listening address. */
    publicUrl,
    /** The files of the certificate and its key; null: plain HTTP. */
    tls: certFile === null || keyFile === null ? null : { certFile, keyFile },
    /** Null: the embedded database in the data folder. */
    databaseUrl,
    /** Past the pooler that `databaseUrl` leads to; null: it leads to none. */
    databaseDirectUrl,
    databasePoolSize: wholeNumber("SLIPWAY_DATABASE_POOL", 10, 2, 500),
    /** How many may wait for a connection of the pool before new requests are refused. */
    maxWaiting: wholeNumber("SLIPWAY_MAX_WAITING", 100, 1, 100_000),
    /** Null: keep forever. */
    auditKeptDays: auditDays === 0 ? null : auditDays,
    dataDir,
    role,
    cloud,
    apiKey,
    /** Null: the system's resolvers; in the sandbox, its own DNS. */
    dnsServers: values.dnsServers("SLIPWAY_DNS_SERVERS"),
    sealingKeysDir,
    /** The AWS KMS key that wraps the keys in that folder; null: they are not wrapped. */
    kmsKeyId,
    validationWindowMs: duration("SLIPWAY_VALIDATION_WINDOW", "72h"),
    /** How long a build, and the release of a service, may take. */
    buildLimitMs: duration("SLIPWAY_BUILD_LIMIT", "30m", MAX_LIMIT_MS),
    releaseLimitMs: duration("SLIPWAY_RELEASE_LIMIT", "60m", MAX_LIMIT_MS),
    /** Requests per minute for each API key; null: no limit. */
    rateLimitPerMinute: rateLimit === 0 ? null : rateLimit,
    /** How long a session lives without a request, and in all. */
    session: {
      idleMs: duration("SLIPWAY_SESSION_IDLE", "12h", MAX_SESSION_MS, MIN_SESSION_MS),
      maxMs: duration("SLIPWAY_SESSION_MAX", "168h", MAX_SESSION_MS, MIN_SESSION_MS),
    },
    /** How many requests each API key, and each organization, may have held open. */
    held: {
      perKey: wholeNumber("SLIPWAY_HELD_PER_KEY", 500, 10, 1_000_000),
      perOrganization: wholeNumber("SLIPWAY_HELD_PER_ORGANIZATION", 2_000, 10, 1_000_000),
    },
    gitAllowedHosts: values.hosts("SLIPWAY_GIT_ALLOWED_HOSTS"),
    /** Hosts and networks that webhooks may be sent to although they are not public. */
    webhookAllowedHosts: values.hosts("SLIPWAY_WEBHOOK_ALLOWED_HOSTS"),
    /** Addresses and networks of proxies whose `X-Forwarded-For` is trusted. */
    trustedProxies: values.networks("SLIPWAY_TRUSTED_PROXIES"),
    /**
     * Slipway's own account, which customers' roles trust, and the URL from which CloudFormation reads the connection's
     * template (null: the API's). Null with any other cloud.
     */
    aws: cloud === "aws" ? { accountId: awsAccountId ?? "", templateUrl: awsTemplateUrl } : null,
    /** The own server's edge and CA; null with any other cloud. */
    ownServer: readHost(values, { cloud, publicUrl, isolation }),
    /** Authenticates edges on other machines; null: there are none. */
    edgeSecret: readEdgeSecret(values),
    /** How the edge in this process serves; with the sandbox, without effect. */
    serving: readServing(values),
    /** With `host`, its ports and pace have no effect. */
    sandbox: {
      dnsPort: wholeNumber("SLIPWAY_SANDBOX_DNS_PORT", 8053, 0, 65_535),
      edgePort: wholeNumber("SLIPWAY_SANDBOX_EDGE_PORT", 8443, 0, 65_535),
      /** The address of the sandbox server; null: it runs in this process. */
      url: sandboxUrl,
      /** The secret that authenticates a process to it; set whenever `url` is. */
      secret: sandboxSecret,
      /** Skips lags and throttles, for tests and demonstrations. */
      instant: oneOf("SLIPWAY_SANDBOX_PACE", ["real", "instant"], "real") === "instant",
      /** Where commands of repositories find their programs; null: no commands may run. */
      commandPath:
        oneOf("SLIPWAY_SANDBOX_PROCESSES", ["on", "off"], "on") === "off"
          ? null
          : (text("PATH") ?? "/usr/local/bin:/usr/bin:/bin"),
      isolation,
      /** Hosts and networks that may be origins of `external` services although they are not public. */
      allowedOrigins: values.hosts("SLIPWAY_SANDBOX_ALLOWED_ORIGINS"),
      /** Folders that these commands may read in addition to the system's programs. */
      readable: values.folders("SLIPWAY_SANDBOX_READABLE"),
    },
    domainConnect: readDomainConnect(values),
    /** Identity providers to sign in at. */
    oidc: readOidc(env, values),
    /** Sends e-mail; null: channels of kind `email` cannot be created. */
    smtp: readSmtp(values),
    /** How the pages of share links look. */
    share: readShare(values),
    tracing: readTracing(values),
    ...readLogging(values),
  };
  if (problems.length > 0) throw new ConfigError(problems);
  return config;
}

/**
 * Reads and checks the configuration of `slipway edge`.
 * @throws ConfigError naming every fault
 */
export function readEdgeConfig(given: NodeJS.ProcessEnv = process.env): EdgeConfig {
  const { env, problems: unread } = readSecretFiles(given);
  const values = readValues(env);
  values.problems.push(...unread);
  const config = readEdge(values);
  checkFolder("SLIPWAY_DATA_DIR", config.folder, values.problems);
  if (values.problems.length > 0) throw new ConfigError(values.problems);
  return config;
}

/**
 * Where spans are sent, and the part of the traces that begin here that is kept, from 0 to 1; null: there are no spans,
 * and nothing of it is loaded. OpenTelemetry's own variables; its exporter reads further ones, such as
 * OTEL_EXPORTER_OTLP_HEADERS.
 */
function readTracing({ text, url, oneOf, problems }: Values) {
  const base = url("OTEL_EXPORTER_OTLP_ENDPOINT", ["http:", "https:"]);
  const own = url("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", ["http:", "https:"]);
  oneOf("OTEL_EXPORTER_OTLP_PROTOCOL", ["http/json"], "http/json");
  const arg = text("OTEL_TRACES_SAMPLER_ARG") ?? "0.01";
  const ratio = Number(arg);
  if (!/^[0-9.]+$/.test(arg) || !(ratio <= 1))
    problems.push(`OTEL_TRACES_SAMPLER_ARG is "${arg}"; it must be a number from 0 to 1, such as 0.01.`);
  const to = own ?? (base === null ? null : `${base}/v1/traces`);
  if (to === null || text("OTEL_SDK_DISABLED") === "true") return null;
  return { url: to, ratio, serviceName: text("OTEL_SERVICE_NAME") ?? "slipway" };
}

/** The folder must be readable and writable. Creates it if it does not exist. */
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
