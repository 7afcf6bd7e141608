import { StopBuildCommand } from "@aws-sdk/client-codebuild";
import { CloudError, type CloudAccount } from "../../cloud.ts";
import type { PlatformService, ServicePlace } from "../../platform.ts";
import type { Call } from "../calls/calls.ts";
import { cloudError } from "../calls/errors.ts";
import type { BuildRecord } from "./builds/builds.ts";
import { stopExecutions } from "./executions/tasks.ts";
import { environmentStackOf, namesOf } from "./stacks/names.ts";
import { membersPrefix, networkKey, type Records, serviceKey } from "./records.ts";
import {
  clearService,
  type PlatformParts,
  type StackPlace,
  type ObservedStack,
  type Stacks,
} from "./stacks/stacks.ts";

/**
 * Starts the deletion of everything of a service. CloudFormation takes minutes. Until it is done, further calls
 * throw `retryable`, and a failed deletion is started again.
 * @throws CloudError
 */
export async function removeService(
  { call, records, stacks, roles }: PlatformParts,
  account: CloudAccount,
  { serviceId, region }: ServicePlace,
): Promise<void> {
  // The names of the service's own resources do not contain the environment.
  const names = namesOf(account, { serviceId, environmentId: "" });
  const place = { region, name: names.stack };
  const stack = await stacks.describe(account, place);
  const status = stack?.status ?? "DELETE_COMPLETE";
  let failure: CloudError | null = null;
  if (status === "DELETE_IN_PROGRESS")
    throw unfinished("CloudFormation is still deleting the service's stack.");
  const prefix = membersPrefix(serviceId);
  const members = await records.list(account, prefix);
  const keys = members.map((member) => member.slice(prefix.length));
  if (status !== "DELETE_COMPLETE") {
    await stopBuilds(call, records, account, keys);
    await stopExecutions({ call, records, stacks }, account, { serviceId, region });
    failure = await failureOf(stacks, account, { ...place, stack });
    if (!(await clearService(call, account, { serviceId, region })))
      throw unfinished("Distributions of the service are still being changed.");
    await stacks.delete(account, place);
  } else {
    await removePreparation(stacks, account, { region, name: names.prepareStack });
    await roles.removeOfService(account, serviceId);
  }
  await records.delete(account, [serviceKey(serviceId), ...keys]);
  // Last: until then, the documents can be found again.
  await records.delete(account, members);
  if (failure !== null) throw failure;
}

/** The stack of what ran before releases, if there was a release with such a command. */
async function removePreparation(stacks: Stacks, account: CloudAccount, place: StackPlace): Promise<void> {
  const stack = await stacks.describe(account, place);
  if (stack === null || stack.status === "DELETE_COMPLETE") return;
  const failure = await failureOf(stacks, account, { ...place, stack });
  if (stack.status !== "DELETE_IN_PROGRESS") await stacks.delete(account, place);
  throw failure ?? unfinished(`CloudFormation is deleting the stack ${place.name}.`);
}

/**
 * Starts the deletion of what the services of an environment share. Like `removeService`, call it again until it
 * succeeds.
 * @throws CloudError
 */
export async function removeEnvironment(
  { records, stacks, roles }: PlatformParts,
  account: CloudAccount,
  { environmentId, region }: Omit<PlatformService, "serviceId">,
): Promise<void> {
  const place = { region, name: environmentStackOf(environmentId) };
  const stack = await stacks.describe(account, place);
  if (stack === null || stack.status === "DELETE_COMPLETE") {
    await roles.removeOfEnvironment(account, environmentId);
    await records.delete(account, [networkKey(environmentId)]);
    return;
  }
  const failure = await failureOf(stacks, account, { ...place, stack });
  if (stack.status !== "DELETE_IN_PROGRESS") await stacks.delete(account, place);
  throw failure ?? unfinished("CloudFormation is deleting the environment's stack.");
}

/** Why the last deletion failed, read before the next one starts; null if none has failed. */
async function failureOf(
  stacks: Stacks,
  account: CloudAccount,
  { stack, ...place }: StackPlace & { readonly stack: ObservedStack | null },
): Promise<CloudError | null> {
  if (stack?.status !== "DELETE_FAILED") return null;
  const reason = await stacks.findDeletionFailure(account, { ...place, id: stack.id });
  const words = reason ?? "It gives no reason";
  return unfinished(`CloudFormation could not delete the stack ${place.name} yet. ${words}.`);
}

function unfinished(message: string): CloudError {
  return cloudError(["retryable", "UNAVAILABLE"], "cloudformation:DeleteStack", { message });
}

async function stopBuilds(
  call: Call,
  records: Records,
  account: CloudAccount,
  keys: readonly string[],
): Promise<void> {
  for (const key of keys.filter((one) => one.startsWith("builds/"))) {
    const build = (await records.read<BuildRecord>(account, key))?.value;
    if (build === undefined || build.end !== null || build.buildId === null) continue;
    const command = new StopBuildCommand({ id: build.buildId });
    try {
      await call(account, "codebuild:StopBuild", command, build.service.region);
    } catch (error) {
      if (!(error instanceof CloudError && (error.kind === "gone" || error.kind === "invalid"))) throw error;
    }
  }
}
