/** A cloud, and what depends on it: the git hosts that can be reached, and the DNS servers. */
import type { Clock } from "../../lib/clock.ts";
import type { CallPolicy } from "../../cloud/calls/policy.ts";
import type { Cloud } from "../../cloud/cloud.ts";
import type { Platform } from "../../cloud/platform.ts";
import type { HostServer } from "../../../sandbox/src/host/host-server.ts";
import type { OwnServerState } from "../../../sandbox/src/host/server-state.ts";
import type { SandboxServer } from "../../../sandbox/src/server.ts";
import type { SandboxTuning } from "../../../sandbox/src/tuning.ts";
import type { HostPort } from "../config/values.ts";
import type { Database } from "../../db/database.ts";
import type { Git } from "../../git/git.ts";
import type { Logger } from "../../lib/log.ts";

export type OpenCloud = {
  readonly cloud: Cloud;
  /** Builds and runs commits; null in a cloud without this support. */
  readonly platform: Platform | null;
  readonly git: Git;
  readonly dnsServers: readonly HostPort[];
  /** The sandbox's own endpoints; null with any other cloud. */
  readonly sandbox: SandboxPlace | null;
  /** The edge of this server; null with any other cloud. */
  readonly ownServer: OwnServerPlace | null;
  /** Reports the number of organizations to the cloud; null if the cloud does not need to know. */
  readonly reportOrganizationCount: ((count: number) => Promise<void>) | null;
  /** The template of customers' stacks, for us to serve; null if the cloud serves its own. */
  readonly connectionTemplate: string | null;
};

export type SandboxPlace = {
  readonly url: string;
  readonly secret: string | null;
  readonly dnsAddress: HostPort;
  readonly edgePort: number;
  /** Null when it runs in another process. */
  readonly server: SandboxServer | null;
};

export type OwnServerPlace = {
  readonly url: string;
  readonly secret: string;
  readonly httpsPort: number;
  /** @throws AppError `CLOUD_UNAVAILABLE` */
  readonly readState: (options: { readonly isProbed: boolean }) => Promise<OwnServerState>;
  /** Null when it runs in another process. */
  readonly server: HostServer | null;
};

export type OpenCloudOptions = {
  readonly log: Logger;
  readonly clock?: Clock;
  /** Overrides the configured pace of the sandbox. */
  readonly sandboxTuning?: SandboxTuning;
  /** The public URL of the API. */
  readonly publicUrl: string;
  /** Where the API listens in this process; left out if it does not run here. */
  readonly listensAt?: string;
};

export type CloudMachinery = {
  /** Must be migrated before the cloud is used. */
  readonly db: Database;
  /** Every call to the cloud goes through it. */
  readonly policy: CallPolicy;
};
