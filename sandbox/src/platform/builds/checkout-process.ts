/** Started by `check-out-apart.ts`: does the checkout of a message. */
import { RepositoryFault } from "../../git/objects.ts";
import { checkOut, type CheckoutOptions } from "./checkout.ts";
import type { CheckoutAnswer } from "./check-out-apart.ts";

// The parent process has ended.
process.on("disconnect", () => process.exit(1));
process.on("message", (options: CheckoutOptions) => {
  const answer = (message: CheckoutAnswer) => process.send?.(message);
  checkOut(options).then(
    (done) => answer({ kind: "done", done }),
    (error: unknown) => {
      if (error instanceof RepositoryFault) {
        answer({ kind: "refused", code: error.code, message: error.message });
      } else {
        answer({ kind: "failed", message: error instanceof Error ? error.message : String(error) });
      }
    },
  );
});
