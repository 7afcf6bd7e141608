import { writeFileSync } from "node:fs";
import type { Logger } from "../lib/log.ts";

/** core(5): a bit for each kind of memory that a core dump holds. */
const NO_MEMORY = "0";

/**
 * Protects the memory of this process: it holds readable values on their way to a customer's cloud. From now on, a core
 * dump contains no memory, whatever the limits of the system are (they do not apply when the kernel pipes dumps to a
 * handler). And SIGUSR1 no longer opens Node's inspector: anyone who reaches its port could read and run everything.
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
