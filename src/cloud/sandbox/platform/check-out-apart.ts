import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { CheckoutRefused, type CheckedOut, type CheckoutCode, type CheckoutOptions } from "./checkout.ts";

export type CheckoutAnswer =
  | { readonly kind: "done"; readonly done: CheckedOut }
  | { readonly kind: "refused"; readonly code: CheckoutCode; readonly message: string }
  | { readonly kind: "failed"; readonly message: string };

const PROGRAM = fileURLToPath(new URL("checkout-process.ts", import.meta.url));

/**
 * Checks out in a process apart: inflating a large repository takes processor time and memory that the
 * edge, which serves from this process, must not lack.
 * @throws CheckoutRefused; Error when it fails or the signal ends it
 */
export async function checkOutApart(options: CheckoutOptions, signal: AbortSignal): Promise<CheckedOut> {
  signal.throwIfAborted();
  const child = fork(PROGRAM, [], { env: {}, execArgv: [], stdio: ["ignore", "ignore", "ignore", "ipc"] });
  const kill = () => child.kill("SIGKILL");
  signal.addEventListener("abort", kill, { once: true });
  try {
    const answer = await new Promise<CheckoutAnswer>((resolve, reject) => {
      child.once("message", (message) => resolve(message as CheckoutAnswer));
      child.once("error", reject);
      child.once("exit", () => reject(new Error("The checkout ended before it was done.")));
      child.send(options, (error) => {
        if (error !== null) reject(error);
      });
    });
    if (answer.kind === "done") return answer.done;
    if (answer.kind === "refused") throw new CheckoutRefused(answer.code, answer.message);
    throw new Error(`The checkout failed: ${answer.message}`);
  } finally {
    signal.removeEventListener("abort", kill);
    kill();
  }
}
