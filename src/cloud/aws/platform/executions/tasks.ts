/** Starts, finds and stops ECS tasks, of which each runs one command in the image of a release. */
import type { Task } from "@aws-sdk/client-ecs";
import { CloudError, type CloudAccount } from "../../../cloud.ts";
import type { PlatformService } from "../../../platform.ts";
import { type Call, required } from "../../calls/calls.ts";
import { cloudError } from "../../calls/errors.ts";
import { tokenDigest } from "../../calls/tags.ts";
import { serviceKey, type ServiceRecord } from "../records.ts";
import { namesOf, networkOf } from "../stacks/names.ts";
import { askRolesFunction } from "../stacks/roles-function.ts";
import type { PlatformParts } from "../stacks/stacks.ts";
import { fargateSize } from "../stacks/templates/fargate-size.ts";

/** Where a command runs. Recorded before its start, because ECS refuses a repeated token with other values. */
export type TaskPlace = {
  /** The name of the cluster. */
  readonly cluster: string;
  /** The ARN of the task definition of the release. */
  readonly definition: string;
  /** The id of the security group. */
  readonly group: string;
  /** The digest of the release's token. */
  readonly release: string;
  /** The log group, if it is not that of the service's releases. */
  readonly log?: string;
};

export type TaskRequest = {
  readonly token: string;
  readonly service: PlatformService;
  readonly command: string;
  readonly size: { readonly cpu: number; readonly memoryGb: number };
};

/** The ECS client of the SDK, which is large and needed only here. */
const loadEcs = () => import("@aws-sdk/client-ecs");

/**
 * Starts a task, once for each token; ECS knows a token for a day. The function of the connection's stack does it, because
 * only its code can limit a start to the network of the environment.
 * @returns the task's ARN; null if the connection's stack is of an earlier version and starts no commands
 * @throws CloudError `invalid` if ECS refuses
 */
export async function startTask(
  call: Call,
  account: CloudAccount,
  { token, service, command, size }: TaskRequest,
  { cluster, definition, group }: TaskPlace,
): Promise<string | null> {
  const { Cpu: cpu, Memory: memory } = required(fargateSize(size), "ecs:RunTask");
  const answer = await askRolesFunction(call, account, {
    action: "start",
    environmentId: networkOf(service),
    region: service.region,
    cluster,
    definition,
    group,
    command,
    cpu,
    memory,
    token: tokenDigest(token),
  }).catch(nullIfUnknown);
  if (answer === null) return null;
  const { tasks, failures } = answer as { tasks: readonly string[]; failures: readonly string[] };
  if (tasks[0] !== undefined) return tasks[0];
  const message = `ECS did not start the command: ${failures.join(", ")}.`;
  throw cloudError(["retryable", "UNAVAILABLE"], "ecs:RunTask", { message });
}

/** The function of an earlier stack asks for the role to make, which this request does not name. */
function nullIfUnknown(error: unknown): null {
  const words = error instanceof CloudError && error.cause instanceof Error ? error.cause.message : "";
  if (words.includes("KeyError")) return null;
  throw error;
}

/** The ARN of the task that was started with a token, while ECS knows it. */
export async function findTask(
  call: Call,
  account: CloudAccount,
  { cluster, token, region }: { readonly cluster: string; readonly token: string; readonly region: string },
): Promise<string | null> {
  const { ListTasksCommand } = await loadEcs();
  const startedBy = tokenDigest(token);
  for (const desiredStatus of ["RUNNING", "STOPPED"] as const) {
    const command = new ListTasksCommand({ cluster, startedBy, desiredStatus });
    const { taskArns } = await call(account, "ecs:ListTasks", command, region);
    const [found] = required(taskArns, "ecs:ListTasks");
    if (found !== undefined) return found;
  }
  return null;
}

/** Null if ECS does not know the task: not yet, or not any more about an hour after its end. */
export async function describeTask(
  call: Call,
  account: CloudAccount,
  { cluster, task, region }: { readonly cluster: string; readonly task: string; readonly region: string },
): Promise<Task | null> {
  const { DescribeTasksCommand } = await loadEcs();
  const command = new DescribeTasksCommand({ cluster, tasks: [task] });
  const answer = await call(account, "ecs:DescribeTasks", command, region);
  return required(answer.tasks, "ecs:DescribeTasks")[0] ?? null;
}

/** Succeeds if it has ended. */
export async function stopTask(
  call: Call,
  account: CloudAccount,
  { cluster, task, region }: { readonly cluster: string; readonly task: string; readonly region: string },
  reason: string,
): Promise<void> {
  const { StopTaskCommand } = await loadEcs();
  const command = new StopTaskCommand({ cluster, task, reason });
  try {
    await call(account, "ecs:StopTask", command, region);
  } catch (error) {
    // ECS has forgotten it.
    if (!(error instanceof CloudError && (error.kind === "invalid" || error.kind === "gone"))) throw error;
  }
}

/** Stops all commands of a service that is removed. Their network cannot be deleted before. */
export async function stopExecutions(
  { call, records, stacks }: Pick<PlatformParts, "call" | "records" | "stacks">,
  account: CloudAccount,
  { serviceId, region }: Pick<PlatformService, "serviceId" | "region">,
): Promise<void> {
  const service = (await records.read<ServiceRecord>(account, serviceKey(serviceId)))?.value.service;
  if (service === undefined) return;
  const { networkStack: name, runs, prepares } = namesOf(account, service);
  const cluster = (await stacks.describe(account, { region, name }))?.outputs["Cluster"];
  if (cluster === undefined) return;
  const { ListTasksCommand } = await loadEcs();
  for (const family of [runs, prepares]) {
    const command = new ListTasksCommand({ cluster, family });
    const { taskArns } = await call(account, "ecs:ListTasks", command, region);
    // At most 100. A removal is repeated until nothing is left.
    for (const task of required(taskArns, "ecs:ListTasks")) {
      await stopTask(call, account, { cluster, task, region }, "Slipway removes the service.");
    }
  }
}
