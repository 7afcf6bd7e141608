/**
 * Kills a process at chosen moments: one cell of the matrix after another, in the order of the seed. A
 * cell is a call to the cloud and a point in time around it, and waits until some worker comes by.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { CloudCall, CloudWatcher } from "./cloud-proxy.ts";
import type { CommitWatcher } from "./database-proxy.ts";
import type { Mortal } from "./mortal.ts";
import type { Random } from "./random.ts";

export const OPERATIONS = [
  "identity.verify",
  "certificates.request",
  "certificates.describe",
  "certificates.delete",
  "distributions.create",
  "distributions.describe",
  "distributions.update",
  "distributions.delete",
  "parameters.put",
  "parameters.delete",
  "secrets.put",
  "secrets.delete",
] as const;

/**
 * `before` the cloud hears the call, `after` it has answered but before its caller hears it, `commit` when
 * the caller's next commit is done and unknown to it, `freeze` it is stopped with the call on its way, which
 * arrives long after others have taken its work over.
 */
export type Point = "before" | "after" | "commit" | "freeze";

export type Cell = { readonly operation: string; readonly point: Point };

export type Death = Cell & {
  readonly process: string;
  /** Until another call for the same account was made by a process that lives; null while none was. */
  resumedMs: number | null;
};

/** For how long a cell waits for its call before another one has its turn. */
const CELL_PATIENCE_MS = 15_000;
/** Longer than a worker may be silent before its jobs are given to others. */
const FREEZE_MS = 18_000;

export type Executioner = {
  readonly cloud: CloudWatcher;
  readonly commits: (processName: string) => CommitWatcher;
  readonly deaths: readonly Death[];
  readonly missed: readonly Cell[];
  /** How often each operation was called. */
  readonly calls: ReadonlyMap<string, number>;
  /** When each process was last heard of, by `performance.now()`. */
  readonly lastHeardMs: ReadonlyMap<string, number>;
  /** Kills by one cell; resolves when the process is up again. False when no call came by. */
  execute(cell: Cell, victims: readonly Mortal[]): Promise<boolean>;
  /** Has this process die at its next commit, before the database or before its client hears of it. */
  executeAtCommit(victim: Mortal, moment: "sent" | "done"): Promise<boolean>;
};

export function createExecutioner(random: Random): Executioner {
  const deaths: (Death & { diedAtMs: number; connectionId: string; pid: number })[] = [];
  const missed: Cell[] = [];
  const calls = new Map<string, number>();
  const lastHeardMs = new Map<string, number>();
  /** The only one armed at a time. */
  let armed: { cell: Cell; strike: (call: CloudCall) => void; release: Promise<void> | null } | null = null;
  let commitTrap: { process: string; moment: "sent" | "done"; left: number; strike: () => void } | null =
    null;

  function noteCall(call: CloudCall): void {
    calls.set(call.operation, (calls.get(call.operation) ?? 0) + 1);
    lastHeardMs.set(call.caller, performance.now());
    for (const death of deaths) {
      if (death.resumedMs !== null || death.connectionId !== call.connectionId) continue;
      death.resumedMs = performance.now() - death.diedAtMs;
    }
  }

  function takes(point: Point, { operation }: CloudCall): boolean {
    return armed !== null && armed.cell.point === point && armed.cell.operation === operation;
  }

  const cloud: CloudWatcher = {
    async onCall(call) {
      noteCall(call);
      if (takes("freeze", call)) {
        const held = armed?.release;
        armed?.strike(call);
        await held;
        return "pass";
      }
      if (!takes("before", call)) return "pass";
      armed?.strike(call);
      return "drop";
    },
    onAnswer(call) {
      if (takes("after", call)) {
        armed?.strike(call);
        return "drop";
      }
      if (takes("commit", call)) armed?.strike(call);
      return "pass";
    },
  };

  const commits = (processName: string): CommitWatcher => {
    return (moment) => {
      if (commitTrap?.process !== processName || commitTrap.moment !== moment) return "pass";
      commitTrap.left -= 1;
      if (commitTrap.left > 0) return "pass";
      commitTrap.strike();
      return "drop";
    };
  };

  /** Resolves with true when the process reached that commit. */
  function trapCommit(
    process: string,
    moment: "sent" | "done",
    left: number,
    waitMs: number,
  ): Promise<boolean> {
    return new Promise((resolve) => {
      const end = (isReached: boolean): void => {
        commitTrap = null;
        clearTimeout(timer);
        resolve(isReached);
      };
      const timer = setTimeout(() => end(false), waitMs);
      commitTrap = { process, moment, left, strike: () => end(true) };
    });
  }

  function record(cell: Cell, process: string, connectionId: string): (typeof deaths)[number] {
    const death = { ...cell, process, connectionId, diedAtMs: performance.now(), resumedMs: null, pid: 0 };
    deaths.push(death);
    return death;
  }

  return {
    cloud,
    commits,
    deaths,
    missed,
    calls,
    lastHeardMs,
    async execute(cell, victims) {
      const release = Promise.withResolvers<void>();
      const struck = await new Promise<CloudCall | null>((resolve) => {
        const timer = setTimeout(() => {
          armed = null;
          resolve(null);
        }, CELL_PATIENCE_MS);
        armed = {
          cell,
          release: release.promise,
          strike(call) {
            armed = null;
            clearTimeout(timer);
            resolve(call);
          },
        };
      });
      const victim = victims.find(({ name }) => name === struck?.caller);
      if (struck === null || victim === undefined) {
        release.resolve();
        missed.push(cell);
        return false;
      }
      if (cell.point === "freeze") {
        victim.signal("SIGSTOP");
        record(cell, victim.name, struck.connectionId);
        await sleep(FREEZE_MS);
        victim.signal("SIGCONT");
        release.resolve();
        return true;
      }
      if (cell.point === "commit") await trapCommit(victim.name, "done", 1 + random.below(3), 2_000);
      record(cell, victim.name, struck.connectionId);
      await victim.kill();
      await victim.start();
      return true;
    },
    async executeAtCommit(victim, moment) {
      const isReached = await trapCommit(victim.name, moment, 1 + random.below(2), CELL_PATIENCE_MS);
      const cell: Cell = {
        operation: `request, commit ${moment}`,
        point: moment === "sent" ? "before" : "after",
      };
      if (!isReached) {
        missed.push(cell);
        return false;
      }
      record(cell, victim.name, "").resumedMs = 0;
      await victim.kill();
      await victim.start();
      return true;
    },
  };
}
