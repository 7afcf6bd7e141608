/**
 * Executions: ECS tasks, each started by its token in the image of the live release. A document of the account's bucket
 * records a task before ECS forgets it, about an hour after its end. Each call of `describe` takes the next step.
 */
import { CloudError, type CloudAccount } from "../../../cloud.ts";
import type { ExecutionRequest, ObservedExecution, Platform, PlatformService } from "../../../platform.ts";
import { cloudError } from "../../calls/errors.ts";
import { tokenDigest } from "../../calls/tags.ts";
import { ignoreWritten } from "../builds/builds.ts";
import { readLogPage } from "../logs.ts";
import {
  executionKey,
  memberKey,
  releaseKeyOf,
  type ReleaseRecord,
  serviceKey,
  type ServiceRecord,
  type Stored,
} from "../records.ts";
import { namesOf } from "../stacks/names.ts";
import { findWrongSize } from "../stacks/preconditions.ts";
import type { PlatformParts } from "../stacks/stacks.ts";
import { commandStreamOf } from "../stacks/templates/container-resources.ts";
import { decideExecution, endedWith, type ExecutionState, type Stopping } from "./decide-execution.ts";
import { describeTask, findTask, startTask, stopTask, type TaskPlace } from "./tasks.ts";

type Failure = NonNullable<ObservedExecution["failure"]>;

type ExecutionRecord = ExecutionRequest & {
  readonly requestedAtMs: number;
  /** Null if the release could not run it. */
  readonly place: TaskPlace | null;
  /** The ARN of the task, once it is started. */
  readonly task: string | null;
  readonly stopping: Stopping | null;
  /** Its dates as in JSON. */
  readonly end: (Omit<ExecutionState, "startedAt" | "endedAt"> & Dates) | null;
};
type Dates = { readonly startedAt: string | null; readonly endedAt: string | null };

/** Below the day in which ECS knows a token. After it, a start that was never confirmed is given up. */
const START_LIMIT_MS = 60 * 60_000;

export type Executions = Platform["executions"] & {
  /** As `start`, at a place that is not that of a live release. */
  startAt(account: CloudAccount, request: ExecutionRequest, place: TaskPlace): Promise<ObservedExecution>;
};

export function createExecutions(parts: PlatformParts): Executions {
  const { call, records, stacks } = parts;

  const read = (account: CloudAccount, token: string) =>
    records.read<ExecutionRecord>(account, executionKey(token));
  async function change(
    account: CloudAccount,
    { value, etag }: Stored<ExecutionRecord>,
    changed: Partial<ExecutionRecord>,
  ): Promise<Stored<ExecutionRecord>> {
    return await records.write(account, executionKey(value.token), { ...value, ...changed }, etag);
  }

  /** Where a command runs in the files of the live release, or why it cannot. @throws CloudError `retryable` */
  async function locate(
    account: CloudAccount,
    { service: { serviceId }, release, size }: ExecutionRequest,
  ): Promise<{ readonly service: PlatformService; readonly place: TaskPlace } | Failure> {
    const wrongSize = findWrongSize(size);
    if (wrongSize !== null) return wrongSize;
    const known = (await records.read<ServiceRecord>(account, serviceKey(serviceId)))?.value;
    const live = tokenDigest(release);
    if (known?.live !== live) return NOT_LIVE;
    const { service, wanted } = known;
    const { region } = service;
    const { stack: name, networkStack } = namesOf(account, service);
    const stack = await stacks.describe(account, { region, name });
    const { Runs: definition, RunAccess: group, RunRelease: present } = stack?.outputs ?? {};
    if (definition === undefined || group === undefined || present === undefined) return NOT_RUNNABLE;
    if (present !== live) {
      // Its task definition was replaced by that of a later release.
      const later = await records.read<ReleaseRecord>(account, releaseKeyOf(present));
      if (present !== wanted || later?.value.failure !== null) return NOT_LIVE;
      const message = "A later release of the service is about to be live.";
      throw cloudError(["retryable", "UNAVAILABLE"], "ecs:RunTask", { message });
    }
    const network = await stacks.describe(account, { region, name: networkStack });
    const cluster = network?.outputs["Cluster"]?.split("/").at(-1);
    return cluster === undefined
      ? NOT_RUNNABLE
      : { service, place: { cluster, definition, group, release: live } };
  }

  async function end(
    account: CloudAccount,
    stored: Stored<ExecutionRecord>,
    { startedAt, endedAt, ...state }: ExecutionState,
  ): Promise<ObservedExecution> {
    const json = (date: Date | null) => date?.toISOString() ?? null;
    const changed = { end: { ...state, startedAt: json(startedAt), endedAt: json(endedAt) } };
    return view((await change(account, stored, changed)).value);
  }
  const fail = (account: CloudAccount, stored: Stored<ExecutionRecord>, failure: Failure) =>
    end(account, stored, endedWith(failure, null, new Date()));

  /** Starts its task, if it is not started yet. @returns null if it ended instead */
  async function begin(
    account: CloudAccount,
    stored: Stored<ExecutionRecord>,
  ): Promise<(Stored<ExecutionRecord> & Started) | null> {
    const { value: record } = stored;
    const { place, token, service } = record;
    if (record.end !== null || place === null) return null;
    if (record.task !== null) return { ...stored, place, task: record.task };
    const isLate = Date.now() - record.requestedAtMs > START_LIMIT_MS;
    let task: string | null;
    try {
      task = isLate
        ? await findTask(call, account, { cluster: place.cluster, token, region: service.region })
        : await startTask(call, account, record, place);
    } catch (error) {
      if (!(error instanceof CloudError) || (error.kind !== "invalid" && error.kind !== "limit")) throw error;
      await fail(account, stored, { code: "NOT_STARTED", message: error.message });
      return null;
    }
    if (task === null) {
      await fail(account, stored, isLate ? TOO_LATE : STACK_OUTDATED);
      return null;
    }
    return { ...(await change(account, stored, { task })), place, task };
  }

  async function stop(
    account: CloudAccount,
    started: Stored<ExecutionRecord> & Started,
    why: Stopping,
  ): Promise<void> {
    const { value: record, place, task } = started;
    if (record.stopping === null) await change(account, started, { stopping: why });
    const { region } = record.service;
    const reason = why === "CANCELLED" ? "Slipway cancels the execution." : "Slipway ends it at its limit.";
    await stopTask(call, account, { cluster: place.cluster, task, region }, reason);
  }

  async function step(account: CloudAccount, stored: Stored<ExecutionRecord>): Promise<ObservedExecution> {
    const started = await begin(account, stored);
    const { token } = stored.value;
    if (started === null) return view((await read(account, token))?.value ?? stored.value);
    const { value: record, place, task } = started;
    const { region } = record.service;
    const found = await describeTask(call, account, { cluster: place.cluster, task, region });
    const { state, isOverdue } = decideExecution(
      found,
      { ...record, memoryGb: record.size.memoryGb },
      Date.now(),
    );
    if (state.endedAt !== null) return await end(account, started, state);
    // Again with each step until it has stopped: the call may have been lost.
    if (isOverdue || record.stopping !== null) await stop(account, started, record.stopping ?? "TIMED_OUT");
    return { token, ...state };
  }

  async function open(
    account: CloudAccount,
    request: ExecutionRequest,
    find: () => ReturnType<typeof locate>,
  ): Promise<ObservedExecution> {
    const known = await read(account, request.token);
    if (known !== null) return await step(account, known);
    const found = await find();
    const key = executionKey(request.token);
    const { service, place } = "place" in found ? found : { service: request.service, place: null };
    await records.write(account, memberKey(service.serviceId, key), { service }, null).catch(ignoreWritten);
    const fresh = { requestedAtMs: Date.now(), task: null, stopping: null, end: null };
    const stored = await records.write(account, key, { ...request, service, place, ...fresh }, null);
    return "place" in found ? await step(account, stored) : await fail(account, stored, found);
  }

  return {
    start: (account, request) => open(account, request, () => locate(account, request)),

    startAt: (account, request, place) =>
      open(account, request, () => Promise.resolve({ service: request.service, place })),

    async describe(account, token) {
      const stored = await read(account, token);
      return stored === null ? null : await step(account, stored);
    },

    async cancel(account, token) {
      const stored = await read(account, token);
      // A start whose answer was lost would run on, so it is repeated to find its task.
      const started = stored === null ? null : await begin(account, stored);
      if (started !== null) await stop(account, started, "CANCELLED");
    },

    async logs(account, token, cursor) {
      const stored = await read(account, token);
      if (stored === null) {
        const message = "There is no execution with this token.";
        throw cloudError(["gone", "NOT_FOUND"], "s3:GetObject", { message });
      }
      const { service, place, task } = stored.value;
      const id = task?.split("/").at(-1);
      if (place === null || id === undefined) return { lines: [], next: cursor ?? "0.0" };
      const logPlace = {
        region: service.region,
        group: place.log ?? namesOf(account, service).runLog,
        streams: { logStreamNames: [commandStreamOf(place.release, id)] },
        // The log driver does not distinguish the two streams of a container.
        stream: "stdout" as const,
      };
      return await readLogPage(call, account, logPlace, cursor);
    },
  };
}

type Started = { readonly place: TaskPlace; readonly task: string };

const NOT_LIVE: Failure = {
  code: "RELEASE_NOT_LIVE",
  message: "The service has no such live release. Deploy it first.",
};
const NOT_RUNNABLE: Failure = {
  code: "RELEASE_NOT_LIVE",
  message:
    "The live release cannot run commands: it only has files, or an earlier version of Slipway released it. Deploy the service again.",
};
const STACK_OUTDATED: Failure = {
  code: "STACK_OUTDATED",
  message:
    "The connection's stack is of an earlier version and cannot start commands. Update it with the current template (docs/how-to/connect-aws.md).",
};
const TOO_LATE: Failure = { code: "NOT_STARTED", message: "ECS did not start the command within an hour." };

function view({ token, end }: ExecutionRecord): ObservedExecution {
  if (end === null) {
    return { token, status: "STARTING", exitCode: null, failure: null, startedAt: null, endedAt: null };
  }
  const date = (text: string | null) => (text === null ? null : new Date(text));
  return { token, ...end, startedAt: date(end.startedAt), endedAt: date(end.endedAt) };
}
