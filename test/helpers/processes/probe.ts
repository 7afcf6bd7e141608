/**
 * Loaded into a service before it starts (`node --import`): says over IPC which routes it registers, how much memory
 * it holds, and for how long it was busy without a pause. The service knows nothing of it.
 */
import { subscribe } from "node:diagnostics_channel";
import type { FastifyInstance } from "fastify";

export type ProbedRoute = { readonly method: string; readonly url: string };
export type ProbeAnswer = {
  readonly routes: readonly ProbedRoute[];
  /** What lives, once garbage has been collected. */
  readonly heldBytes: number;
  /** Of the process, as the system counts it. */
  readonly rssBytes: number;
  /** The longest time on the processor between two looks, since the last question. */
  readonly busyMs: number;
  /** How long a fixed piece of work takes on the processor now, if garbage was collected first; otherwise 0. */
  readonly referenceMs: number;
};

/** Reading 0.6 MB of JSON: about 5 ms at rest. A slow or shared processor takes longer for this as for all work. */
const REFERENCE = JSON.stringify(Array.from({ length: 40_000 }, (_, index) => ({ [index]: index })));

function measureReference(): number {
  const before = process.threadCpuUsage();
  JSON.parse(REFERENCE);
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}

const LOOK_EVERY_MS = 5;

/** Of each server that the process creates; the sandbox has its own. */
const servers: ProbedRoute[][] = [];
subscribe("fastify.initialization", (message) => {
  const routes: ProbedRoute[] = [];
  servers.push(routes);
  const { fastify } = message as { fastify: FastifyInstance };
  fastify.addHook("onRoute", ({ method, url }) => {
    for (const one of [method].flat()) routes.push({ method: one, url });
  });
});
const isApi = (routes: readonly ProbedRoute[]): boolean => routes.some(({ url }) => url === "/healthz");

/**
 * Time on the processor, and not on the clock: between two timers that were due, one turn of the event loop may have
 * passed, or several short ones of together as long as the timer. A busy machine makes neither longer.
 */
let last = process.threadCpuUsage();
let busyMicros = 0;
const look = (): void => {
  const now = process.threadCpuUsage();
  busyMicros = Math.max(busyMicros, now.user + now.system - last.user - last.system);
  last = now;
};
setInterval(look, LOOK_EVERY_MS).unref();

process.on("message", (question) => {
  look();
  const busyMs = busyMicros / 1_000;
  if (question === "collected") globalThis.gc?.();
  const { heapUsed, external, rss } = process.memoryUsage();
  const routes = servers.find(isApi) ?? [];
  const referenceMs = question === "collected" ? measureReference() : 0;
  const answer: ProbeAnswer = {
    routes,
    heldBytes: heapUsed + external,
    rssBytes: rss,
    busyMs,
    referenceMs,
  };
  process.send?.(answer);
  busyMicros = 0;
  last = process.threadCpuUsage();
});
process.channel?.unref();
