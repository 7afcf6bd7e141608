import { fork, type ChildProcess } from "node:child_process";
import { fileURLToPath } from "node:url";
import { RepositoryFault, type RepositoryFaultCode } from "../../git/objects.ts";
import type { CheckedOut, CheckoutOptions } from "./checkout.ts";

export type CheckoutAnswer =
  | { readonly kind: "done"; readonly done: CheckedOut }
  | { readonly kind: "refused"; readonly code: RepositoryFaultCode; readonly message: string }
  | { readonly kind: "failed"; readonly message: string };

/**
 * Checks out in separate processes: inflating a large repository takes processor time and memory, which
 * the edge in this process needs.
 */
export type CheckoutsApart = {
  /** @throws RepositoryFault; Error when the checkout fails or the signal aborts it */
  checkOut(options: CheckoutOptions, signal: AbortSignal): Promise<CheckedOut>;
  /** Ends the processes that are idle. */
  stop(): void;
};

const PROGRAM = fileURLToPath(new URL("checkout-process.ts", import.meta.url));
const ENDED_EARLY = "The checkout ended before it was done.";
/** Starting a process takes longer than a small checkout, so an idle process is kept for this long. */
const IDLE_MS = 10_000;

export function createCheckoutsApart(): CheckoutsApart {
  const idle = new Map<ChildProcess, NodeJS.Timeout>();

  function take(): ChildProcess {
    for (const [child, timer] of idle) {
      clearTimeout(timer);
      idle.delete(child);
      if (child.connected) return child;
    }
    const child = fork(PROGRAM, [], { env: {}, execArgv: [], stdio: ["ignore", "ignore", "ignore", "ipc"] });
    // A caller that waits for an answer has its own listener. Without a caller, an error does not matter.
    return child.on("error", () => undefined);
  }
  function putBack(child: ChildProcess): void {
    const timer = setTimeout(() => {
      idle.delete(child);
      child.kill("SIGKILL");
    }, IDLE_MS);
    idle.set(child, timer);
  }

  return {
    async checkOut(options, signal) {
      signal.throwIfAborted();
      const child = take();
      const kill = () => child.kill("SIGKILL");
      signal.addEventListener("abort", kill, { once: true });
      try {
        const answer = await ask(child, options);
        // The answer was sent just before its process was killed.
        if (signal.aborted) throw new Error(ENDED_EARLY);
        putBack(child);
        if (answer.kind === "done") return answer.done;
        if (answer.kind === "refused") throw new RepositoryFault(answer.code, answer.message);
        throw new Error(`The checkout failed: ${answer.message}`);
      } finally {
        signal.removeEventListener("abort", kill);
      }
    },
    stop() {
      for (const [child, timer] of idle) {
        clearTimeout(timer);
        child.kill("SIGKILL");
      }
      idle.clear();
    },
  };
}

function ask(child: ChildProcess, options: CheckoutOptions): Promise<CheckoutAnswer> {
  return new Promise((resolve, reject) => {
    const onExit = () => settle(() => reject(new Error(ENDED_EARLY)));
    const onError = (error: Error) => settle(() => reject(error));
    const onMessage = (message: unknown) => settle(() => resolve(message as CheckoutAnswer));
    function settle(done: () => void): void {
      child.off("exit", onExit).off("error", onError).off("message", onMessage);
      done();
    }
    child.on("exit", onExit).on("error", onError).on("message", onMessage);
    child.send(options, (error) => {
      if (error !== null) onError(error);
    });
  });
}
