/** What a start opens, and both the API and the worker use. */
import type { Database } from "../db/database.ts";
import type { DomainConnect } from "../domain-connect/domain-connect.ts";
import type { SafeFetch } from "../egress/safe-fetch.ts";
import type { Mailer } from "../features/notifications/mailer.ts";
import type { Jobs } from "../jobs/jobs.ts";
import type { Clock } from "../lib/clock.ts";
import type { Logger } from "../lib/log.ts";
import type { Sealing } from "../sealing/open-sealing.ts";
import type { Config } from "./config/config.ts";
import type { Metrics } from "./metrics.ts";
import type { OpenCloud } from "./open/open-cloud.ts";

export type Parts = {
  readonly config: Config;
  readonly publicUrl: string;
  readonly log: Logger;
  readonly clock: Clock;
  readonly db: Database;
  readonly jobs: Jobs;
  readonly sealing: Sealing;
  readonly metrics: Metrics;
  readonly opened: OpenCloud;
  readonly domainConnect: DomainConnect | null;
  readonly webhookExchange: SafeFetch;
  /** Null without a mail server. */
  readonly mailer: Mailer | null;
};
