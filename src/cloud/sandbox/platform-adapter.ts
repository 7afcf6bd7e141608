/** The platform adapter for the sandbox: each method is one call over HTTP. */
import { posix } from "node:path";
import { joinShellWords } from "../../lib/shell-words.ts";
import { CloudError } from "../cloud.ts";
import { type CallPolicy, createCallPolicy } from "../calls/policy.ts";
import type {
  Command,
  EnvironmentActivity,
  ObservedBuild,
  ObservedExecution,
  LogPage,
  Platform,
  PlatformService,
  ObservedRelease,
  RuntimeVariable,
  Workload,
} from "../platform.ts";
import { createCaller, roleOf } from "./adapter-call.ts";
import type {
  ActivityMessage,
  BuildInput,
  BuildMessage,
  ExecutionMessage,
  LogPageMessage,
  ReleaseMessage,
} from "../../../sandbox/src/protocol.ts";

export function createSandboxPlatform(options: {
  /** The address of the sandbox's server. */
  readonly url: string;
  readonly secret: string | null;
  /** By default, the adapter creates its own. */
  readonly policy?: CallPolicy;
}): Platform {
  const { policy = createCallPolicy() } = options;
  const call = createCaller({ ...options, policy });

  return policy.each<Platform>({
    // It has no stacks; `GET /sandbox/state` shows services and environments by these ids.
    stackNameOf: ({ id }) => id,
    builds: {
      async start(account, request, openCredentials = async () => null) {
        const { token, service, workload, source, variables, timeLimitSeconds } = request;
        const place = placeOf(service);
        const credentials = await openCredentials();
        const input = {
          token,
          service: place,
          workload: forShell(workload),
          source,
          variables: variables.map(toMessage),
          timeLimitSeconds,
          ...(credentials === null ? {} : { credentials }),
        };
        return readBuild(await call("builds.start", roleOf(account), input));
      },
      async describe(account, token) {
        const { build } = await call("builds.describe", roleOf(account), { token });
        return build === null ? null : readBuild(build);
      },
      async cancel(account, token) {
        await call("builds.cancel", roleOf(account), { token });
      },
      logs: async (account, token, cursor) =>
        readLogPage(await call("builds.logs", roleOf(account), { token, cursor })),
    },
    releases: {
      async start(account, { token, service, workload, artifact, variables }) {
        const input = {
          token,
          service: placeOf(service),
          workload: forShell(workload),
          artifact,
          variables: variables.map(toMessage),
        };
        return readRelease(await call("releases.start", roleOf(account), input));
      },
      async describe(account, token) {
        const { release } = await call("releases.describe", roleOf(account), { token });
        return release === null ? null : readRelease(release);
      },
      async cancel(account, token) {
        await call("releases.cancel", roleOf(account), { token });
      },
      health: async (account, token) => (await call("releases.health", roleOf(account), { token })).health,
      logs: async (account, token, cursor) =>
        readLogPage(await call("releases.logs", roleOf(account), { token, cursor })),
    },
    executions: {
      async start(account, { token, service, release, command, size, timeLimitSeconds }) {
        const { cpu, memoryGb } = size;
        const input = {
          token,
          service: placeOf(service),
          release,
          command,
          size: { cpu, memoryGb },
          timeLimitSeconds,
        };
        return readExecution(await call("executions.start", roleOf(account), input));
      },
      async describe(account, token) {
        const { execution } = await call("executions.describe", roleOf(account), { token });
        return execution === null ? null : readExecution(execution);
      },
      async cancel(account, token) {
        await call("executions.cancel", roleOf(account), { token });
      },
      logs: async (account, token, cursor) =>
        readLogPage(await call("executions.logs", roleOf(account), { token, cursor })),
    },
    services: {
      // It has one process for each service, whatever its size says.
      async instances(account, _service, token) {
        const { health } = await call("releases.health", roleOf(account), { token });
        if (health === null) return null;
        const desired = health.isAsleep ? 0 : 1;
        const running = health.isRunning && !health.isAsleep ? 1 : 0;
        return { desired, running, pending: desired - running };
      },
      scale: () =>
        Promise.reject(
          new CloudError(
            "invalid",
            "INVALID_REQUEST",
            "services.scale",
            "This cloud runs one instance of each service.",
          ),
        ),
      async remove(account, { serviceId, region }) {
        await call("services.remove", roleOf(account), { serviceId, region });
      },
    },
    stores: {
      async ensure(account, { service, store, snapshot }) {
        return await call("stores.ensure", roleOf(account), { service: placeOf(service), store, snapshot });
      },
      async describe(account, service) {
        return (await call("stores.describe", roleOf(account), { service: placeOf(service) })).store;
      },
      async remove(account, service, snapshot) {
        return (await call("stores.remove", roleOf(account), { service: placeOf(service), snapshot })).store;
      },
      async listDown(account, stores) {
        const serviceIds = stores.map(({ serviceId }) => serviceId);
        const { down } = await call("stores.down", roleOf(account), { serviceIds });
        return new Map(down.map(({ serviceId, ...failure }) => [serviceId, failure]));
      },
      snapshots: {
        create: (account, service, token) =>
          call("snapshots.create", roleOf(account), { service: placeOf(service), token }),
        describe: async (account, service, token) =>
          (await call("snapshots.describe", roleOf(account), { service: placeOf(service), token })).snapshot,
        async remove(account, service, token) {
          await call("snapshots.remove", roleOf(account), { service: placeOf(service), token });
        },
      },
    },
    environments: {
      async activity(account, environmentIds) {
        const input = { environmentIds: [...environmentIds] };
        const { activities } = await call("environments.activity", roleOf(account), input);
        return activities.map(readActivity);
      },
      async sleep(account, environmentId, usedAt) {
        const input = { environmentId, usedAt: usedAt.getTime() };
        const { activity } = await call("environments.sleep", roleOf(account), input);
        return activity === null ? null : readActivity(activity);
      },
      // Services in the sandbox share no resources.
      async remove() {},
    },
  });
}

function toMessage(variable: RuntimeVariable) {
  return variable.kind === "joined" ? { ...variable, parts: [...variable.parts] } : variable;
}

/** The sandbox does not separate environments. */
function placeOf({ serviceId, environmentId, region, templateId }: PlatformService): PlatformService {
  return { serviceId, environmentId, region, ...(templateId === undefined ? {} : { templateId }) };
}

/**
 * The sandbox runs lines in a shell, in the root of the repository: makes them enter the service's folder first, and
 * replaces the shell by the program of a list. Executions begin in `basePath`. Pure.
 */
function forShell({ basePath, ...workload }: Workload): BuildInput["workload"] {
  const enter = (command: Command) => {
    const line = typeof command === "string" ? command : `exec ${joinShellWords(command)}`;
    return basePath === undefined ? line : `cd -- ${quote(basePath)} && exec sh -c ${quote(line)}`;
  };
  const enterOrNull = (command: Command | null) => (command === null ? null : enter(command));
  const { installCommand } = workload;
  const commands = {
    ...(installCommand === undefined ? {} : { installCommand: enter(installCommand) }),
    buildCommand: enterOrNull(workload.buildCommand),
  };
  if (workload.type === "static") {
    const outputDirectory = posix.join(basePath ?? "", workload.outputDirectory);
    return { ...workload, ...commands, outputDirectory };
  }
  const place = basePath === undefined ? {} : { basePath };
  if (workload.type === "scheduler") return { ...workload, ...place, ...commands };
  const { startCommand, preDeployCommand, postDeployCommand: _, ...rest } = workload;
  return {
    ...rest,
    ...place,
    ...commands,
    startCommand: enterOrNull(startCommand),
    ...(preDeployCommand === undefined ? {} : { preDeployCommand: enter(preDeployCommand) }),
  };
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

function readBuild(message: BuildMessage): ObservedBuild {
  return {
    ...message,
    startedAt: new Date(message.startedAt),
    endedAt: message.endedAt === null ? null : new Date(message.endedAt),
    waitingFor: null,
  };
}

function readRelease(message: ReleaseMessage): ObservedRelease {
  return { ...message, waitingFor: null };
}

function readExecution(message: ExecutionMessage): ObservedExecution {
  const date = (ms: number | null) => (ms === null ? null : new Date(ms));
  return { ...message, startedAt: date(message.startedAt), endedAt: date(message.endedAt) };
}

function readActivity({ usedAt, asleepSince, ...activity }: ActivityMessage): EnvironmentActivity {
  return {
    ...activity,
    usedAt: new Date(usedAt),
    asleepSince: asleepSince === null ? null : new Date(asleepSince),
  };
}

function readLogPage({ lines, next }: LogPageMessage): LogPage {
  return { lines: lines.map((line) => ({ ...line, at: new Date(line.at) })), next };
}
