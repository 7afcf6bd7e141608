import type { Logger } from "../lib/log.ts";

/** How long a start may take without a word, since the process began. */
const PATIENCE_MS = 2_000;
/** A step that lasts is reported again. */
const REPEATED_MS = 10_000;

/** Reports what a start is doing, once it takes longer than two seconds, and then at most every two seconds. */
export function reportSlowStart(log: Logger) {
  let now = "loading";
  let reported: { readonly text: string; readonly atMs: number } | null = null;
  const report = (): void => {
    const atMs = performance.now();
    if (reported?.text === now && atMs - reported.atMs < REPEATED_MS) return;
    reported = { text: now, atMs };
    log.info({ seconds: Math.round(atMs / 1_000) }, `Still starting: ${now}`);
  };
  let timer = setTimeout(
    () => {
      report();
      timer = setInterval(report, PATIENCE_MS);
    },
    Math.max(0, PATIENCE_MS - performance.now()),
  );
  return {
    /** What the start does from now on, as the end of a sentence. */
    step: (text: string) => {
      now = text;
    },
    end: () => clearTimeout(timer),
  };
}
