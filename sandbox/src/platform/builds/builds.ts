/**
 * Builds: a commit is checked out into its own folder, and its commands run there: `installCommand`, then
 * `buildCommand`. The folder is the artifact. If the sandbox restarts during a build, the build starts again.
 *
 * | status    | reached when                                                              |
 * |-----------|---------------------------------------------------------------------------|
 * | RUNNING   | requested; it is queued, checks out, or runs its commands                 |
 * | SUCCEEDED | the commands exited with 0, and the output folder of a site exists        |
 * | FAILED    | any other end; see `failure`                                              |
 * | TIMED_OUT | the time limit passed (time in the queue does not count)                  |
 * | CANCELLED | cancelled by a request                                                    |
 */
import pLimit from "p-limit";
import type { BuildStatus, SourceCredentials } from "../../../../src/cloud/platform.ts";
import { BuildFailed } from "./build-failed.ts";
import type { BuildSource } from "./build-source.ts";
import { checkOutSource } from "./check-out-source.ts";
import { failureOf } from "./failure-of.ts";
import { findHints } from "./hints.ts";
import type { LogWriter } from "../logs.ts";
import type { BuildInput, BuildMessage } from "../../protocol.ts";
import type { Commands } from "../commands/commands.ts";
import { isFolderOfSite } from "../artifacts.ts";
import type { StoredBuild } from "../store.ts";
import type { WorkParts } from "../work-parts.ts";

export type Builds = {
  /** @param credentials of the source, kept in memory until the build ends. Also for a build that lost its own */
  start(accountId: string, input: BuildInput, credentials: SourceCredentials | null): BuildMessage;
  describe(accountId: string, token: string): BuildMessage | null;
  find(accountId: string, token: string): StoredBuild | undefined;
  cancel(accountId: string, token: string): void;
  /** Stops the build and removes it with its files and its log. */
  forget(build: StoredBuild): void;
  /** Removes the files of a successful build; its log stays. */
  dropArtifact(build: StoredBuild): void;
  /** Stops builds whose commands are no longer allowed. */
  endRefused(): void;
  /** Starts builds again that a restart interrupted; builds that had credentials wait for new ones. */
  resume(): void;
  /** Stops running builds; they start again with the next start of the sandbox. */
  stop(): void;
};

/** A build that is interrupted by two restarts may be what crashes the sandbox. */
const MAX_ATTEMPTS = 2;

export function createBuilds(
  options: WorkParts & { readonly source: BuildSource; readonly onEnded: (build: StoredBuild) => void },
): Builds {
  const { store, folders, logs, background, tuning, now, commands, onEnded } = options;
  const inTurn = pLimit(tuning.buildsAtOnce);
  const running = new Map<string, AbortController>();
  const credentials = new Map<string, SourceCredentials>();

  function end(id: string, status: BuildStatus, failure: StoredBuild["failure"]): void {
    const build = store.builds.get(id);
    if (build?.status !== "RUNNING") return;
    const hasArtifact = status === "SUCCEEDED";
    const ended = { ...build, status, failure, hasArtifact, endedAt: now() };
    store.builds.put(ended);
    onEnded(ended);
  }

  async function build(
    { id, accountId, input }: StoredBuild,
    log: LogWriter,
    signal: AbortSignal,
  ): Promise<void> {
    const { workload } = input;
    const lines = listBuildCommands(workload);
    const refusal = lines.length === 0 ? null : commands.refusal();
    if (refusal !== null) throw new BuildFailed(refusal.code, refusal.message);
    await checkOutSource({ ...options, id, input, credentials: credentials.get(id) ?? null, log }, signal);
    if (lines.length > 0) {
      const fixed = { CI: "true" };
      const variables = await options.resolveVariables(accountId, input);
      log.hide(variables.managed);
      await commands.open(accountId, folders.buildOf(id));
      const hints = {
        commands: lines.map(({ command }) => command),
        env: variables.env,
        node: process.version,
      };
      for (const hint of await findHints(folders.sourceOf(id), hints)) log.note(hint);
      const env = { ...fixed, ...variables.env };
      try {
        for (const line of lines) await runCommand(id, line, { accountId, env }, log, signal);
      } finally {
        await commands.close(folders.buildOf(id));
      }
    }
    if (
      workload.type === "static" &&
      !(await isFolderOfSite(folders.sourceOf(id), workload.outputDirectory))
    ) {
      throw new BuildFailed(
        "OUTPUT_DIRECTORY_MISSING",
        `After the build, the repository has no folder ${JSON.stringify(workload.outputDirectory)}.`,
      );
    }
    await folders.dropScratch(id, workload.type === "static");
  }

  async function runCommand(
    id: string,
    { command, code, name }: BuildLine,
    run: Pick<Parameters<Commands["start"]>[0], "accountId" | "env">,
    log: LogWriter,
    signal: AbortSignal,
  ): Promise<void> {
    signal.throwIfAborted();
    log.note(`Running: ${command}`);
    const group = commands.start({
      ...run,
      command,
      root: folders.buildOf(id),
      folder: folders.sourceOf(id),
      limits: null,
      onOutput: (_stream, chunk) => log.write("build", chunk),
    });
    const kill = () => void group.stop(0);
    signal.addEventListener("abort", kill, { once: true });
    const ending = await group.ended;
    signal.removeEventListener("abort", kill);
    log.flush();
    signal.throwIfAborted();
    if (ending.isSuccess) return;
    throw new BuildFailed(code, `${name} ${ending.text}; the log says why.`);
  }

  async function run(id: string): Promise<void> {
    const controller = new AbortController();
    running.set(id, controller);
    try {
      await inTurn(() => runNow(id, controller));
    } finally {
      running.delete(id);
      credentials.delete(id);
      if (store.builds.get(id)?.status !== "SUCCEEDED") await folders.dropBuild(id);
      if (store.builds.get(id) === undefined) logs.remove(id);
    }
  }

  async function runNow(id: string, controller: AbortController): Promise<void> {
    const { signal } = controller;
    const log = logs.open(id, "first", tuning.logMaxBytes);
    let timer: NodeJS.Timeout | undefined;
    try {
      const begun = store.builds.get(id);
      if (begun === undefined || begun.status !== "RUNNING" || signal.aborted) return;
      if (begun.attempts >= MAX_ATTEMPTS) {
        throw new BuildFailed("INTERRUPTED", "The server was restarted during the build, twice.");
      }
      if (begun.attempts > 0) log.note("The server was restarted during the build. The build starts again.");
      store.builds.put({ ...begun, attempts: begun.attempts + 1 });
      const limitSeconds = begun.input.timeLimitSeconds;
      timer = setTimeout(() => {
        log.note(`The time limit of ${limitSeconds} s has passed.`);
        const message = `The build took longer than its limit of ${limitSeconds} seconds.`;
        end(id, "TIMED_OUT", { code: "TIMED_OUT", message });
        controller.abort();
      }, limitSeconds * 1_000);
      await build(begun, log, signal);
      if (!signal.aborted) log.note("The build succeeded.");
      end(id, "SUCCEEDED", null);
    } catch (error) {
      // The store already says why it was aborted. When the sandbox stops, the build stays RUNNING.
      if (signal.aborted) return;
      const failure = failureOf(error);
      log.note(failure.message);
      end(id, "FAILED", failure);
      if (failure.code === "INTERNAL") throw error;
    } finally {
      clearTimeout(timer);
      log.close();
    }
  }
  const drop = (id: string) =>
    background.run(folders.dropBuild(id), "The files of a build could not be dropped.");
  const begin = (id: string, given: SourceCredentials | null = null) => {
    if (given !== null) credentials.set(id, given);
    background.run(run(id), "A build failed unexpectedly.");
  };
  /** Whether a restart took its credentials, so that it has to be started with new ones. */
  const isWaiting = ({ id, status, hasCredentials }: StoredBuild) =>
    status === "RUNNING" && hasCredentials === true && !running.has(id);
  const show = (build: StoredBuild): BuildMessage => ({
    ...view(build),
    ...(isWaiting(build) ? { needsCredentials: true } : {}),
  });

  const find = (accountId: string, token: string) => store.builds.byToken(accountId, token);

  return {
    start(accountId, input, given) {
      const known = find(accountId, input.token);
      if (known !== undefined) {
        if (given !== null && isWaiting(known)) begin(known.id, given);
        return show(known);
      }
      const started: StoredBuild = {
        id: store.newId("build"),
        accountId,
        input,
        status: "RUNNING",
        failure: null,
        startedAt: now(),
        endedAt: null,
        attempts: 0,
        hasArtifact: false,
        ...(given === null ? {} : { hasCredentials: true }),
      };
      store.builds.put(started);
      begin(started.id, given);
      return show(started);
    },
    describe(accountId, token) {
      const found = find(accountId, token);
      return found === undefined ? null : show(found);
    },
    find,
    cancel(accountId, token) {
      const found = find(accountId, token);
      if (found === undefined) return;
      end(found.id, "CANCELLED", { code: "CANCELLED", message: "The build was cancelled." });
      running.get(found.id)?.abort();
    },
    forget(build) {
      store.builds.delete(build);
      const controller = running.get(build.id);
      // If it is running, its own end removes its files.
      if (controller !== undefined) return controller.abort();
      logs.remove(build.id);
      drop(build.id);
    },
    dropArtifact(build) {
      store.builds.put({ ...build, hasArtifact: false });
      drop(build.id);
    },
    endRefused() {
      const refusal = commands.refusal();
      if (refusal === null) return;
      for (const [id, controller] of running) {
        const build = store.builds.get(id);
        if (build !== undefined && listBuildCommands(build.input.workload).length === 0) continue;
        end(id, "FAILED", refusal);
        controller.abort();
      }
    },
    resume() {
      for (const build of store.builds.values())
        if (build.status === "RUNNING" && !isWaiting(build)) begin(build.id);
    },
    stop() {
      for (const [id, controller] of running) {
        const build = store.builds.get(id);
        // A normal stop of the sandbox is not the build's fault.
        if (build?.status === "RUNNING") {
          store.builds.put({ ...build, attempts: Math.max(0, build.attempts - 1) });
        }
        controller.abort();
      }
    },
  };
}

type BuildLine = { readonly command: string; readonly code: string; readonly name: string };

/** The commands of a build, in their order. */
export function listBuildCommands({
  installCommand,
  buildCommand,
}: BuildInput["workload"]): readonly BuildLine[] {
  return [
    ...(installCommand === undefined
      ? []
      : [{ command: installCommand, code: "INSTALL_COMMAND_FAILED", name: "installCommand" }]),
    ...(buildCommand === null
      ? []
      : [{ command: buildCommand, code: "BUILD_COMMAND_FAILED", name: "The build command" }]),
  ];
}

function view({ id, status, failure, startedAt, endedAt }: StoredBuild): BuildMessage {
  return { id, status, artifact: status === "SUCCEEDED" ? id : null, failure, startedAt, endedAt };
}
