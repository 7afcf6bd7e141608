/**
 * `npm run bench:tracing [-- --rounds 8 --seconds 3]`: what tracing costs. Three API processes on one database, without a
 * collector, with one trace in a hundred, and with all of them, are loaded in turn. Prints the medians of their rates, and
 * of the processor time of a request, which what else the machine does changes least.
 */
import { parseArgs } from "node:util";
import type { ServiceProcess } from "../test/helpers/processes/service-process.ts";
import { startTraceReceiver } from "../test/helpers/processes/trace-receiver.ts";
import { prepareApis } from "./apis.ts";
import { measure, requestText } from "./load/load.ts";
import { median } from "./load/median.ts";
import { cpuMsOf } from "./process.ts";
import { KEY } from "./rig.ts";

const CONNECTIONS = 16;

const { values: options } = parseArgs({
  options: { rounds: { type: "string", default: "8" }, seconds: { type: "string", default: "3" } },
});

const collector = await startTraceReceiver();
const apis = await prepareApis({ shared_buffers: "512MB" });
try {
  const traced = (ratio: string): Record<string, string> => ({
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_TRACES_SAMPLER_ARG: ratio,
  });
  const sides = {
    off: await apis.start(),
    "1 %": await apis.start(traced("0.01")),
    all: await apis.start(traced("1")),
  };
  const variables = `/v1/services/${apis.serviceId}/env-variables`;
  const figures: Readonly<Record<string, () => string>> = {
    "GET /v1/me": () => requestText("GET", "/v1/me", KEY),
    "GET /v1/aws-accounts": () => requestText("GET", "/v1/aws-accounts?limit=20", KEY),
    "POST env-variables": () =>
      requestText(
        "POST",
        variables,
        KEY,
        JSON.stringify({ plainText: { [`NAME_${Math.floor(Math.random() * 400)}`]: `${Math.random()}` } }),
      ),
  };
  print("| figure | tracing | requests/s | CPU of a request | of `off` |");
  print("|---|---|---|---|---|");
  for (const [figure, next] of Object.entries(figures)) {
    const rates = { off: [] as number[], "1 %": [] as number[], all: [] as number[] };
    const cpuMs = { off: [] as number[], "1 %": [] as number[], all: [] as number[] };
    for (let round = 0; round <= Number(options.rounds); round += 1) {
      for (const [name, service] of Object.entries(sides) as [keyof typeof sides, ServiceProcess][]) {
        const pid = service.process.pid ?? 0;
        const before = cpuMsOf(pid);
        const port = Number(new URL(service.listensAt).port);
        const durationMs = Number(options.seconds) * 1_000;
        const found = await measure({ port, connections: CONNECTIONS, durationMs, next });
        const answered = [...found.statuses.values()].reduce((sum, count) => sum + count, 0);
        // The first round warms up.
        if (round === 0) continue;
        rates[name].push(found.perSecond);
        cpuMs[name].push((cpuMsOf(pid) - before) / answered);
      }
    }
    const off = median(cpuMs.off);
    for (const name of ["off", "1 %", "all"] as const)
      print(
        `| ${figure} | ${name} | ${median(rates[name]).toFixed(0)} | ${median(cpuMs[name]).toFixed(3)} ms | ${(median(cpuMs[name]) / off).toFixed(3)} |`,
      );
  }
  print(`\n${collector.spans().length} spans arrived.`);
} finally {
  await collector.stop();
  await apis.dispose();
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
