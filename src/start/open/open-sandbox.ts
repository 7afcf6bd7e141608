/** The sandbox as the cloud, and what it needs. Part of the composition root. */
import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { createSandboxCloud } from "../../cloud/sandbox/adapter.ts";
import { findSandbox, sendTenancy } from "../../../sandbox/src/find-sandbox.ts";
import { createSandboxPlatform } from "../../cloud/sandbox/platform-adapter.ts";
import type { SandboxServer } from "../../../sandbox/src/server.ts";
import { defaultTuning, instantTuning, type SandboxTuning } from "../../../sandbox/src/tuning.ts";
import { type Config, isExposed } from "../config/config.ts";
import { isFileError, toFolderError } from "../../lib/operator-error.ts";
import { makeSandboxGit } from "../../git/sandbox.ts";
import type { CloudMachinery, OpenCloud, OpenCloudOptions, SandboxPlace } from "./open-cloud.ts";

/** A sandbox that starts together with us needs about a second. */
const SANDBOX_PATIENCE_MS = 10_000;

/** Finds the sandbox, or starts it in this process. @throws ListenError, FolderError, SandboxStartError */
export async function openSandbox(
  config: Config,
  options: OpenCloudOptions & CloudMachinery,
): Promise<OpenCloud> {
  const sandbox = await findOrStart(config, options);
  const { url, secret } = sandbox;
  const { publicUrl, policy } = options;
  return {
    cloud: createSandboxCloud({ url, secret, publicUrl, policy }),
    platform: createSandboxPlatform({ url, secret, policy }),
    git: makeSandboxGit(url, secret),
    dnsServers: config.dnsServers ?? [sandbox.dnsAddress],
    sandbox,
    ownServer: null,
    reportOrganizationCount: (count) => sendTenancy(sandbox, count > 1 || isExposed(config)),
    connectionTemplate: null,
  };
}

async function findOrStart(config: Config, options: OpenCloudOptions): Promise<SandboxPlace> {
  const { url, secret } = config.sandbox;
  if (url !== null) {
    const found = await findSandbox({ url, secret, patienceMs: SANDBOX_PATIENCE_MS });
    return { url, secret, ...found, server: null };
  }
  const ownSecret = secret ?? keepSecret(path.join(config.dataDir, "sandbox"));
  const server = await startConfiguredSandbox(config, { ...options, secret: ownSecret });
  const { dnsAddress, edgePort } = server;
  return { url: server.url, secret: ownSecret, dnsAddress, edgePort, server };
}

/**
 * The small cloud's own secret, the same after a restart: links to its pages hold a code made with it.
 * @throws FolderError
 */
export function keepSecret(folder: string): string {
  const file = path.join(folder, "secret");
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    if (!existsSync(file)) writeFileSync(file, randomBytes(24).toString("base64url"), { mode: 0o600 });
    return readFileSync(file, "utf8").trim();
  } catch (error) {
    throw isFileError(error) ? toFolderError("The small cloud", folder, error) : error;
  }
}

/**
 * Starts the sandbox's server as configured.
 * @throws ListenError, FolderError, SandboxStartError
 */
export async function startConfiguredSandbox(
  config: Config,
  options: OpenCloudOptions & {
    readonly secret: string;
    /** Loopback when left out; HTTP at any free port when left out. */
    readonly at?: { readonly host: string; readonly httpPort: number };
  },
): Promise<SandboxServer> {
  const { publicUrl, log, secret, at, clock } = options;
  // Loaded only where it runs: a process that uses another's sandbox does not need it.
  const { startSandbox } = await import("../../../sandbox/src/server.ts");
  return await startSandbox({
    dataDir: path.join(config.dataDir, "sandbox"),
    dnsPort: config.sandbox.dnsPort,
    edgePort: config.sandbox.edgePort,
    commandPath: config.sandbox.commandPath,
    isolation: config.sandbox.isolation,
    readable: config.sandbox.readable,
    hidden: [config.dataDir, config.sealingKeysDir],
    isExposed: isExposed(config),
    allowedOrigins: config.sandbox.allowedOrigins,
    secret,
    edgeSecret: config.edgeSecret,
    publicUrl,
    callbackUrl: (connectionId) => `${publicUrl}/cloud-callbacks/${connectionId}`,
    tuning: options.sandboxTuning ?? tuningOf(config),
    log,
    ...at,
    ...(clock === undefined ? {} : { clock }),
  });
}

/** The sandbox's rules at the configured pace. */
function tuningOf(config: Config): SandboxTuning {
  const tuning = config.sandbox.instant ? instantTuning : defaultTuning;
  return { ...tuning, validationWindowMs: config.validationWindowMs };
}
