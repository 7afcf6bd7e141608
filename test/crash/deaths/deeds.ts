/** Every way to die, in the order of the seed. */
import { setTimeout as sleep } from "node:timers/promises";
import { until } from "../../helpers/until.ts";
import { type Cell, type Executioner, OPERATIONS, type RequestPoint } from "./executioner.ts";
import type { Random } from "../random.ts";
import type { Rig } from "../rig.ts";

export type Deed = {
  readonly name: string;
  /** Of the executioner's own record; others are counted by who does them. */
  readonly isRecorded: boolean;
  /** @returns false when it did not come to it */
  readonly run: () => Promise<boolean>;
};

const REQUEST_POINTS: readonly RequestPoint[] = ["sent", "done", "sent freeze", "done freeze"];
/** Every process must work again within this time after PostgreSQL is back. */
const RECOVERY_MS = 60_000;

/** @param chooses by name; without end: it begins again when there are more deaths than ways to die */
export function* deeds(
  rig: Rig,
  executioner: Executioner,
  random: Random,
  chooses: (name: string) => boolean,
): Generator<Deed> {
  const isEmbedded = rig.cluster === null;
  const kill = (cell: Cell): Deed => ({
    name: `${cell.operation} ${cell.point}`,
    isRecorded: true,
    run: () => executioner.execute(cell, rig.workers, rig.cluster?.url ?? null),
  });
  const cells = OPERATIONS.flatMap((operation) => [
    kill({ operation, point: "before" }),
    kill({ operation, point: "after" }),
    kill({ operation, point: "commit" }),
  ]);
  const frozen = OPERATIONS.filter((operation) => !operation.endsWith(".describe")).map((operation) =>
    kill({ operation, point: "freeze" }),
  );
  const requests = REQUEST_POINTS.map((point): Deed => ({
    name: `request, commit ${point}`,
    isRecorded: true,
    run: () => dieAtCommit(rig, executioner, random, point),
  }));
  let turn = Promise.resolve(true);
  /** What all others stand on is not ended twice at the same time. */
  const inTurn = (name: string, work: () => Promise<boolean>): Deed => ({
    name,
    isRecorded: false,
    run: () => (turn = turn.then(work)),
  });
  const sandbox = inTurn("sandbox killed", () => restartSandbox(rig));
  const postgres = inTurn("postgres stopped immediately", () => restartPostgres(rig, executioner));
  for (;;) {
    const all = isEmbedded
      ? [...cells, sandbox]
      : // A frozen worker takes longer than a lease, so that only some of their kinds have a turn each time.
        [
          ...cells,
          ...random.shuffle(frozen.filter(({ name }) => chooses(name))).slice(0, 4),
          ...requests,
          sandbox,
          ...(rig.cluster?.server === null ? [] : [postgres]),
        ];
    const chosen = random.shuffle(all).filter(({ name }) => chooses(name));
    if (chosen.length === 0) throw new Error("No way to die has such a name.");
    yield* chosen;
  }
}

async function dieAtCommit(
  { apis }: Rig,
  executioner: Executioner,
  random: Random,
  point: RequestPoint,
): Promise<boolean> {
  const victim = apis[random.below(apis.length)];
  return victim !== undefined && (await executioner.executeAtCommit(victim, point));
}

async function restartSandbox({ sandbox }: Rig): Promise<boolean> {
  await sandbox.kill();
  await sleep(500);
  await sandbox.start();
  return true;
}

/** Every process must work again afterwards, not only the lucky ones. */
async function restartPostgres(
  { cluster, apis, workers }: Rig,
  { lastHeardMs, ledger, inPeace }: Executioner,
): Promise<boolean> {
  await inPeace([...apis, ...workers], async () => {
    cluster?.server?.stopImmediately();
    await sleep(1_000);
    cluster?.server?.start();
    ledger.forgetOpenWaits();
    const startedMs = performance.now();
    await until(
      () => workers.every(({ name }) => (lastHeardMs.get(name) ?? 0) > startedMs),
      "every worker continues after PostgreSQL is back",
      RECOVERY_MS,
    );
  });
  return true;
}
