/** The sandbox's platform: builds commits and runs them on this machine, as child processes. */
import { mkdirSync } from "node:fs";
import path from "node:path";
import type { ManagedValues } from "../accounts/managed-values.ts";
import type { Proxy } from "../../../edge/src/origin-proxy.ts";
import { sendText } from "../../../edge/src/edge-text.ts";
import { peerVisitorOf } from "../../../edge/src/visitor.ts";
import { Refusal } from "../refusal.ts";
import type { SandboxLog } from "../accounts/stacks.ts";
import type { SandboxState } from "../state.ts";
import { createBackground } from "./background.ts";
import type { BuildSource } from "./builds/build-source.ts";
import { createBuilds, listBuildCommands, type Builds } from "./builds/builds.ts";
import { type CommandOptions, openCommands } from "./commands/commands.ts";
import { createExecutions, type Executions } from "./executions/executions.ts";
import { openLogs } from "./logs.ts";
import type {
  BuildInput,
  BuildMessage,
  ExecutionMessage,
  LogPageMessage,
  ReleaseInput,
  ReleaseMessage,
} from "../protocol.ts";
import { createListeners, createPorts } from "./releases/listeners.ts";
import { createReleases, type Releases } from "./releases/releases.ts";
import { createRetention } from "./retention.ts";
import { createStores, type Stores } from "./stores/stores.ts";
import { serveRelease } from "./releases/serve-release.ts";
import {
  ofService,
  openFolders,
  openPlatformStore,
  serviceKey,
  type StoredBuild,
  type StoredExecution,
  type StoredRelease,
} from "./store.ts";
import type { PlatformTuning } from "./tuning.ts";
import { createResolveVariables } from "./variables.ts";

export type SandboxPlatform = {
  readonly builds: Pick<Builds, "describe" | "cancel"> & {
    /** @throws Refusal `retryable` if values of its variables cannot be read now */
    start(...work: Parameters<Builds["start"]>): Promise<BuildMessage>;
    logs(accountId: string, token: string, cursor: string | null): LogPageMessage;
  };
  readonly releases: Pick<Releases, "describe" | "cancel" | "health" | "findLive" | "sleep"> & {
    /** @throws Refusal as `builds.start` */
    start(...work: Parameters<Releases["start"]>): Promise<ReleaseMessage>;
    logs(accountId: string, token: string, cursor: string | null): LogPageMessage;
  };
  readonly executions: Pick<Executions, "describe" | "cancel"> & {
    /** @throws Refusal as `builds.start` */
    start(...work: Parameters<Executions["start"]>): Promise<ExecutionMessage>;
    logs(accountId: string, token: string, cursor: string | null): LogPageMessage;
  };
  readonly stores: Omit<Stores, "resume" | "stop">;
  removeService(accountId: string, serviceId: string): void;
  /** A sentence about how commands of repositories run. */
  describeCommands(): string;
  /** Whether Slipway has more than one organization, or other machines can reach it. */
  setShared(isShared: boolean): Promise<void>;
  /** Whether a service of that account listens on this port of this machine. */
  hasPort(accountId: string, port: number): boolean;
  /** What the customer would see in the account. */
  list(accountId: string): readonly PlatformServiceState[];
  stop(): Promise<void>;
};

type PlatformServiceState = {
  readonly serviceId: string;
  readonly builds: readonly (BuildMessage | null)[];
  readonly releases: readonly (ReleaseMessage | null)[];
};

/** Starts the releases again that were live before the sandbox stopped. */
export async function openPlatform(options: {
  dataDir: string;
  state: SandboxState;
  /** Where builds get their commits. */
  source: BuildSource;
  parameters: ManagedValues;
  secrets: ManagedValues;
  proxy: Proxy;
  tuning: PlatformTuning;
  now: () => number;
  /** The platform's folder, and how commands run. */
  commands: CommandOptions;
  log: SandboxLog;
}): Promise<SandboxPlatform> {
  const { state, source, parameters, secrets, proxy, tuning, now, log } = options;
  const root = path.join(options.dataDir, "platform");
  mkdirSync(root, { recursive: true, mode: 0o700 });
  const store = openPlatformStore(state);
  const folders = openFolders(root);
  const logs = openLogs(folders.logs, now);
  const commands = await openCommands({ ...options.commands, state, root, log });
  const background = createBackground(log);
  const listeners = createListeners({
    store,
    log,
    async serve(accountId, serviceId, request, response) {
      const target = releases.findLive(accountId, serviceId);
      if (target === null) return sendText(response, 503, "This service has no live release.");
      return serveRelease(target, "service", proxy, peerVisitorOf(request, "http"), request, response);
    },
  });
  const resolveVariables = createResolveVariables({ parameters, secrets });
  const onEnded = ({ accountId, input }: StoredBuild | StoredRelease | StoredExecution) =>
    prune(accountId, input.service.serviceId);
  const parts = { store, folders, logs, background, tuning, now, commands, resolveVariables, onEnded };
  const builds = createBuilds({ ...parts, source });
  const ports = createPorts();
  const stores = createStores({
    state,
    root: folders.stores,
    secrets,
    commands,
    background,
    ports,
    programs: options.commands.commandPath ?? "",
    log,
  });
  const releases = createReleases({
    ...parts,
    ports,
    listenFor: (accountId, serviceId) => listeners.listenFor(accountId, serviceId),
  });
  const executions = createExecutions(parts);
  const prune = createRetention({ store, builds, releases, executions });

  await folders.dropLeftovers((id) => store.builds.get(id)?.hasArtifact === true);
  for (const id of logs.list()) {
    const records = [store.builds, store.releases, store.executions];
    if (records.every((of) => of.get(id) === undefined)) logs.remove(id);
  }
  for (const { accountId, serviceId, liveReleaseId, port } of store.services.values()) {
    if (liveReleaseId !== null && port !== null) await listeners.listenFor(accountId, serviceId);
  }
  builds.resume();
  releases.resume();
  executions.resume();
  stores.resume();

  function readLog(id: string | undefined, cursor: string | null): LogPageMessage {
    if (id === undefined) throw new Refusal("gone", "NOT_FOUND", "There is no log for this token.");
    return logs.read(id, cursor);
  }

  /**
   * Refuses work that would fail because its values cannot be read now. Slipway repeats the call, and its deployment
   * says what it waits for.
   */
  async function requireValues(accountId: string, input: BuildInput | ReleaseInput): Promise<void> {
    try {
      await resolveVariables(accountId, input);
    } catch (error) {
      if (error instanceof Refusal) throw error;
    }
  }

  return {
    describeCommands: () => commands.describe(),
    async setShared(isShared) {
      commands.setShared(isShared);
      builds.endRefused();
      executions.endRefused();
      await releases.endRefused();
    },
    builds: {
      ...builds,
      async start(accountId, input, credentials) {
        const isNew = builds.find(accountId, input.token) === undefined;
        if (isNew && listBuildCommands(input.workload).length > 0) await requireValues(accountId, input);
        return builds.start(accountId, input, credentials);
      },
      logs: (accountId, token, cursor) => readLog(builds.find(accountId, token)?.id, cursor),
    },
    releases: {
      ...releases,
      async start(accountId, input) {
        const isNew = releases.find(accountId, input.token) === undefined;
        if (isNew && input.workload.type !== "static") await requireValues(accountId, input);
        return releases.start(accountId, input);
      },
      logs: (accountId, token, cursor) => readLog(releases.find(accountId, token)?.id, cursor),
    },
    executions: {
      ...executions,
      async start(accountId, input) {
        const release = releases.find(accountId, input.release);
        const isNew = executions.find(accountId, input.token) === undefined;
        if (isNew && release !== undefined) await requireValues(accountId, release.input);
        return executions.start(accountId, input);
      },
      logs: (accountId, token, cursor) => readLog(executions.find(accountId, token)?.id, cursor),
    },
    stores,
    removeService(accountId, serviceId) {
      store.services.delete(serviceKey(accountId, serviceId));
      for (const one of ofService(store.executions, accountId, serviceId)) executions.forget(one);
      for (const release of ofService(store.releases, accountId, serviceId)) releases.forget(release);
      for (const build of ofService(store.builds, accountId, serviceId)) builds.forget(build);
      background.run(listeners.close(accountId, serviceId), "A service's port could not be closed.");
    },
    hasPort: (accountId, port) =>
      [...store.services.values()].some((one) => one.accountId === accountId && one.port === port),
    list(accountId) {
      const own = [...store.builds.list(accountId), ...store.releases.list(accountId)];
      const serviceIds = new Set(own.map(({ input }) => input.service.serviceId));
      return [...serviceIds].sort().map((serviceId) => ({
        serviceId,
        builds: ofService(store.builds, accountId, serviceId).map(({ input }) =>
          builds.describe(accountId, input.token),
        ),
        releases: ofService(store.releases, accountId, serviceId).map(({ input }) =>
          releases.describe(accountId, input.token),
        ),
      }));
    },
    async stop() {
      builds.stop();
      executions.stop();
      await stores.stop();
      await releases.stop();
      await background.settle();
      await listeners.stop();
    },
  };
}
