import type { CloudAccount } from "../../../cloud/cloud.ts";
import type { Platform } from "../../../cloud/platform.ts";
import type { Database } from "../../../db/database.ts";
import type { Jobs } from "../../../jobs/jobs.ts";
import type { Environment, Project } from "../../projects/project.ts";
import type { Deployment, Run } from "../deployment.ts";

/** What the steps of one pass share. */
export type Pass = {
  readonly db: Database;
  readonly jobs: Jobs;
  readonly platform: Platform;
  readonly account: CloudAccount;
  readonly project: Project;
  readonly environment: Environment;
  readonly deployment: Deployment;
  readonly run: Run;
  readonly buildLimitSeconds: number;
  /** Reads that failed for a reason that may pass. */
  readonly trouble: unknown[];
};
