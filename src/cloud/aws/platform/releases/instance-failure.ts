/** Why ECS rolled back to the previous release, in its own words. */
import type { Task } from "@aws-sdk/client-ecs";
import { CloudError, type CloudAccount } from "../../../cloud.ts";
import { type Call, required } from "../../calls/calls.ts";
import { shorten } from "../stacks/stack-events.ts";

export type InstancePlace = {
  readonly region: string;
  readonly cluster: string;
  /** The task definition family of all of a service's releases. */
  readonly family: string;
  /** The ARN of the ECS service; null if it was not created. */
  readonly service: string | null;
};

/** Machines' clocks may differ by this much. */
const CLOCKS_MS = 60_000;
/** The ECS client of the SDK, which is large and needed only here. */
const loadEcs = () => import("@aws-sdk/client-ecs");
const TROUBLE = /unable|failed|unhealthy|error|denied/i;

/**
 * Why the instances that were started since then have stopped; null if ECS does not say, or the role may not ask.
 * The result does not include their output: it may contain values of variables, which must not be stored in an
 * error. The release's log has the output.
 * @throws CloudError `retryable`
 */
export async function findInstanceFailure(
  call: Call,
  account: CloudAccount,
  place: InstancePlace,
  since: Date,
): Promise<string | null> {
  const from = new Date(since.getTime() - CLOCKS_MS);
  try {
    return (await findStopped(call, account, place, from)) ?? (await findEvent(call, account, place, from));
  } catch (error) {
    if (error instanceof CloudError && error.kind !== "retryable") return null;
    throw error;
  }
}

async function findStopped(
  call: Call,
  account: CloudAccount,
  { region, cluster, family }: InstancePlace,
  from: Date,
): Promise<string | null> {
  const { DescribeTasksCommand, ListTasksCommand } = await loadEcs();
  const listApi = "ecs:ListTasks";
  // ECS knows stopped instances for about an hour.
  const list = new ListTasksCommand({ cluster, family, desiredStatus: "STOPPED", maxResults: 100 });
  const listed = await call(account, listApi, list, region);
  const tasks = required(listed.taskArns, listApi);
  if (tasks.length === 0) return null;
  const api = "ecs:DescribeTasks";
  const describe = new DescribeTasksCommand({ cluster, tasks });
  const described = await call(account, api, describe, region);
  const newest = required(described.tasks, api)
    .filter(({ createdAt, stoppedReason }) => stoppedReason !== undefined && isSince(createdAt, from))
    // Instances of the previous release, which also stop at the end of a rollback, were created earlier.
    .toSorted((one, other) => (other.stoppedAt?.getTime() ?? 0) - (one.stoppedAt?.getTime() ?? 0))[0];
  return newest === undefined ? null : describeStopped(newest);
}

function describeStopped({ stoppedReason = "", containers = [] }: Task): string {
  const details = containers.flatMap(({ exitCode, reason }) => [
    ...(exitCode === undefined ? [] : [`exit code ${exitCode}`]),
    ...(reason === undefined ? [] : [shorten(reason)]),
  ]);
  const detail = details.length === 0 ? "" : ` (${details.join(", ")})`;
  return `${shorten(stoppedReason)}${detail}`;
}

async function findEvent(
  call: Call,
  account: CloudAccount,
  { region, cluster, service }: InstancePlace,
  from: Date,
): Promise<string | null> {
  if (service === null) return null;
  const { DescribeServicesCommand } = await loadEcs();
  const api = "ecs:DescribeServices";
  const command = new DescribeServicesCommand({ cluster, services: [service] });
  const answer = await call(account, api, command, region);
  // Newest first.
  const event = required(answer.services, api)[0]?.events?.find(
    ({ createdAt, message }) => TROUBLE.test(message ?? "") && isSince(createdAt, from),
  );
  return event?.message === undefined ? null : shorten(event.message);
}

function isSince(at: Date | undefined, from: Date): boolean {
  return at !== undefined && at >= from;
}
