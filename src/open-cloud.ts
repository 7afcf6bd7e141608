/**
 * Which cloud Slipway works in, and what goes with the choice: the git hosts that can be reached and the
 * DNS servers that are asked. Part of the composition root.
 */
import { randomBytes } from "node:crypto";
import path from "node:path";
import type { Clock } from "./clock.ts";
import { createAwsCloud } from "./cloud/aws/adapter.ts";
import { renderTemplate, TEMPLATE_PATH } from "./cloud/aws/stack/template.ts";
import type { Cloud } from "./cloud/cloud.ts";
import { createSandboxCloud } from "./cloud/sandbox/adapter.ts";
import type { Platform } from "./cloud/platform.ts";
import { findSandbox } from "./cloud/sandbox/find-sandbox.ts";
import { createSandboxPlatform } from "./cloud/sandbox/platform-adapter.ts";
import { type SandboxServer, startSandbox } from "./cloud/sandbox/server.ts";
import { defaultTuning, instantTuning, type SandboxTuning } from "./cloud/sandbox/tuning.ts";
import type { Config, HostPort } from "./config.ts";
import { systemServers } from "./dns/servers.ts";
import type { Git } from "./git/git.ts";
import { createGit } from "./git/hosts.ts";
import type { Logger } from "./log.ts";

export type OpenCloud = {
  readonly cloud: Cloud;
  /** Where commits are built and run; null in a cloud that Slipway cannot do it in yet. */
  readonly platform: Platform | null;
  readonly git: Git;
  readonly dnsServers: readonly HostPort[];
  /** Where the sandbox's own endpoints are; null with any other cloud. */
  readonly sandbox: SandboxPlace | null;
  /** What customers' stacks are made of, to be served; null where the cloud serves its own. */
  readonly connectionTemplate: string | null;
};

type SandboxPlace = {
  readonly url: string;
  readonly secret: string | null;
  readonly dnsAddress: HostPort;
  /** Null when it runs in another process. */
  readonly server: SandboxServer | null;
};

type Options = {
  readonly log: Logger;
  readonly clock?: Clock;
  /** Overrides what the configuration says of the sandbox's pace. */
  readonly sandboxTuning?: SandboxTuning;
  /** Of the API. */
  readonly publicUrl: string;
};

/** A sandbox that starts together with us needs about a second. */
const SANDBOX_PATIENCE_MS = 10_000;

/**
 * Opens the configured cloud.
 * @throws ListenError, SandboxStartError
 */
export async function openCloud(config: Config, options: Options): Promise<OpenCloud> {
  const sandbox = config.cloud === "sandbox" ? await openSandbox(config, options) : null;
  return {
    cloud: createCloud(config, sandbox, options.publicUrl),
    platform: sandbox === null ? null : createSandboxPlatform({ url: sandbox.url, secret: sandbox.secret }),
    git: createGit(
      sandbox === null
        ? { mode: "hosts", allowedHosts: [...config.gitAllowedHosts] }
        : { mode: "sandbox", sandboxUrl: sandbox.url },
    ),
    dnsServers: config.dnsServers ?? (sandbox === null ? systemServers() : [sandbox.dnsAddress]),
    sandbox,
    connectionTemplate:
      config.aws === null
        ? null
        : renderTemplate({
            accountId: config.aws.accountId,
            callbackUrl: `${options.publicUrl}/cloud-callbacks`,
          }),
  };
}

function createCloud(config: Config, sandbox: SandboxPlace | null, publicUrl: string): Cloud {
  if (sandbox !== null) return createSandboxCloud({ url: sandbox.url, secret: sandbox.secret, publicUrl });
  return createAwsCloud({ templateUrl: config.aws?.templateUrl ?? `${publicUrl}${TEMPLATE_PATH}` });
}

async function openSandbox(config: Config, options: Options): Promise<SandboxPlace> {
  const { url, secret } = config.sandbox;
  if (url !== null) {
    const { dnsAddress } = await findSandbox({ url, secret, patienceMs: SANDBOX_PATIENCE_MS });
    return { url, secret, dnsAddress, server: null };
  }
  const ownSecret = secret ?? randomBytes(24).toString("base64url");
  const server = await startConfiguredSandbox(config, { ...options, secret: ownSecret });
  return { url: server.url, secret: ownSecret, dnsAddress: server.dnsAddress, server };
}

/**
 * Starts the sandbox's server as the configuration has it.
 * @throws ListenError, SandboxStartError
 */
export async function startConfiguredSandbox(
  config: Config,
  options: Options & {
    readonly secret: string;
    /** Loopback when left out; HTTP at any free port when left out. */
    readonly at?: { readonly host: string; readonly httpPort: number };
  },
): Promise<SandboxServer> {
  const { publicUrl, log, secret, at, clock } = options;
  return await startSandbox({
    dataDir: path.join(config.dataDir, "sandbox"),
    dnsPort: config.sandbox.dnsPort,
    edgePort: config.sandbox.edgePort,
    commandPath: config.sandbox.commandPath,
    secret,
    publicUrl,
    callbackUrl: (connectionId) => `${publicUrl}/cloud-callbacks/${connectionId}`,
    tuning: options.sandboxTuning ?? tuningOf(config),
    log,
    ...at,
    ...(clock === undefined ? {} : { clock }),
  });
}

/** The sandbox's rules at the pace that the configuration asks for. */
function tuningOf(config: Config): SandboxTuning {
  const tuning = config.sandbox.instant ? instantTuning : defaultTuning;
  return { ...tuning, validationWindowMs: config.validationWindowMs };
}
