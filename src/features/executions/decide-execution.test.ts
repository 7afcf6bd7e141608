import assert from "node:assert/strict";
import { test } from "node:test";
import type { ObservedExecution } from "../../cloud/platform.ts";
import { decideExecution } from "./decide-execution.ts";
import { ENDINGS } from "./endings.ts";
import type { Execution } from "./execution.ts";

const NOW = new Date("2026-11-27T12:00:00Z");
const ago = (seconds: number) => new Date(NOW.getTime() - seconds * 1_000);
const EXECUTION: Execution = {
  organizationId: "org",
  id: "exec",
  projectId: "proj",
  environmentId: "env",
  serviceId: "svc",
  jobId: null,
  trigger: "run",
  scheduledFor: null,
  attempt: 1,
  command: "true",
  cpu: 0.25,
  memoryGb: 0.5,
  timeLimitSeconds: 3_600,
  startedBy: null,
  deploymentId: null,
  status: "QUEUED",
  exitCode: null,
  error: null,
  isRepeated: null,
  cancelRequestedAt: null,
  startedAt: null,
  endedAt: null,
  createdAt: ago(1),
};
const STARTING = { ...EXECUTION, status: "STARTING", deploymentId: "depl" } as const;
const RUNNING = { ...STARTING, status: "RUNNING", startedAt: ago(1) } as const;
const OBSERVED: ObservedExecution = {
  token: "exec",
  status: "RUNNING",
  exitCode: null,
  failure: null,
  startedAt: ago(1),
  endedAt: null,
};
const cancelled = <T extends Execution>(execution: T): T => ({ ...execution, cancelRequestedAt: ago(0) });
const since = (seconds: number) => ({ ...RUNNING, createdAt: ago(seconds), startedAt: ago(seconds) });
const failure = { code: "COMMAND_FAILED", message: "It ended with exit code 7." };
const end = (status: string, error: unknown) => ({ kind: "end", outcome: { status, error } });

const CASES: readonly [string, Execution, Parameters<typeof decideExecution>[1], unknown][] = [
  ["a new one is started", EXECUTION, null, { kind: "start" }],
  ["a start whose answer was lost is repeated", STARTING, null, { kind: "start" }],
  ["what runs but is unknown is never started again", RUNNING, null, end("FAILED", ENDINGS.lost)],
  ["a queued one is cancelled at once", cancelled(EXECUTION), null, end("CANCELLED", ENDINGS.cancelled)],
  [
    "a start that has not arrived may still be on its way",
    cancelled(STARTING),
    null,
    { kind: "wait", runAfterMs: 500 },
  ],
  [
    "later it cannot arrive any more",
    { ...STARTING, cancelRequestedAt: ago(61) },
    null,
    end("CANCELLED", ENDINGS.cancelled),
  ],
  ["an execution that runs is stopped", cancelled(RUNNING), OBSERVED, { kind: "cancel", runAfterMs: 500 }],
  ["its start is recorded", STARTING, OBSERVED, { kind: "running", startedAt: OBSERVED.startedAt }],
  [
    "its end is recorded, also if a user cancels it",
    cancelled(RUNNING),
    { ...OBSERVED, status: "FAILED", exitCode: 7, failure, endedAt: NOW },
    {
      kind: "end",
      outcome: { status: "FAILED", exitCode: 7, error: failure, startedAt: OBSERVED.startedAt, endedAt: NOW },
    },
  ],
  ["a young one is read often", RUNNING, OBSERVED, { kind: "wait", runAfterMs: 500 }],
  ["an older one less often", since(60), OBSERVED, { kind: "wait", runAfterMs: 2_000 }],
  ["a long one every ten seconds", since(600), OBSERVED, { kind: "wait", runAfterMs: 10_000 }],
  [
    "the platform may take five minutes to stop it",
    since(3_800),
    OBSERVED,
    { kind: "wait", runAfterMs: 10_000 },
  ],
  ["then it is asked to", since(3_901), OBSERVED, { kind: "cancel", runAfterMs: 30_000 }],
  ["then it is given up", since(4_201), OBSERVED, end("TIMED_OUT", ENDINGS.timedOut)],
  [
    "an execution that waits for its turn is not overdue",
    { ...STARTING, createdAt: ago(80_000) },
    { ...OBSERVED, status: "STARTING", startedAt: null },
    { kind: "wait", runAfterMs: 10_000 },
  ],
  ["without an account it waits", EXECUTION, "no-account", { kind: "wait", runAfterMs: 60_000 }],
  [
    "for at most a day",
    { ...RUNNING, createdAt: ago(86_401) },
    "no-account",
    end("FAILED", ENDINGS.accountLost),
  ],
  ["but is cancelled at once", cancelled(EXECUTION), "no-account", end("CANCELLED", ENDINGS.cancelled)],
];

for (const [title, execution, observed, expected] of CASES)
  test(title, () => {
    assert.deepEqual(decideExecution(execution, observed, NOW), expected);
  });
