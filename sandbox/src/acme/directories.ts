/** The CAs: one account each, and how each is doing. */
import { generateKeyPairSync } from "node:crypto";
import type { SandboxLog } from "../accounts/stacks.ts";
import type { SandboxState } from "../state.ts";
import { AcmeError } from "./acme-error.ts";
import { limitsOf, type Limits } from "./budget.ts";
import { type AcmeClient, createAcmeClient } from "./client.ts";
import type { NameError } from "./name-state.ts";
import { renewAt, type Validity } from "./renewal.ts";

/** Seals private keys for the disk. `of` says where the value belongs; opening needs the same. */
export type Seal = {
  seal(text: string, of: string): string;
  open(sealed: string, of: string): string;
};

export type AcmeConfig = {
  readonly directory: string;
  readonly fallbackDirectory: string | null;
  /** PEM. */
  readonly caFile: string | null;
  readonly email: string | null;
  /** External account binding of the first CA. */
  readonly eab: { readonly kid: string; readonly hmac: string } | null;
  readonly profile: string | null;
  /** How CAA records name a CA whose directory does not say it (RFC 8555, 9.7.6, `caaIdentities`). */
  readonly caaIdentities?: readonly string[];
  /** Instead of the known limits of each CA; null for none. */
  readonly limits?: Limits | null;
};

export type Directory = {
  readonly url: string;
  readonly client: AcmeClient;
  readonly limits: Limits | null;
  /** How CAA records name this CA; empty if that is not known. */
  caaIdentities(): Promise<readonly string[]>;
  /** The profile for new orders; null for the CA's default. The second CA may not have the first one's. */
  profile(): Promise<string | null>;
  health(): DirectoryHealth;
  noteSuccess(): void;
  noteFailure(error: AcmeError): void;
};

export type DirectoryHealth = {
  /** Failures in a row. */
  readonly failures: number;
  readonly restUntil: number;
  readonly error: NameError | null;
};

type Account = { readonly sealedKey: string; readonly accountUrl: string | null };

const FIRST_REST_MS = 2_500;
const LONGEST_REST_MS = 600_000;
const AHEAD_MS = 300_000;

export function openDirectories(options: {
  readonly state: SandboxState;
  readonly config: AcmeConfig;
  readonly seal: Seal;
  readonly now: () => number;
  readonly signal: AbortSignal;
  readonly log: SandboxLog;
}): readonly Directory[] {
  const { state, config, seal, now, signal, log } = options;
  const accounts = state.collection<Account>("acme-accounts");

  function openDirectory(url: string, isFirst: boolean): Directory {
    const of = `acme account ${url}`;
    let account = accounts.get(url);
    if (account === undefined) {
      const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
      const pem = String(privateKey.export({ type: "pkcs8", format: "pem" }));
      // Kept before it is registered: after a crash, the same key finds the same account (RFC 8555, 7.3.1).
      account = { sealedKey: seal.seal(pem, of), accountUrl: null };
      accounts.put(url, account);
    }
    const { sealedKey, accountUrl } = account;
    const client = createAcmeClient({
      directory: url,
      caPem: config.caFile,
      email: config.email,
      eab: isFirst ? config.eab : null,
      account: { privateKeyPem: seal.open(sealedKey, of), accountUrl },
      onRegistered: (registered) => accounts.put(url, { sealedKey, accountUrl: registered }),
      now,
      signal,
    });
    let health: DirectoryHealth = { failures: 0, restUntil: 0, error: null };
    return {
      url,
      client,
      limits: config.limits === undefined ? limitsOf(url) : config.limits,
      async caaIdentities() {
        const { caaIdentities } = await client.meta();
        return caaIdentities.length > 0 ? caaIdentities : (config.caaIdentities ?? []);
      },
      async profile() {
        if (config.profile === null) return null;
        const { profiles } = await client.meta();
        if (profiles.includes(config.profile)) return config.profile;
        if (!isFirst) return null;
        const offered = profiles.length === 0 ? "none" : profiles.join(", ").slice(0, 200);
        throw new AcmeError(
          "invalidProfile",
          `The CA at ${url} does not offer the profile ${config.profile}. It offers ${offered}. Set SLIPWAY_ACME_PROFILE to one of them, or leave it out.`,
        );
      },
      health: () => health,
      noteSuccess() {
        if (health.error !== null) log.info({ directory: url }, "The CA works again.");
        health = { failures: 0, restUntil: 0, error: null };
      },
      noteFailure(error) {
        const at = now();
        // A request that was under way when the CA failed is the same failure.
        if (at < health.restUntil) return;
        const failures = health.failures + 1;
        const rest = Math.min(LONGEST_REST_MS, FIRST_REST_MS * 2 ** (failures - 1));
        const message = `${error.message}${explainClock(client.aheadMs())}`;
        // The tries that follow usually fail alike.
        if (health.error?.message !== message) log.warn({ directory: url, type: error.type }, message);
        health = {
          failures,
          restUntil: Math.max(at + rest, error.retryAt ?? 0),
          error: { type: error.type, message, at, directory: url },
        };
      },
    };
  }

  const { directory, fallbackDirectory } = config;
  const urls = fallbackDirectory === null ? [directory] : [directory, fallbackDirectory];
  return urls.map((url, index) => openDirectory(url, index === 0));
}

/** A sentence if this machine's clock is far from the CA's; else empty. */
export function explainClock(aheadMs: number | null): string {
  if (aheadMs === null || Math.abs(aheadMs) < AHEAD_MS) return "";
  const minutes = Math.round(Math.abs(aheadMs) / 60_000);
  const way = aheadMs > 0 ? "ahead of" : "behind";
  return ` This machine's clock is ${minutes} minutes ${way} the CA's: set it right.`;
}

/** Why a new certificate would have to be renewed already; null if it is as it should be. */
export function explainEarly(
  { issuedAt, expiresAt }: Validity,
  now: number,
  aheadMs: number | null,
): string | null {
  if (renewAt({ issuedAt, expiresAt }, null, 0) > now) return null;
  return `By this machine's clock, two thirds of the new certificate's time have passed already.${explainClock(aheadMs)}`;
}
