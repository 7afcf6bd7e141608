/** Every way to die, in the order of the seed. */
import { setTimeout as sleep } from "node:timers/promises";
import { until } from "../../helpers/until.ts";
import { type Cell, type Executioner, WORKER_OPERATIONS, type RequestPoint } from "./executioner.ts";
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
/** Every process must work again within this time after its database is back. */
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
  const cells = WORKER_OPERATIONS.flatMap((operation) => [
    kill({ operation, point: "before" }),
    kill({ operation, point: "after" }),
    kill({ operation, point: "commit" }),
  ]);
  const frozen = WORKER_OPERATIONS.filter((operation) => !operation.endsWith(".describe")).map((operation) =>
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
  const { server = null, pooler = null } = rig.cluster ?? {};
  const restart = (name: string, stop: () => unknown, start: () => void): Deed =>
    inTurn(name, () => restartDatabase(rig, executioner, stop, start));
  const restarts = [
    server &&
      restart(
        "postgres stopped immediately",
        () => server.stopImmediately(),
        () => server.start(),
      ),
    pooler &&
      restart(
        "pgbouncer killed",
        () => pooler.program.kill(),
        () => pooler.program.start(),
      ),
  ].filter((deed) => deed !== null);
  for (;;) {
    const all = isEmbedded
      ? [...cells, sandbox]
      : // A frozen worker takes longer than a lease, so that only some of their kinds have a turn each time.
        [
          ...cells,
          ...random.shuffle(frozen.filter(({ name }) => chooses(name))).slice(0, 4),
          ...requests,
          sandbox,
          ...restarts,
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

/** Of the server, or of what leads to it. Every process must work again afterwards, not only the lucky ones. */
async function restartDatabase(
  { apis, workers }: Rig,
  { lastHeardMs, ledger, inPeace }: Executioner,
  stop: () => unknown,
  start: () => void,
): Promise<boolean> {
  await inPeace([...apis, ...workers], async () => {
    await stop();
    await sleep(1_000);
    start();
    ledger.forgetOpenWaits();
    const startedMs = performance.now();
    await until(
      () => workers.every(({ name }) => (lastHeardMs.get(name) ?? 0) > startedMs),
      "every worker continues after its database is back",
      RECOVERY_MS,
    );
  });
  return true;
}
