import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import type { ProbeAnswer } from "./probe.ts";
import { cleanEnv } from "./service-process.ts";

const ROOT = path.join(import.meta.dirname, "../../..");

export type ProbedProcess = {
  readonly url: string;
  /** The memory that the process holds, without garbage if `collected`, and its work since the last question. */
  probe(garbage: "kept" | "collected"): Promise<ProbeAnswer>;
  /** Ends it as an operator would. */
  stop(): Promise<void>;
};

/**
 * The service in a process of its own, with a probe in it. The young generation of its heap is small, so that
 * uncollected garbage does not look like memory that is held.
 */
export async function startProbed(env: Readonly<Record<string, string>>): Promise<ProbedProcess> {
  const probe = path.join(import.meta.dirname, "probe.ts");
  const args = ["--expose-gc", "--max-semi-space-size=1", "--import", probe, path.join(ROOT, "src/main.ts")];
  const child: ChildProcess = spawn(process.execPath, args, {
    env: cleanEnv(env),
    stdio: ["ignore", "ignore", "pipe", "ipc"],
  });
  const kill = (): void => void child.kill("SIGKILL");
  process.once("exit", kill);
  const ended = once(child, "exit").then(() => process.removeListener("exit", kill));
  let text = "";
  const url = await new Promise<string>((resolve, reject) => {
    child.stderr?.setEncoding("utf8").on("data", (chunk: string) => {
      text += chunk;
      const found = /Slipway is at (https?:\S+)/.exec(text)?.[1];
      if (found !== undefined) resolve(found);
    });
    void ended.then(() => reject(new Error(`The service ended:\n${text}`)));
  });
  return {
    url,
    async probe(garbage) {
      const answered = once(child, "message");
      child.send(garbage);
      const [answer] = await Promise.race([answered, ended.then(() => [null])]);
      if (answer === null) throw new Error(`The service ended:\n${text}`);
      return answer as ProbeAnswer;
    },
    async stop() {
      child.kill("SIGTERM");
      await ended;
    },
  };
}
