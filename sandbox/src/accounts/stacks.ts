/**
 * Stacks and the accounts they connect, as CloudFormation creates them from Slipway's template: a role
 * that trusts Slipway with the connection id as external id, and a report of account and role to
 * Slipway, which is repeated until Slipway accepts it.
 *
 * | status             | reached when                                       |
 * |--------------------|----------------------------------------------------|
 * | CREATE_IN_PROGRESS | created; the role works, the report is being sent  |
 * | CREATE_COMPLETE    | Slipway answered the report with a 2xx             |
 * | DELETED            | deleted: the role no longer works, resources stay  |
 */
import { randomInt } from "node:crypto";
import { setMaxListeners } from "node:events";
import { stackNameOf } from "../../../src/cloud/adapter-rules.ts";
import type { SandboxState } from "../state.ts";
import type { SandboxTuning } from "../tuning.ts";

export const STACK_REGION = "us-east-1";

export type StackStatus = "CREATE_IN_PROGRESS" | "CREATE_COMPLETE" | "DELETED";

export type Stack = {
  readonly serviceId: string;
  readonly accountId: string;
  readonly roleArn: string;
  readonly status: StackStatus;
  readonly createdAt: number;
  /** The Slipway organization of the connection; null when the stack's creator did not say. */
  readonly organizationId?: string | null;
};

export type Stacks = {
  /** Creates the stack; null when there is one already. The same connection keeps its account number. */
  create(serviceId: string, organizationId?: string | null): Stack | null;
  /** Assigns a stack without an organization to that organization. */
  claim(stack: Stack, organizationId: string): Stack;
  /** The stack of a role, in any organization. */
  ofRole(roleArn: string): Stack | undefined;
  /** False when there is no such stack. */
  delete(serviceId: string): boolean;
  get(serviceId: string): Stack | undefined;
  list(): readonly Stack[];
  /** The account of a role that may be assumed with this external id; null when it may not. */
  assume(roleArn: string, externalId: string | null): Stack | null;
  stop(): void;
};

/** The form of a connection id that can be in a URL and a role's trust policy (IAM allows more). */
export const SERVICE_ID = /^[A-Za-z0-9_-]{1,128}$/;

export type SandboxLog = {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
};

const REPORT_TIMEOUT_MS = 5_000;
const MAX_RETRY_MS = 30_000;

export function openStacks(options: {
  state: SandboxState;
  tuning: SandboxTuning;
  now: () => number;
  callbackUrl: (connectionId: string) => string;
  /** Why accounts must not be reported yet, as a sentence; null if they may. By default, they always may. */
  findObstacle?: () => Promise<string | null>;
  log: SandboxLog;
}): Stacks {
  const { state, tuning, now, callbackUrl, log } = options;
  const findObstacle = options.findObstacle ?? (() => Promise.resolve(null));
  const store = state.collection<Stack>("stacks");
  const serviceIdByRole = new Map([...store.values()].map((stack) => [stack.roleArn, stack.serviceId]));
  const accountIds = new Set([...store.values()].map((stack) => stack.accountId));
  const timers = new Map<string, NodeJS.Timeout>();
  const stopping = new AbortController();
  // Each report under way has a listener; hundreds at once are not a leak.
  setMaxListeners(0, stopping.signal);

  function scheduleReport(serviceId: string, attempt: number, delayMs: number): void {
    clearTimeout(timers.get(serviceId));
    timers.set(
      serviceId,
      setTimeout(() => void report(serviceId, attempt), delayMs),
    );
  }

  async function report(serviceId: string, attempt: number): Promise<void> {
    const stack = store.get(serviceId);
    if (stack?.status !== "CREATE_IN_PROGRESS" || stopping.signal.aborted) return;
    const problem =
      (await findObstacle()) ?? (await sendReport(callbackUrl(serviceId), stack, stopping.signal));
    if (stopping.signal.aborted) return;
    const present = store.get(serviceId);
    // The stack was deleted while this report was on its way, and perhaps created again with its own report.
    if (present?.status !== "CREATE_IN_PROGRESS" || present.createdAt !== stack.createdAt) return;
    if (problem === null) {
      store.put(serviceId, { ...present, status: "CREATE_COMPLETE" });
      timers.delete(serviceId);
      log.info({ serviceId, accountId: present.accountId }, "The account is reported to Slipway");
      return;
    }
    log.warn({ serviceId, attempt, problem }, "The account could not be reported to Slipway yet");
    scheduleReport(serviceId, attempt + 1, Math.min(MAX_RETRY_MS, tuning.callbackRetryMs * 2 ** attempt));
  }

  for (const stack of store.values()) {
    if (stack.status === "CREATE_IN_PROGRESS") scheduleReport(stack.serviceId, 0, 0);
  }

  function newAccountId(): string {
    for (;;) {
      const accountId = String(randomInt(1e11, 9e11)).padStart(12, "0");
      if (!accountIds.has(accountId)) return accountId;
    }
  }

  return {
    create(serviceId, organizationId = null) {
      const present = store.get(serviceId);
      if (present !== undefined && present.status !== "DELETED") return null;
      const accountId = present?.accountId ?? newAccountId();
      const stack: Stack = {
        serviceId,
        accountId,
        roleArn: `arn:aws:iam::${accountId}:role/${stackNameOf(serviceId)}`,
        status: "CREATE_IN_PROGRESS",
        createdAt: now(),
        organizationId: organizationId ?? present?.organizationId ?? null,
      };
      store.put(serviceId, stack);
      accountIds.add(accountId);
      serviceIdByRole.set(stack.roleArn, serviceId);
      scheduleReport(serviceId, 0, tuning.stackCreationMs);
      return stack;
    },

    claim(stack, organizationId) {
      if ((stack.organizationId ?? null) !== null) return stack;
      const claimed = { ...stack, organizationId };
      store.put(stack.serviceId, claimed);
      return claimed;
    },

    ofRole: (roleArn) => store.get(serviceIdByRole.get(roleArn) ?? ""),

    delete(serviceId) {
      const stack = store.get(serviceId);
      if (stack === undefined || stack.status === "DELETED") return false;
      store.put(serviceId, { ...stack, status: "DELETED" });
      clearTimeout(timers.get(serviceId));
      timers.delete(serviceId);
      return true;
    },

    get: (serviceId) => store.get(serviceId),
    list: () => [...store.values()],

    assume(roleArn, externalId) {
      const stack = store.get(serviceIdByRole.get(roleArn) ?? "");
      if (stack === undefined || stack.status === "DELETED") return null;
      const isTrusted =
        externalId === stack.serviceId ||
        tuning.carelessRoles === "any" ||
        (tuning.carelessRoles === "any-of-our-form" && externalId?.startsWith("aws_") === true);
      return isTrusted ? stack : null;
    },

    stop() {
      stopping.abort();
      for (const timer of timers.values()) clearTimeout(timer);
      timers.clear();
    },
  };
}

/** Null when the report was accepted, otherwise why not. */
async function sendReport(url: string, stack: Stack, stopping: AbortSignal): Promise<string | null> {
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ accountId: stack.accountId, roleArn: stack.roleArn }),
      redirect: "error",
      signal: AbortSignal.any([stopping, AbortSignal.timeout(REPORT_TIMEOUT_MS)]),
    });
    await response.body?.cancel();
    return response.ok ? null : `Slipway answered ${response.status}.`;
  } catch (error) {
    // Any error of fetch means that the report may not have arrived.
    return error instanceof Error ? `The request failed: ${error.message}` : "The request failed.";
  }
}
