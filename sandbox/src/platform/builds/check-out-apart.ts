import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { setPriority } from "node:os";
import { fileURLToPath } from "node:url";
import { GitError, type GitErrorCode } from "../../../../src/git/git.ts";
import { RepositoryFault, type RepositoryFaultCode } from "../../git/objects.ts";
import { BUILD_PRIORITY, lowerSession } from "../build-priority.ts";
import type { CheckedOut, CheckoutOptions } from "./checkout.ts";
import type { FetchOptions } from "./fetch-commit.ts";

/** With `fetch`, the repository is made first, with only this commit. */
export type CheckoutTask = CheckoutOptions & { readonly fetch: FetchOptions | null };

export type CheckoutAnswer =
  | { readonly kind: "done"; readonly done: CheckedOut }
  | { readonly kind: "refused"; readonly code: RepositoryFaultCode; readonly message: string }
  | { readonly kind: "unavailable"; readonly code: GitErrorCode; readonly message: string }
  | { readonly kind: "failed"; readonly message: string };

const PROGRAM = fileURLToPath(new URL("checkout-process.ts", import.meta.url));

/**
 * A process that has ended its checkout waits this long for the next. Node blocks this process while it starts another,
 * and that takes longer than most checkouts.
 */
const IDLE_MS = 5_000;
/** With the timer that ends each. */
const idle = new Map<ChildProcess, NodeJS.Timeout>();

/**
 * Checks out in a separate process: inflating a large repository takes processor time and memory, which the edge in
 * this process needs.
 * @throws RepositoryFault; GitError; Error when the checkout fails or the signal aborts it
 */
export async function checkOutApart(task: CheckoutTask, signal: AbortSignal): Promise<CheckedOut> {
  signal.throwIfAborted();
  const child = takeIdle() ?? start();
  const kill = () => killGroup(child.pid);
  signal.addEventListener("abort", kill, { once: true });
  let isDone = false;
  try {
    const answer = await ask(child, task);
    // The answer was sent just before its process was killed.
    signal.throwIfAborted();
    if (answer.kind === "refused") throw new RepositoryFault(answer.code, answer.message);
    if (answer.kind === "unavailable") throw new GitError(answer.code, answer.message);
    if (answer.kind === "failed") throw new Error(`The checkout failed: ${answer.message}`);
    isDone = true;
    return answer.done;
  } finally {
    signal.removeEventListener("abort", kill);
    if (isDone) keepIdle(child);
    else kill();
  }
}

function start(): ChildProcess {
  // Its own session and process group, to which git belongs too.
  const child = fork(PROGRAM, [], {
    env: {},
    execArgv: [],
    stdio: ["ignore", "ignore", "ignore", "ipc"],
    detached: true,
  });
  // Requests of the services that run here come first, also while it loads. Git inherits it.
  if (child.pid !== undefined) {
    setPriority(child.pid, BUILD_PRIORITY);
    lowerSession(child.pid);
  }
  child.once("exit", () => {
    clearTimeout(idle.get(child));
    idle.delete(child);
  });
  return child;
}

async function ask(child: ChildProcess, task: CheckoutTask): Promise<CheckoutAnswer> {
  const listening = new AbortController();
  const { signal } = listening;
  try {
    return await Promise.race([
      once(child, "message", { signal }).then(([message]) => message as CheckoutAnswer),
      once(child, "exit", { signal }).then(() => {
        throw new Error("The checkout ended before it was done.");
      }),
      new Promise<never>((_resolve, reject) => {
        child.send(task, (error) => {
          if (error !== null) reject(error);
        });
      }),
    ]);
  } finally {
    listening.abort();
  }
}

function takeIdle(): ChildProcess | null {
  for (const [child, timer] of idle) {
    clearTimeout(timer);
    idle.delete(child);
    child.ref();
    child.channel?.ref();
    return child;
  }
  return null;
}

/** It does not keep this process running. */
function keepIdle(child: ChildProcess): void {
  child.unref();
  child.channel?.unref();
  const end = () => {
    idle.delete(child);
    killGroup(child.pid);
  };
  idle.set(child, setTimeout(end, IDLE_MS).unref());
}

function killGroup(leader: number | undefined): void {
  if (leader === undefined) return;
  try {
    process.kill(-leader, "SIGKILL");
  } catch (error) {
    // All of it has ended.
    if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
  }
}
