/**
 * Which cloud Slipway works in, and what goes with the choice: the git hosts that can be reached and the
 * DNS servers that are asked. Part of the composition root. Each cloud's code is loaded only where it is
 * chosen, for it is most of what a process would load, in time and in memory.
 */
import type { Clock } from "../lib/clock.ts";
import type { Cloud } from "../cloud/cloud.ts";
import type { Platform } from "../cloud/platform.ts";
import type { SandboxServer } from "../sandbox/server.ts";
import type { SandboxTuning } from "../sandbox/tuning.ts";
import type { Config, HostPort } from "./config.ts";
import type { Database } from "../db/database.ts";
import type { Git } from "../git/git.ts";
import type { Logger } from "../lib/log.ts";

export type OpenCloud = {
  readonly cloud: Cloud;
  /** Where commits are built and run; null in a cloud that Slipway cannot do it in yet. */
  readonly platform: Platform | null;
  readonly git: Git;
  readonly dnsServers: readonly HostPort[];
  /** Where the sandbox's own endpoints are; null with any other cloud. */
  readonly sandbox: SandboxPlace | null;
  /** Tells a cloud how many organizations there are, where that changes what it does; null where it does not. */
  readonly tellOrganizations: ((count: number) => Promise<void>) | null;
  /** What customers' stacks are made of, to be served; null where the cloud serves its own. */
  readonly connectionTemplate: string | null;
};

export type SandboxPlace = {
  readonly url: string;
  readonly secret: string | null;
  readonly dnsAddress: HostPort;
  /** Null when it runs in another process. */
  readonly server: SandboxServer | null;
};

export type OpenCloudOptions = {
  readonly log: Logger;
  readonly clock?: Clock;
  /** Overrides what the configuration says of the sandbox's pace. */
  readonly sandboxTuning?: SandboxTuning;
  /** Of the API. */
  readonly publicUrl: string;
};

/** Migrated before the cloud is used. */
export type WithDatabase = { readonly db: Database };

/**
 * Opens the configured cloud.
 * @throws ListenError, FolderError, SandboxStartError
 */
export async function openCloud(
  config: Config,
  options: OpenCloudOptions & WithDatabase,
): Promise<OpenCloud> {
  if (config.cloud === "aws") {
    const { openAws } = await import("./open-aws.ts");
    return openAws(config, options);
  }
  const { openSandbox } = await import("./open-sandbox.ts");
  return await openSandbox(config, options);
}
