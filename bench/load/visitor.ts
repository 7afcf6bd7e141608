/** A process that asks an edge at a steady rate, however slow the answers are, and whatever its parent does. */
import { fork } from "node:child_process";
import { once } from "node:events";
import { Agent } from "node:https";
import { fileURLToPath } from "node:url";
import { getFromEdge } from "../../test/helpers/sandbox/edge-client.ts";

export type Target = {
  readonly edge: { readonly edgePort: number; readonly caCertificatePem: string };
  readonly host: string;
  readonly perSecond: number;
};

export type Visited = {
  readonly times: readonly number[];
  /** Requests without an answer, or with another than 200. */
  readonly failed: number;
};

const FILE = fileURLToPath(import.meta.url);

/** Asks until the work has ended. */
export async function visitDuring(target: Target, work: () => Promise<unknown>): Promise<Visited> {
  // In a session of its own: Linux shares the processors between sessions (`sched_autogroup`), and visitors are elsewhere.
  const child = fork(FILE, ["visit"], { detached: true });
  const visited: Promise<unknown[]> = once(child, "message");
  try {
    child.send(target);
    await work();
    child.send("stop");
    const [result] = await visited;
    return result as Visited;
  } finally {
    child.kill("SIGKILL");
  }
}

async function visit(): Promise<void> {
  process.once("disconnect", () => process.exit());
  const [{ edge, host, perSecond }] = (await once(process, "message")) as [Target];
  const agent = new Agent({ keepAlive: true });
  const times: number[] = [];
  let failed = 0;
  const running: Promise<void>[] = [];
  const timer = setInterval(() => {
    const startedAt = performance.now();
    running.push(
      getFromEdge(edge, host, { agent }).then(
        ({ status }) => {
          times.push(performance.now() - startedAt);
          if (status !== 200) failed += 1;
        },
        () => void (failed += 1),
      ),
    );
  }, 1_000 / perSecond);
  await once(process, "message");
  clearInterval(timer);
  await Promise.all(running);
  process.send?.({ times, failed } satisfies Visited);
}

if (process.argv[2] === "visit" && process.argv[1] === FILE) await visit();
