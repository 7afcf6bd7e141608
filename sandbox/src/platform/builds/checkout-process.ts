/** Started by `check-out-apart.ts`: does the checkout of a message, and fetches the commit before if it must. */
import { GitError } from "../../../../src/git/git.ts";
import { RepositoryFault } from "../../git/objects.ts";
import { checkOut } from "./checkout.ts";
import type { CheckoutAnswer, CheckoutTask } from "./check-out-apart.ts";
import { fetchCommit } from "./fetch-commit.ts";

async function run({ fetch, ...options }: CheckoutTask) {
  if (fetch !== null) await fetchCommit(fetch, options);
  return await checkOut(options);
}

// The parent process has ended. Git is in this process's group.
process.on("disconnect", () => process.kill(-process.pid, "SIGKILL"));
process.on("message", (task: CheckoutTask) => {
  const answer = (message: CheckoutAnswer) => process.send?.(message);
  run(task).then(
    (done) => answer({ kind: "done", done }),
    (error: unknown) => {
      if (error instanceof RepositoryFault) {
        answer({ kind: "refused", code: error.code, message: error.message });
      } else if (error instanceof GitError) {
        answer({ kind: "unavailable", code: error.code, message: error.message });
      } else {
        answer({ kind: "failed", message: error instanceof Error ? error.message : String(error) });
      }
    },
  );
});
