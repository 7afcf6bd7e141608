/** Why ECS went back to the release before, in its own words. */
import type { Task } from "@aws-sdk/client-ecs";
import { CloudError, type CloudAccount } from "../../../cloud.ts";
import { type Call, required } from "../../calls/calls.ts";
import { shorten } from "../stacks/stack-events.ts";

export type InstancePlace = {
  readonly region: string;
  readonly cluster: string;
  /** Of the task definitions of all of a service's releases. */
  readonly family: string;
  /** The ARN of ECS's service; null where it was not made. */
  readonly service: string | null;
};

/** Clocks of machines may differ by so much. */
const CLOCKS_MS = 60_000;
/** The SDK's client of ECS, a large one that is needed for this alone. */
const loadEcs = () => import("@aws-sdk/client-ecs");
const TROUBLE = /unable|failed|unhealthy|error|denied/i;

/**
 * What became of the instances that were started since; null where ECS says nothing of it, or the role may not
 * ask. Not what they printed: that may hold values of variables, which are not to rest in an error; the
 * release's log has it.
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
  // ECS knows what has stopped for an hour or so.
  const list = new ListTasksCommand({ cluster, family, desiredStatus: "STOPPED", maxResults: 100 });
  const listed = await call(account, listApi, (ecs, options) => ecs.send(list, options), region);
  const tasks = required(listed.taskArns, listApi);
  if (tasks.length === 0) return null;
  const api = "ecs:DescribeTasks";
  const describe = new DescribeTasksCommand({ cluster, tasks });
  const described = await call(account, api, (ecs, options) => ecs.send(describe, options), region);
  const newest = required(described.tasks, api)
    .filter(({ createdAt, stoppedReason }) => stoppedReason !== undefined && isSince(createdAt, from))
    // Those of the release before, which are stopped at the end of a rollback, were created earlier.
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
  const answer = await call(account, api, (ecs, options) => ecs.send(command, options), region);
  // Newest first.
  const event = required(answer.services, api)[0]?.events?.find(
    ({ createdAt, message }) => TROUBLE.test(message ?? "") && isSince(createdAt, from),
  );
  return event?.message === undefined ? null : shorten(event.message);
}

function isSince(at: Date | undefined, from: Date): boolean {
  return at !== undefined && at >= from;
}
