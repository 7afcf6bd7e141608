/**
 * Releases: a new release is started beside the running one, and replaces it once it is healthy.
 *
 * | status     | reached when                                                                     |
 * |------------|----------------------------------------------------------------------------------|
 * | STARTING   | requested; `preDeployCommand` runs, then its process is started and checked      |
 * | LIVE       | healthy, or without a process (static, scheduler); one write makes it live and the previous release `SUPERSEDED`           |
 * | FAILED     | it did not become healthy, or was cancelled; the previous release stays live     |
 * | SUPERSEDED | a later release is live, or was requested while this one was still starting      |
 *
 * After the switch, the previous release is drained and stopped. A restart of the sandbox starts `LIVE` and
 * `STARTING` releases again. A `preDeployCommand` that it killed runs again; if the command had ended, it does not.
 */
import pLimit, { type LimitFunction } from "p-limit";
import { healthCheckTimesOf, type ReleaseStatus } from "../../../../src/cloud/platform.ts";
import type { StaticFiles } from "../../../../edge/src/site-file.ts";
import type { LogWriter } from "../logs.ts";
import type { HealthMessage, ReleaseInput, ReleaseMessage } from "../../protocol.ts";
import type { Commands } from "../commands/commands.ts";
import { createInFlight, type InFlight } from "../in-flight.ts";
import type { Ports } from "./listeners.ts";
import { installArtifact, isFolderOfSite, openStaticFiles } from "../artifacts.ts";
import { runPreDeploy } from "./pre-deploy.ts";
import { ofService, serviceKey, type StoredRelease } from "../store.ts";
import { BEING_STARTED, supervise, type StartFailure, type Supervised } from "./supervise.ts";
import { createSleep, type Sleep } from "./sleep.ts";
import type { WorkParts } from "../work-parts.ts";

/** Where requests for a service go. */
export type LiveTarget =
  | { readonly kind: "site"; readonly files: StaticFiles }
  | {
      readonly kind: "server";
      /**
       * Counts a request until the returned function is called, and wakes the service's environment. Call it in the tick
       * in which the target was found.
       */
      readonly enter: (by: "visitor" | "service") => () => void;
      /** The port of the process, once it is up; null if its start takes too long. */
      readonly whenUp: () => Promise<number | null>;
    };

export type Releases = {
  start(accountId: string, input: ReleaseInput): ReleaseMessage;
  describe(accountId: string, token: string): ReleaseMessage | null;
  find(accountId: string, token: string): StoredRelease | undefined;
  cancel(accountId: string, token: string): void;
  /** Null if there is no live release with the token. */
  health(accountId: string, token: string): HealthMessage | null;
  findLive(accountId: string, serviceId: string): LiveTarget | null;
  readonly sleep: Pick<Sleep, "read" | "fallAsleep">;
  /** Stops the release and removes it with its log. */
  forget(release: StoredRelease): void;
  /** Starts releases again that were live or starting. */
  resume(): void;
  /** Stops the processes that are no longer allowed. Their releases stay live, but do not answer. */
  endRefused(): Promise<void>;
  /** Stops all processes. Live releases are live again after `resume`. */
  stop(): Promise<void>;
};

/** A release with something to stop: a process, or an open log. */
type Running = {
  readonly log: LogWriter;
  readonly inFlight: InFlight;
  supervised: Supervised | null;
  begun: Promise<void>;
};

type CommandRun = Pick<Parameters<Commands["start"]>[0], "env" | "onOutput">;

export function createReleases(
  options: WorkParts & {
    readonly ports: Ports;
    /** Opens the service's own port; resolves when it listens. */
    readonly listenFor: (accountId: string, serviceId: string) => Promise<void>;
    readonly onEnded: (release: StoredRelease) => void;
  },
): Releases {
  const { store, folders, logs, background, ports, tuning, now, commands } = options;
  const running = new Map<string, Running>();
  /** Of the commands before releases, by service. */
  const turns = new Map<string, LimitFunction>();
  const stopping = new AbortController();
  const sleep = createSleep({
    store,
    now,
    background,
    stopGraceMs: tuning.stopGraceMs,
    entryOf: (id) => running.get(id),
  });

  const find = (accountId: string, token: string) => store.releases.byToken(accountId, token);
  function isStill(id: string, status: ReleaseStatus): boolean {
    return store.releases.get(id)?.status === status && !stopping.signal.aborted;
  }
  function liveIdOf(accountId: string, serviceId: string): string | null {
    return store.services.get(serviceKey(accountId, serviceId))?.liveReleaseId ?? null;
  }

  /**
   * Runs the command before a release, unless it was run. The command of an earlier release of the service, which may
   * still be ending, comes first.
   */
  async function runBefore(
    { id, accountId, input, status, hasRunPreDeploy }: StoredRelease,
    run: (command: string) => Promise<StartFailure | null>,
    signal: AbortSignal,
  ): Promise<StartFailure | null> {
    const { workload, service } = input;
    const command = hasProcess(workload) ? workload.preDeployCommand : undefined;
    if (command === undefined || status !== "STARTING" || hasRunPreDeploy === true) return null;
    const key = serviceKey(accountId, service.serviceId);
    const inTurn = turns.get(key) ?? pLimit(1);
    turns.set(key, inTurn);
    const failure = await inTurn(() => run(command));
    const present = store.releases.get(id);
    // A restart of the server does not repeat it.
    if (failure === null && !signal.aborted && present !== undefined)
      store.releases.put({ ...present, hasRunPreDeploy: true });
    return failure;
  }

  /** Starts the release's process. Resolves to null once it is up. */
  async function startProcess(release: StoredRelease, entry: Running): Promise<StartFailure | null> {
    const { id, accountId, input, status } = release;
    // It was cancelled, superseded or removed in the meantime.
    if (!isStill(id, status)) return null;
    const { workload } = input;
    if (!hasProcess(workload)) throw new Error(`A service of the type ${workload.type} has no process.`);
    const refusal = commands.refusal();
    if (refusal !== null) return refusal;
    if (workload.startCommand === null) return NO_COMMAND;
    const command = workload.startCommand;
    const root = folders.releaseOf(id);
    let folder = root;
    const start = (line: string, run: CommandRun) =>
      commands.start({ ...run, accountId, root, folder, command: line, limits: workload.size });
    const variables = () => options.resolveVariables(accountId, input);
    entry.supervised = supervise({
      async install(signal) {
        folder = await installArtifact(options, { accountId, artifact: input.artifact, root });
        const parts = { variables, log: entry.log, tuning };
        const failure = await runBefore(
          release,
          (before) => runPreDeploy({ ...parts, command: before, start: (run) => start(before, run) }, signal),
          signal,
        );
        if (failure === null) entry.log.note(`Starting: ${command}`);
        return failure;
      },
      start: (run) => start(command, run),
      variables,
      check:
        workload.type === "web"
          ? { kind: "http", path: workload.healthCheckPath, ...healthCheckTimesOf(workload) }
          : { kind: "settle" },
      isFirst: status === "STARTING",
      isAsleep: status === "LIVE" && sleep.isAsleep(release),
      ports,
      log: entry.log,
      tuning,
    });
    return entry.supervised.started;
  }

  async function bringUp(release: StoredRelease, entry: Running): Promise<StartFailure | null> {
    const { accountId, input } = release;
    const { service, workload, artifact } = input;
    const build = store.builds.get(artifact);
    const isOwn = build?.accountId === accountId && build.input.service.serviceId === service.serviceId;
    if (!isOwn || !build.hasArtifact) return NO_ARTIFACT;
    if (answersRequests(workload)) await options.listenFor(accountId, service.serviceId);
    if (hasProcess(workload)) return startProcess(release, entry);
    if (workload.type === "scheduler") return null;
    const isThere = await isFolderOfSite(folders.sourceOf(artifact), workload.outputDirectory);
    if (isThere) return null;
    const message = `The build has no folder ${JSON.stringify(workload.outputDirectory)}.`;
    return { code: "OUTPUT_DIRECTORY_MISSING", message };
  }

  /** Switches over with one write to the store: a request sees either the old or the new release. */
  function makeLive(release: StoredRelease): void {
    const { accountId, input } = release;
    const key = serviceKey(accountId, input.service.serviceId);
    const before = store.releases.get(liveIdOf(accountId, input.service.serviceId) ?? "");
    store.atomically(() => {
      const service = store.services.get(key);
      store.services.put(key, {
        accountId,
        serviceId: input.service.serviceId,
        port: service?.port ?? null,
        liveReleaseId: release.id,
      });
      store.releases.put({ ...release, status: "LIVE" });
      if (before !== undefined) store.releases.put({ ...before, status: "SUPERSEDED" });
    });
    sleep.use(release);
    running.get(release.id)?.log.note("The release is live.");
    if (before !== undefined) retire(before.id, true);
    options.onEnded(release);
  }

  function end(id: string, status: "FAILED" | "SUPERSEDED", failure: StartFailure): void {
    const release = store.releases.get(id);
    if (release?.status !== "STARTING") return;
    const ended = { ...release, status, failure };
    store.releases.put(ended);
    running.get(id)?.log.note(failure.message);
    retire(id, false);
    options.onEnded(ended);
  }

  async function begin(release: StoredRelease, entry: Running): Promise<void> {
    const { id, status } = release;
    try {
      const failure = await bringUp(release, entry);
      if (!isStill(id, status) || status === "LIVE") {
        if (failure !== null) entry.log.note(failure.message);
        return;
      }
      if (failure !== null) end(id, "FAILED", failure);
      else makeLive(release);
    } catch (error) {
      end(id, "FAILED", { code: "INTERNAL", message: "The server itself failed to start it; see its log." });
      throw error;
    }
  }

  function run(release: StoredRelease): void {
    const log = logs.open(release.id, "last", tuning.logMaxBytes);
    const entry: Running = {
      log,
      inFlight: createInFlight(),
      supervised: null,
      begun: Promise.resolve(),
    };
    running.set(release.id, entry);
    entry.begun = begin(release, entry);
    background.run(entry.begun, "A release failed unexpectedly.");
  }

  async function putAway(id: string, isDrained: boolean): Promise<void> {
    const entry = running.get(id);
    if (entry !== undefined) {
      if (isDrained) await entry.inFlight.drain(tuning.drainMs, stopping.signal);
      await entry.supervised?.stop(tuning.stopGraceMs);
      // Wait for a start that is under way; after that, nothing more is started.
      await entry.begun.catch(() => undefined);
      running.delete(id);
      entry.log.note("The release has ended.");
      entry.log.close();
    }
    await folders.dropRelease(id);
    if (store.releases.get(id) === undefined) logs.remove(id);
  }
  function retire(id: string, isDrained: boolean): void {
    background.run(putAway(id, isDrained), "A release could not be put away.");
  }

  function view({ accountId, input, status, failure }: StoredRelease): ReleaseMessage {
    const { port = null } = store.services.get(serviceKey(accountId, input.service.serviceId)) ?? {};
    const hasUrl = status === "LIVE" && port !== null && answersRequests(input.workload);
    return { token: input.token, status, failure, url: hasUrl ? `http://127.0.0.1:${port}` : null };
  }

  return {
    start(accountId, input) {
      const known = find(accountId, input.token);
      if (known !== undefined) return view(known);
      const release: StoredRelease = {
        id: store.newId("release"),
        accountId,
        input,
        status: "STARTING",
        failure: null,
        startedAt: now(),
      };
      const before = ofService(store.releases, accountId, input.service.serviceId);
      store.releases.put(release);
      // The new release may need other services of the environment.
      sleep.wake(release);
      for (const { id } of before) end(id, "SUPERSEDED", SUPERSEDED);
      run(release);
      return view(release);
    },
    describe(accountId, token) {
      const found = find(accountId, token);
      return found === undefined ? null : view(found);
    },
    find,
    cancel(accountId, token) {
      const found = find(accountId, token);
      if (found !== undefined) end(found.id, "FAILED", CANCELLED);
    },
    health(accountId, token) {
      const found = find(accountId, token);
      if (found?.status !== "LIVE") return null;
      if (!hasProcess(found.input.workload)) return { isRunning: true, isAsleep: false, problem: null };
      const refusal = commands.refusal();
      if (refusal !== null) return { isRunning: false, isAsleep: false, problem: refusal.message };
      const isAsleep = sleep.isAsleep(found);
      const unknown = { isRunning: false, isAsleep, problem: isAsleep ? null : BEING_STARTED };
      return running.get(found.id)?.supervised?.health() ?? unknown;
    },
    sleep,
    findLive(accountId, serviceId) {
      const release = store.releases.get(liveIdOf(accountId, serviceId) ?? "");
      if (release === undefined) return null;
      const { id, input } = release;
      if (!answersRequests(input.workload)) return null;
      if (input.workload.type === "static") {
        const { artifact, workload } = input;
        const files = openStaticFiles(artifact, folders.sourceOf(artifact), workload);
        return { kind: "site", files };
      }
      const entry = running.get(id);
      const enter = (by: "visitor" | "service") => {
        const leave = by === "visitor" ? sleep.enter(release) : sleep.wake(release);
        const left = entry?.inFlight.enter();
        return () => {
          leave?.();
          left?.();
        };
      };
      const whenUp = async () => (await entry?.supervised?.whenUp()) ?? null;
      return { kind: "server", enter, whenUp };
    },
    forget(release) {
      store.releases.delete(release);
      sleep.forget(release);
      retire(release.id, false);
    },
    resume() {
      for (const release of store.releases.values()) {
        const isLive = release.status === "LIVE" && hasProcess(release.input.workload);
        if (isLive || release.status === "STARTING") run(release);
      }
    },
    async endRefused() {
      const refusal = commands.refusal();
      if (refusal === null) return;
      await Promise.all(
        [...running.values()].map(async ({ supervised, log }) => {
          if (supervised === null) return;
          log.note(refusal.message);
          await supervised.stop(tuning.stopGraceMs);
        }),
      );
    },
    async stop() {
      stopping.abort();
      await Promise.all(
        [...running.values()].map(async ({ supervised }) => supervised?.stop(tuning.stopGraceMs)),
      );
      await background.settle();
      for (const { log } of running.values()) log.close();
      running.clear();
    },
  };
}

type Workload = ReleaseInput["workload"];

function hasProcess(workload: Workload): workload is Extract<Workload, { type: "web" | "worker" }> {
  return workload.type === "web" || workload.type === "worker";
}

function answersRequests(workload: Workload): workload is Extract<Workload, { type: "web" | "static" }> {
  return workload.type === "web" || workload.type === "static";
}

const NO_COMMAND: StartFailure = {
  code: "START_COMMAND_MISSING",
  message: "The service has no start command, and the server has no other way to start it.",
};
const NO_ARTIFACT: StartFailure = {
  code: "ARTIFACT_NOT_FOUND",
  message: "This build of the service no longer exists. The server keeps only the most recent builds.",
};
const SUPERSEDED: StartFailure = {
  code: "SUPERSEDED",
  message: "A later release of the service was requested before this one was live.",
};
const CANCELLED: StartFailure = { code: "CANCELLED", message: "The release was cancelled." };
