import type { KeyObject } from "node:crypto";
import type { ProviderSettings } from "../../oidc/provider.ts";
import type { Brand } from "../../features/custom-domains/share/page/brand.ts";
import type { LOG_FORMATS } from "../../lib/log.ts";
import type { TlsFiles } from "../../http/listen/tls-files.ts";

export type HostPort = { readonly host: string; readonly port: number };

export const ROLES = ["all", "api", "worker"] as const;
export const ISOLATIONS = ["auto", "bwrap", "unshare", "uid", "none"] as const;
export const LOG_LEVELS = ["fatal", "error", "warn", "info", "debug", "trace", "silent"] as const;

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
  /** Past the pooler that `databaseUrl` leads to; null: it leads to none. */
  readonly databaseDirectUrl: string | null;
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
  /** How long a session lives without a request, and in all. */
  readonly session: { readonly idleMs: number; readonly maxMs: number };
  /** How many requests each API key, and each organization, may have held open. */
  readonly held: { readonly perKey: number; readonly perOrganization: number };
  readonly gitAllowedHosts: readonly string[];
  /** Hosts and networks that webhooks may be sent to although they are not public. */
  readonly webhookAllowedHosts: readonly string[];
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
  /** What Slipway is to DNS providers that take part in Domain Connect; null: it is not known to any. */
  readonly domainConnect: {
    readonly providerId: string;
    readonly key: KeyObject;
    /** The label below `providerId` at which the public key is. */
    readonly keyHost: string;
    /** Hosts and networks of providers that may be asked although they are not public. */
    readonly allowedHosts: readonly string[];
  } | null;
  /** Identity providers to sign in at. */
  readonly oidc: readonly ProviderSettings[];
  /** How the pages of share links look. */
  readonly share: Brand;
  /** Where spans are sent; null: there are none, and nothing of it is loaded. */
  readonly tracing: {
    readonly url: string;
    /** The part of the traces that begin here that is kept, from 0 to 1. */
    readonly ratio: number;
    readonly serviceName: string;
  } | null;
  readonly logLevel: (typeof LOG_LEVELS)[number];
  readonly logFormat: (typeof LOG_FORMATS)[number];
};

/** All faults of the configuration at once. */
export class ConfigError extends Error {
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
