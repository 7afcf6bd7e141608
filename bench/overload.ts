/**
 * `npm run bench:overload [-- --times 5 --seconds 10 --rounds 3]`: what a process does with more requests than it
 * can answer. In each round its peak is measured by clients that wait for their answers, and then several times as
 * many requests come as that, whether those before are answered or not. Four reads to one write. At the end the time
 * is taken until it answers everything again.
 */
import { parseArgs } from "node:util";
import { createProject } from "../test/helpers/customers/scenario.ts";
import { measure, requestText } from "./load/load.ts";
import { press } from "./load/open-load.ts";
import { median } from "./load/median.ts";
import { KEY, startRig } from "./rig.ts";
import { seedDomains } from "./seed/seed.ts";

const DOMAINS = 10_000;
const PEAK_CONNECTIONS = 32;
/** More than may wait, so that it is the service that refuses and not the clients that hold back. */
const CONNECTIONS = 600;
const READY_EVERY_MS = 250;

const { values: options } = parseArgs({
  options: {
    times: { type: "string", default: "5" },
    seconds: { type: "string", default: "10" },
    rounds: { type: "string", default: "3" },
  },
});
const times = Number(options.times);
const durationMs = Number(options.seconds) * 1_000;

async function main(): Promise<void> {
  const rig = await startRig({ SLIPWAY_LOG: "error" });
  try {
    const { services } = await createProject(rig.client, "bench");
    const serviceId = services["web"] ?? "";
    const { domainIdOf } = await seedDomains(rig.cluster.url, serviceId, DOMAINS);
    const port = Number(new URL(rig.api.listensAt).port);
    const next = (): string => {
      if (Math.random() < 0.8) {
        return requestText("GET", `/v1/domains/${domainIdOf(Math.floor(Math.random() * DOMAINS))}`, KEY);
      }
      const name = `NAME_${Math.floor(Math.random() * 400)}`;
      const body = JSON.stringify({ plainText: { [name]: "a value" } });
      return requestText("POST", `/v1/services/${serviceId}/env-variables`, KEY, body);
    };
    const peakOf = (ms: number) => measure({ port, connections: PEAK_CONNECTIONS, durationMs: ms, next });
    await peakOf(durationMs / 2);

    const shares: number[] = [];
    const peaks: number[] = [];
    const p99s: number[] = [];
    for (let round = 1; round <= Number(options.rounds); round += 1) {
      const { perSecond: peak } = await peakOf(durationMs);
      const ready = watchReadiness(rig.api.listensAt);
      const found = await press({
        port,
        perSecond: peak * times,
        durationMs,
        connections: CONNECTIONS,
        next,
      });
      const { answers, slowestMs } = await ready.stop();
      peaks.push(peak);
      shares.push(found.goodPerSecond / peak);
      p99s.push(found.goodP99Ms);
      print(
        `round ${round}: peak ${peak.toFixed(0)}/s; of ${(peak * times).toFixed(0)}/s answered ` +
          `${found.goodPerSecond.toFixed(0)}/s, p50 ${found.goodP50Ms.toFixed(0)} ms, p99 ${found.goodP99Ms.toFixed(0)} ms; ` +
          `answers ${tell(found.answers)}; broken connections ${found.broken}; never sent ${found.neverSent}; ` +
          `/readyz ${tell(answers)}, slowest ${slowestMs.toFixed(0)} ms`,
      );
    }
    const recoveredMs = await untilRecovered(peakOf, median(peaks));
    print("");
    print(`| ${times} × the load that can be answered | | reach |`);
    print("|---|---|---|");
    print(`| answered, of the peak | ${(median(shares) * 100).toFixed(0)} % | ≥ 80 % |`);
    print(`| p99 of those answered | ${median(p99s).toFixed(0)} ms | ≤ 1000 ms |`);
    print(`| all answered again, at the rate of before | ${(recoveredMs / 1000).toFixed(1)} s | ≤ 30 s |`);
  } finally {
    await rig.dispose();
  }
}

/** Requests `/readyz` all the time, on a separate connection. */
function watchReadiness(url: string) {
  const answers = new Map<string, number>();
  let slowestMs = 0;
  const over = new AbortController();
  const watching = (async () => {
    while (!over.signal.aborted) {
      const startedAt = performance.now();
      const { status } = await fetch(`${url}/readyz`);
      slowestMs = Math.max(slowestMs, performance.now() - startedAt);
      answers.set(String(status), (answers.get(String(status)) ?? 0) + 1);
      await new Promise((resolve) => setTimeout(resolve, READY_EVERY_MS));
    }
  })();
  return {
    async stop() {
      over.abort();
      await watching;
      return { answers, slowestMs };
    },
  };
}

/** The time until a second in which nothing was refused and most of the peak was answered. */
async function untilRecovered(
  peakOf: (ms: number) => ReturnType<typeof measure>,
  peak: number,
): Promise<number> {
  const startedAt = performance.now();
  for (;;) {
    const before = performance.now();
    const { statuses, perSecond } = await peakOf(1_000);
    const isWell = [...statuses.keys()].every((status) => status < 300) && perSecond > 0.8 * peak;
    if (isWell) return before - startedAt;
    if (performance.now() - startedAt > 60_000) return Number.POSITIVE_INFINITY;
  }
}

function tell(counts: ReadonlyMap<string, number>): string {
  return [...counts].map(([what, count]) => `${count} × ${what}`).join(", ") || "none";
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

await main();
