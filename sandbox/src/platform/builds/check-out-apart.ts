import { fork } from "node:child_process";
import { setPriority } from "node:os";
import { fileURLToPath } from "node:url";
import { GitError, type GitErrorCode } from "../../../../src/git/git.ts";
import { RepositoryFault, type RepositoryFaultCode } from "../../git/objects.ts";
import { BUILD_PRIORITY } from "../build-priority.ts";
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
 * Checks out in a separate process: inflating a large repository takes processor time and memory, which the edge in
 * this process needs.
 * @throws RepositoryFault; GitError; Error when the checkout fails or the signal aborts it
 */
export async function checkOutApart(task: CheckoutTask, signal: AbortSignal): Promise<CheckedOut> {
  signal.throwIfAborted();
  // Its own process group, to which git belongs too.
  const child = fork(PROGRAM, [], {
    env: {},
    execArgv: [],
    stdio: ["ignore", "ignore", "ignore", "ipc"],
    detached: true,
  });
  // Requests of the services that run here come first, also while it loads. Git inherits it.
  if (child.pid !== undefined) setPriority(child.pid, BUILD_PRIORITY);
  const kill = () => killGroup(child.pid);
  signal.addEventListener("abort", kill, { once: true });
  try {
    const answer = await new Promise<CheckoutAnswer>((resolve, reject) => {
      child.on("message", (message) => resolve(message as CheckoutAnswer));
      child.on("exit", () => reject(new Error("The checkout ended before it was done.")));
      child.on("error", reject);
      child.send(task, (error) => {
        if (error !== null) reject(error);
      });
    });
    // The answer was sent just before its process was killed.
    signal.throwIfAborted();
    if (answer.kind === "done") return answer.done;
    if (answer.kind === "refused") throw new RepositoryFault(answer.code, answer.message);
    if (answer.kind === "unavailable") throw new GitError(answer.code, answer.message);
    throw new Error(`The checkout failed: ${answer.message}`);
  } finally {
    signal.removeEventListener("abort", kill);
    kill();
  }
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
