/**
 * Builds commits and runs them in a customer's account, with AWS's services: CodeBuild builds, CloudFormation
 * changes, ECS on Fargate runs, S3 and CloudFront serve. Code of repositories runs nowhere else.
 */
import type { SafeFetch } from "../../../egress/safe-fetch.ts";
import type { Platform } from "../../platform.ts";
import type { Call } from "../calls/calls.ts";
import type { FindTarget } from "../domains/preview-routes.ts";
import { createBuilds } from "./builds/builds.ts";
import { createImages } from "./builds/images.ts";
import { createExecutions } from "./executions/executions.ts";
import { environmentStackOf, serviceStackOf } from "./stacks/names.ts";
import { createRecords, serviceKey, type ServiceRecord } from "./records.ts";
import { createReleases } from "./releases/releases.ts";
import { createInstances } from "./releases/instances.ts";
import { removeEnvironment, removeService } from "./removals.ts";
import { createRoles } from "./stacks/roles.ts";
import { createStacks } from "./stacks/stacks.ts";
import { createStores } from "./stores/stores.ts";

export function createPlatform(
  call: Call,
  registries: SafeFetch,
): Platform & { readonly findTarget: FindTarget } {
  const records = createRecords(call);
  const stacks = createStacks(call, records);
  const roles = createRoles(call);
  const parts = { call, records, stacks, roles };
  const executions = createExecutions(parts);
  return {
    stackNameOf: ({ kind, id }) => (kind === "service" ? serviceStackOf(id) : environmentStackOf(id)),
    builds: createBuilds(parts, createImages(call, registries)),
    releases: createReleases(parts, executions),
    executions,
    services: {
      ...createInstances(parts),
      remove: (account, service) => removeService(parts, account, service),
    },
    stores: createStores(parts),
    environments: {
      // It cannot hold a request while a service starts, so nothing sleeps.
      activity: () => Promise.resolve([]),
      sleep: () => Promise.resolve(null),
      remove: (account, environment) => removeEnvironment(parts, account, environment),
    },
    async findTarget(account, serviceId) {
      return (await records.read<ServiceRecord>(account, serviceKey(serviceId)))?.value.target ?? null;
    },
  };
}
