/** `npm run demo`: a temporary Slipway plays the whole story over real HTTP, DNS packets and TLS. */
import { createLines } from "./lines.ts";
import { playStory } from "./story.ts";
import { startThrowAwayInstance, type ThrowAwayInstance } from "./throw-away-instance.ts";

/** Far more time than the demo takes, because the machine may be busy with other work. */
const TIMEOUT_MS = 180_000;

async function demo(): Promise<void> {
  const lines = createLines(process.stdout);
  const stopped = new AbortController();
  const startedAt = performance.now();
  const timer = setTimeout(() => stopped.abort(new Error("The demo took too long.")), TIMEOUT_MS);
  for (const name of ["SIGINT", "SIGTERM"] as const) {
    process.once(name, () => stopped.abort(new Error(`The demo was stopped by ${name}.`)));
  }
  let instance: ThrowAwayInstance | null = null;
  lines.heading("Slipway: from nothing to releases under your own domain");
  try {
    await lines.step("Start a throw-away Slipway", async () => {
      instance = await startThrowAwayInstance(stopped.signal);
      return instance.url;
    });
    if (instance === null) throw new Error("There is no instance.");
    await playStory(lines, instance, stopped.signal);
  } catch (error) {
    const said = (instance as ThrowAwayInstance | null)?.output() ?? "";
    if (said !== "") process.stderr.write(`\n  Output of the instance:\n${said}\n`);
    throw error;
  } finally {
    clearTimeout(timer);
    await (instance as ThrowAwayInstance | null)?.dispose();
  }
  const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
  lines.heading(`Done in ${seconds} s. The instance is stopped and its data removed.`);
}

demo().catch((error: unknown) => {
  const text = error instanceof Error ? error.message : String(error);
  process.stderr.write(`\n  The demo failed. ${text}\n\n`);
  process.exitCode = 1;
});
