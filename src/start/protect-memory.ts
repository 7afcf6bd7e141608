import { writeFileSync } from "node:fs";
import type { Logger } from "../lib/log.ts";

/** core(5): a bit for each kind of memory that a core dump holds. */
const NO_MEMORY = "0";

/**
 * Keeps what this process works on from being carried out of it: values on their way to a customer's cloud
 * are readable in its memory. A core dump holds none of it from now on, whatever the limits of the system
 * are (they say nothing to a handler that the kernel pipes dumps to). And SIGUSR1 no longer opens Node's
 * inspector, through which whoever reaches its port reads and runs everything.
 */
export function protectMemory(log: Logger): void {
  process.on("SIGUSR1", () => log.warn("SIGUSR1 is ignored: it would open Node's inspector"));
  if (process.platform !== "linux") return;
  try {
    writeFileSync("/proc/self/coredump_filter", NO_MEMORY);
  } catch (error) {
    log.warn({ err: error }, "Core dumps of this process would hold its memory; turn them off: ulimit -c 0");
  }
}
