/** Keeps the process of a release running: starts it, checks it, and restarts it with backoff when it ends. */
import { once } from "node:events";
import { get } from "node:http";
import { HEALTH_CHECK_DEFAULTS, type HealthCheckTimes } from "../../../../src/cloud/platform.ts";
import type { Commands } from "../commands/commands.ts";
import type { HealthMessage } from "../../protocol.ts";
import { pause } from "../../../../src/lib/pace/pause.ts";
import type { LogWriter } from "../logs.ts";
import type { Ports } from "./listeners.ts";
import type { ProcessGroup } from "../commands/process-group.ts";
import { Refusal } from "../../refusal.ts";
import type { PlatformTuning } from "../tuning.ts";
import { type ResolvedVariables, VariableNotFound } from "../variables.ts";

type HttpCheck = { readonly kind: "http"; readonly path: string } & HealthCheckTimes;

/** How a process proves that it is healthy: it answers a request, or stays up for a while. */
export type HealthCheck = HttpCheck | { readonly kind: "settle" };

export type StartFailure = { readonly code: string; readonly message: string };

export type Supervised = {
  /** Resolves once: to null when the process is up for the first time, or to the reason why it never was. */
  readonly started: Promise<StartFailure | null>;
  /** The port of the process once it is up; null if that takes too long. */
  whenUp(): Promise<number | null>;
  /** Whether it is up now, and if not, why it last ended. */
  health(): HealthMessage;
  /** Stops it until `wake`: SIGTERM, then SIGKILL after the grace period. Its folder stays. */
  sleep(graceMs: number): Promise<void>;
  wake(): void;
  /** Stops it for good: SIGTERM, then SIGKILL after the grace period. */
  stop(graceMs: number): Promise<void>;
};

/** A process that was up for this long is restarted quickly again. */
const SETTLED_MS = 60_000;
export const BEING_STARTED = "The process is being started.";

type Run = {
  readonly upForMs: number | null;
  /** Why it ended, as the end of a sentence. */
  readonly text: string;
  /** The last result of the health check if its time ran out; null otherwise. */
  readonly unhealthy: string | null;
};

export function supervise(options: {
  /** Called once, before the first start. The signal says that it was stopped. @returns why it does not start */
  readonly install: (signal: AbortSignal) => Promise<StartFailure | null>;
  readonly start: (run: Pick<Parameters<Commands["start"]>[0], "env" | "onOutput">) => ProcessGroup;
  /** @throws VariableNotFound, Refusal */
  readonly variables: () => Promise<ResolvedVariables>;
  readonly check: HealthCheck;
  /** True for a release that was never up: it fails if it does not come up. */
  readonly isFirst: boolean;
  /** It is not started before `wake`. */
  readonly isAsleep: boolean;
  readonly ports: Ports;
  readonly log: LogWriter;
  readonly tuning: PlatformTuning;
}): Supervised {
  const { check, log, ports, tuning } = options;
  const graceMs = graceOf(check, tuning);
  const started = Promise.withResolvers<StartFailure | null>();
  const stopping = new AbortController();
  let group: ProcessGroup | null = null;
  let up = Promise.withResolvers<number>();
  let isUpNow = false;
  let asleep = options.isAsleep ? Promise.withResolvers<void>() : null;
  /** From `sleep` until the process has ended, even if it is woken before. */
  let isHalted = false;
  let isWaking = false;
  let lastProblem = BEING_STARTED;

  function lower(): void {
    if (isUpNow) up = Promise.withResolvers();
    isUpNow = false;
  }

  async function untilAwake(): Promise<void> {
    if (asleep === null) {
      isHalted = false;
      return;
    }
    await asleep.promise;
    await untilAwake();
  }

  function wake(): void {
    asleep?.resolve();
    asleep = null;
  }

  /** Null once the process is healthy. A process that has just ended is not, whatever another program answers on its port. */
  async function findProblem(
    running: ProcessGroup,
    port: number,
    signal: AbortSignal,
  ): Promise<string | null> {
    const aborted = once(signal, "abort");
    // A busy machine takes long to start it: only the time in which it runs counts.
    await Promise.race([running.begun, aborted]);
    const problem = await waitUntilHealthy(check, port, tuning, signal);
    if (problem !== null || signal.aborted) return problem;
    if ((await Promise.race([running.isRunning(), aborted])) === true) return null;
    await aborted;
    return "it has ended";
  }

  async function runOnce(port: number, limitMs: number): Promise<Run> {
    const variables = await options.variables();
    if (isHalted) return { upForMs: null, text: "was not started", unhealthy: null };
    log.hide(variables.managed);
    const env = {
      ...variables.env,
      ...(check.kind === "http" ? { PORT: String(port) } : {}),
    };
    const running = options.start({
      env,
      onOutput: (stream, chunk) => log.write(stream, chunk),
    });
    group = running;
    const ended = new AbortController();
    const ending = running.ended.finally(() => ended.abort());
    const limit = new AbortController();
    const timer = setTimeout(() => limit.abort(), limitMs);
    const problem = await findProblem(running, port, AbortSignal.any([ended.signal, limit.signal]));
    clearTimeout(timer);
    const upAt = performance.now();
    const isUp = problem === null && !isHalted && !ended.signal.aborted && !stopping.signal.aborted;
    const unhealthy = limit.signal.aborted && !ended.signal.aborted ? problem : null;
    isUpNow = isUp;
    if (isUp) {
      isWaking = false;
      up.resolve(port);
      started.resolve(null);
    } else if (unhealthy !== null) {
      await running.stop(tuning.stopGraceMs);
    }
    const { text } = await ending;
    lower();
    group = null;
    log.flush();
    return { upForMs: isUp ? performance.now() - upAt : null, text, unhealthy };
  }

  /** Null if it ended because of `stop`. */
  async function keepUp(): Promise<StartFailure | null> {
    let isFirst = options.isFirst;
    let failures = 0;
    await untilAwake();
    if (stopping.signal.aborted) return null;
    const failure = await options.install(stopping.signal);
    if (failure !== null) return failure;
    const deadline = performance.now() + graceMs;
    for (;;) {
      await untilAwake();
      const port = check.kind === "http" ? await ports.pick() : 0;
      if (stopping.signal.aborted) return null;
      let run: Run;
      try {
        const limitMs = isFirst ? deadline - performance.now() : graceMs;
        run = await runOnce(port, limitMs);
      } catch (error) {
        if (!(error instanceof VariableNotFound || error instanceof Refusal)) throw error;
        if (isFirst && error instanceof VariableNotFound)
          return { code: "VARIABLE_NOT_FOUND", message: error.message };
        run = { upForMs: null, text: `cannot be started: ${error.message}`, unhealthy: null };
      } finally {
        ports.giveBack(port);
      }
      if (stopping.signal.aborted) return null;
      if (run.upForMs !== null) isFirst = false;
      if (isHalted) {
        failures = 0;
        continue;
      }
      failures = run.upForMs !== null && run.upForMs > SETTLED_MS ? 1 : failures + 1;
      if (isFirst && run.unhealthy !== null) return healthFailed(check, graceMs, run.unhealthy);
      if (isFirst && failures >= tuning.startAttempts) {
        const times = failures === 1 ? "once" : `${failures} times`;
        const message = `The process ${run.text} (${times}) before it was healthy; the log says why.`;
        return { code: "PROCESS_ENDED", message };
      }
      const pauseMs = Math.min(tuning.restartMaxMs, tuning.restartMs * 2 ** (failures - 1));
      const reason = run.unhealthy === null ? run.text : `was not healthy in time: ${run.unhealthy}`;
      lastProblem = `The process ${reason}. It is restarted.`;
      log.note(`The process ${reason}. It is restarted in ${pauseMs} ms.`);
      await pause(pauseMs, stopping.signal);
    }
  }

  const kept = keepUp().then(
    (failure) => started.resolve(failure),
    (error: unknown) => started.reject(error),
  );
  // If no caller waits for it any longer, a rejection is unhandled: it must not end the sandbox.
  started.promise.catch(() => undefined);

  return {
    started: started.promise,
    async whenUp() {
      const patienceMs = isWaking ? tuning.wakePatienceMs : tuning.requestPatienceMs;
      const patience = new AbortController();
      const port = await Promise.race([up.promise, pause(patienceMs, patience.signal)]);
      patience.abort();
      return port ?? null;
    },
    health() {
      const isAsleep = asleep !== null;
      return { isRunning: isUpNow, isAsleep, problem: isUpNow || isAsleep ? null : lastProblem };
    },
    async sleep(graceMs) {
      if (asleep !== null) return;
      asleep = Promise.withResolvers();
      isHalted = true;
      lower();
      lastProblem = BEING_STARTED;
      await group?.stop(graceMs);
    },
    wake() {
      isWaking ||= asleep !== null;
      wake();
    },
    async stop(graceMs) {
      stopping.abort();
      wake();
      await group?.stop(graceMs);
      await kept;
    },
  };
}

function graceOf(check: HealthCheck, { healthTimeoutMs }: PlatformTuning): number {
  const seconds = check.kind === "http" ? check.healthCheckGracePeriodSeconds : undefined;
  return seconds === undefined ? healthTimeoutMs : seconds * 1_000;
}

function healthFailed(check: HealthCheck, graceMs: number, problem: string): StartFailure {
  const what = check.kind === "http" ? `The health check at ${check.path}` : "The process";
  const limit = `${graceMs / 1000} s`;
  return { code: "HEALTH_CHECK_FAILED", message: `${what} did not succeed within ${limit}: ${problem}.` };
}

const MAX_INTERVAL_SECONDS = 1;

/** Sends requests until one gets a 2xx or 3xx. @returns null on success; the last result once the signal aborts */
export async function waitUntilHealthy(
  check: HealthCheck,
  port: number,
  tuning: PlatformTuning,
  signal: AbortSignal,
): Promise<string | null> {
  if (check.kind === "settle") {
    await pause(tuning.workerSettleMs, signal);
    return signal.aborted ? "it did not stay up" : null;
  }
  let problem = "it was not checked yet";
  let intervalMs = tuning.healthIntervalMs;
  const maxIntervalMs = (check.healthCheckIntervalSeconds ?? MAX_INTERVAL_SECONDS) * 1_000;
  while (!signal.aborted) {
    const answer = await ask(port, check, signal);
    if (answer === null) return null;
    if (!signal.aborted) problem = answer;
    await pause(intervalMs, signal);
    intervalMs = Math.min(maxIntervalMs, intervalMs * 1.5);
  }
  return problem;
}

function ask(
  port: number,
  { path, healthCheckTimeoutSeconds = HEALTH_CHECK_DEFAULTS.timeoutSeconds }: HttpCheck,
  signal: AbortSignal,
): Promise<string | null> {
  return new Promise((resolve) => {
    const request = get(
      new URL(`http://127.0.0.1:${port}${path}`),
      { agent: false, signal, timeout: healthCheckTimeoutSeconds * 1_000 },
      (response) => {
        const status = response.statusCode ?? 0;
        response.destroy();
        resolve(status >= 200 && status < 400 ? null : `it answered with status ${status}`);
      },
    );
    request.on("timeout", () => request.destroy());
    // The connection was refused, reset or silent: the process does not serve yet.
    request.on("error", () => resolve(`nothing answered on port ${port}, which the variable PORT names`));
  });
}
