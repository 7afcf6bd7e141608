/** What a run says at its end. */
import type { History } from "../crash/customers/clients.ts";
import type { Customer } from "../crash/customers/workload.ts";
import type { Mortal } from "../crash/deaths/mortal.ts";
import { seconds, spread, tellVerdict } from "../crash/verdict.ts";
import type { Fault } from "./cluster/faults.ts";

/** After a killed primary. */
const ANSWERED_LIMIT_MS = 30_000;
const RESUMED_LIMIT_MS = 45_000;

/** A fault, and how long what was away after it, in ms. */
export type Happened = {
  readonly fault: Fault;
  /** Until each API acknowledged writes again. */
  readonly answeredMs: Map<string, number>;
  /** Until a worker called the cloud after that. */
  resumedMs: number;
  /** Until all nodes replicated. */
  healthyMs: number;
  /** Whether the primary is another node. */
  isMoved: boolean;
  breaches: readonly string[];
};

/** Prints tables and verdict. @returns whether all promises held */
export function report(run: {
  readonly happened: readonly Happened[];
  /** Whether what took longer than the limits is a breach. */
  readonly judgesTimes: boolean;
  readonly history: History;
  readonly customers: readonly Customer[];
  readonly breaches: readonly string[];
  readonly rows: { readonly breaches: readonly string[]; readonly count: number; readonly unknown: number };
  readonly requests: {
    readonly breaches: readonly string[];
    readonly count: number;
    readonly answers: ReadonlyMap<string, number>;
  };
  readonly processes: readonly Mortal[];
}): boolean {
  const { happened, history, rows, requests, processes } = run;
  console.log(`\n${happened.length} faults, ${happened.filter(({ isMoved }) => isMoved).length} failovers:`);
  for (const name of new Set(happened.map(({ fault }) => fault.name))) {
    const own = happened.filter(({ fault }) => fault.name === name);
    console.log(
      `  ${name.padEnd(50)} answered ${spread(own.flatMap(({ answeredMs }) => [...answeredMs.values()]))}; work ${spread(own.map(({ resumedMs }) => resumedMs))}`,
    );
  }
  const killed = happened.filter(({ fault }) => fault.killsPrimary);
  for (const api of new Set(killed.flatMap(({ answeredMs }) => [...answeredMs.keys()])))
    console.log(
      `After a killed primary, ${api} answered: ${spread(killed.flatMap(({ answeredMs }) => answeredMs.get(api) ?? []))}`,
    );
  console.log(`After a killed primary, work continued: ${spread(killed.map(({ resumedMs }) => resumedMs))}`);
  const late = killed.flatMap(({ fault, answeredMs, resumedMs }) => [
    ...[...answeredMs].flatMap(([api, ms]) =>
      ms > ANSWERED_LIMIT_MS ? [`${api} answered ${seconds(ms)} after: ${fault.name}`] : [],
    ),
    ...(resumedMs > RESUMED_LIMIT_MS ? [`Work continued ${seconds(resumedMs)} after: ${fault.name}`] : []),
  ]);
  const answers = [...requests.answers].map(([what, count]) => `${count} ${what}`).join(", ");
  console.log(
    `${rows.count} rows acknowledged by PostgreSQL, ${rows.unknown} tried without effect; ${requests.count} writes by the APIs (${answers || "none refused"}); ` +
      `${run.customers.length} customers: ${history.acknowledgedWrites} writes, ${history.repeatedWrites} of them after a repetition, ${history.replayedWrites} replayed`,
  );
  const collapses = processes.flatMap((one) => one.collapses);
  const failures = [
    ...(run.judgesTimes ? late : []),
    ...collapses,
    ...history.breaches,
    ...rows.breaches,
    ...requests.breaches,
    ...run.breaches,
  ];
  return tellVerdict(failures, processes, "Nothing lost, nothing doubled, all work ended.");
}
