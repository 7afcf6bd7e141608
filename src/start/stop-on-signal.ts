import type { Logger } from "../lib/log.ts";

/** Calls `stop` at the first SIGTERM or SIGINT, and ends the process after it; with exit code 1 if it fails. */
export function stopOnSignal(log: Logger, stop: () => Promise<void>): void {
  let isStopping = false;
  const onSignal = (signal: string): void => {
    if (isStopping) return;
    isStopping = true;
    log.info({ signal }, "Draining");
    stop().then(
      () => process.exit(0),
      (error: unknown) => {
        log.error({ err: error }, "The end was not clean");
        process.exit(1);
      },
    );
  };
  process.on("SIGTERM", () => onSignal("SIGTERM"));
  process.on("SIGINT", () => onSignal("SIGINT"));
}
