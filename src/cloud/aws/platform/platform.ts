/**
 * Builds commits and runs them in a customer's account, on AWS's own engines: CodeBuild builds, CloudFormation
 * changes, ECS on Fargate runs, S3 and CloudFront serve. Code of repositories runs there and nowhere else.
 */
import type { Platform } from "../../platform.ts";
import type { Call } from "../calls.ts";
import { createBuilds } from "./builds.ts";
import { createRecords } from "./records.ts";
import { createReleases } from "./releases.ts";
import { removeService } from "./remove-service.ts";
import { createStacks } from "./stacks.ts";

export function createPlatform(call: Call, nowMs: () => number = Date.now): Platform {
  const records = createRecords(call);
  const stacks = createStacks(call, records);
  const parts = { call, records, stacks, nowMs };
  return {
    builds: createBuilds(parts),
    releases: createReleases(parts),
    services: { remove: (account, service) => removeService(parts, account, service) },
  };
}
