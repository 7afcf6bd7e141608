/** What a run says at its end. */
import type { History } from "./customers/clients.ts";
import { STRAGGLER_MS } from "../../src/cloud/calls/stragglers.ts";
import { type Executioner, WORKER_OPERATIONS } from "./deaths/executioner.ts";
import type { Rig } from "./rig.ts";
import { spread, tellVerdict } from "./verdict.ts";
import type { Customer } from "./customers/workload.ts";

/** The design's limit: a dead worker's work continues elsewhere within this time. */
const RESUME_LIMIT_MS = 15_000;
/** After one of these nothing is put in its place before it cannot arrive any more: the next call may be that put. */
const VALUE_CALL = /^(parameters|secrets)\./;
/** After as many deaths, customers have made every call. */
const ALL_CALLED_DEATHS = 200;

export type Outcome = {
  readonly executioner: Executioner;
  readonly history: History;
  readonly customers: readonly Customer[];
  /** Deaths that the executioner knows nothing of, by name. */
  readonly others: ReadonlyMap<string, number>;
  readonly breaches: readonly string[];
  readonly rig: Rig;
};

/** Prints tables and verdict. @returns whether all promises held */
export function report(outcome: Outcome): boolean {
  const { executioner, history, customers, others, rig } = outcome;
  const isEmbedded = rig.cluster === null;
  const { deaths, missed, calls, ledger } = executioner;
  const counts = new Map<string, number>(others);
  for (const { kind } of deaths) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
  console.log(`\n${total} deaths of ${counts.size} kinds:`);
  for (const kind of [...counts.keys()].sort()) console.log(`  ${kind.padEnd(40)} ${counts.get(kind) ?? 0}`);
  const unseen = [...new Set(missed)].filter((kind) => !counts.has(kind));
  if (unseen.length > 0) console.log(`Nothing came by for: ${unseen.join(", ")}`);

  // The embedded database has no queue to look into; the next call for the account shows it.
  const waits = isEmbedded
    ? deaths.map(({ resumedMs, resumedBy, kind }) => ({
        afterMs: resumedMs,
        what: `${kind} (next ${resumedBy ?? "none"})`,
        mayTakeMs: RESUME_LIMIT_MS + (VALUE_CALL.test(kind) ? STRAGGLER_MS : 0),
      }))
    : ledger.waits.map(({ afterMs, process, entity, unheard }) => ({
        afterMs,
        what: `claim of ${entity} by ${process} (claimed by ${unheard} others that died before they noticed)`,
        // Each of them is a death with this claim.
        mayTakeMs: RESUME_LIMIT_MS * (1 + unheard),
      }));
  // A short run may end before each customer has made each of its calls.
  const uncalled = total < ALL_CALLED_DEATHS ? [] : WORKER_OPERATIONS.filter((name) => !calls.has(name));
  const resumed = waits.flatMap(({ afterMs }) => (afterMs === null ? [] : [afterMs]));
  console.log(`Work continued elsewhere after: ${spread(resumed)}`);
  const unheard = ledger.waits.filter(({ unheard }) => unheard > 0);
  if (unheard.length > 0)
    console.log(
      `  of which others were given it first and died before they heard of it: ${spread(unheard.flatMap(({ afterMs }) => afterMs ?? []))}`,
    );
  const processes = [...new Set([...rig.apis, ...rig.workers, rig.sandbox])];
  const starts = processes.flatMap(({ startsMs }) => startsMs);
  // About a second on a machine at rest. On a busy one, everything takes longer in proportion.
  const slownessMs = Math.max(0, ...starts);
  const collapses = processes.flatMap(({ collapses }) => collapses);
  console.log(`A process served, when it was started, after: ${spread(starts)}`);
  const late = waits.flatMap(({ afterMs, what, mayTakeMs }) => {
    if (afterMs === null) return isEmbedded ? [] : [`${what} was never given to another`];
    return afterMs > mayTakeMs + slownessMs ? [`${what} waited for ${(afterMs / 1_000).toFixed(1)} s`] : [];
  });

  const all = [...calls.values()].reduce((sum, count) => sum + count, 0);
  const groups = customers.reduce((sum, { groupCount }) => sum + groupCount(), 0);
  const deployments = customers.reduce((sum, { deploying }) => sum + (deploying?.deployments.size ?? 0), 0);
  const longest = Math.max(0, ...history.outagesMs) / 1_000;
  console.log(
    `${customers.length} customers: ${history.acknowledgedWrites} writes acknowledged, ${history.repeatedWrites} of them after a repetition, ` +
      `${history.replayedWrites} replayed; ${history.refusedWhileDown} times 503, longest without an answer ${longest.toFixed(1)} s; ` +
      `${groups} groups, ${deployments} deployments; ${all} calls to the cloud`,
  );
  const unmade = uncalled.map((name) => `No customer made the call ${name}`);
  const failures = [...late, ...collapses, ...unmade, ...history.breaches, ...outcome.breaches];
  return tellVerdict(failures, processes, "Nothing lost, nothing doubled, nothing left over.");
}
