/**
 * Kills processes at chosen moments. A cell of the matrix is a call to the cloud and a point in time around
 * it; it waits until a worker makes that call. Many cells may wait at once, and deaths overlap. The last of several
 * workers is spared, and so is a worker that is dying already.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { OPERATIONS } from "../../../sandbox/src/protocol.ts";
import type { CloudCall, CloudWatcher } from "./cloud-proxy.ts";
import type { DatabaseWatcher } from "./database-proxy.ts";
import type { Mortal } from "./mortal.ts";
import type { Random } from "../random.ts";
import { createWorkLedger, type WorkLedger } from "./work-ledger.ts";

/** What only an API calls, to answer a reader. */
const READS = ["distributions.traffic", "builds.logs", "releases.health", "releases.logs", "executions.logs"];

/** Every call of a worker. */
export const WORKER_OPERATIONS: readonly string[] = Object.keys(OPERATIONS).filter(
  (name) => !READS.includes(name),
);

/**
 * `before` the cloud hears the call, `after` it has answered but before its caller hears it, `commit` when
 * the caller's next commit is done and unknown to it, `freeze` it is stopped with the call on its way, which
 * arrives long after others have taken its work over.
 */
export type Point = "before" | "after" | "commit" | "freeze";

export type Cell = { readonly operation: string; readonly point: Point };

/** A commit of a request whose process dies, or freezes (`freeze`), before the database or its client sees it. */
export type RequestPoint = "sent" | "done" | "sent freeze" | "done freeze";

export type Death = {
  /** What the table of deaths calls it. */
  readonly kind: string;
  readonly process: string;
  /** The connection that its call was for; null if it did not die at a call. */
  readonly connectionId: string | null;
  readonly diedAtMs: number;
  /** Until another call for the same account was made, in ms; null while none was. */
  resumedMs: number | null;
  /** The operation of that call. */
  resumedBy: string | null;
};

/** For how long a cell waits for its call before another one has its turn. */
const CELL_PATIENCE_MS = 30_000;
/** Longer than a worker may be silent before its jobs are given to others. */
const FREEZE_MS = 18_000;
/** Longer than clients wait for an answer, and than PostgreSQL lets a transaction stand still. */
const API_FREEZE_MS = 15_000;
/** Before another way to die is tried, where the victim is dying already. */
const BUSY_MS = 200;
/** A commit that does not come is not waited for: the process dies without it. */
const COMMIT_PATIENCE_MS = 2_000;

type Verdict = "pass" | "drop";
type CloudTrap = {
  readonly cell: Cell;
  readonly victims: readonly Mortal[];
  /** @returns what settles when a frozen victim continues */
  readonly strike: (victim: Mortal, call: CloudCall) => Promise<void>;
};
type CommitTrap = {
  readonly moment: "sent" | "done";
  left: number;
  readonly strike: () => Verdict | Promise<Verdict>;
};

export type Executioner = {
  readonly cloud: CloudWatcher;
  readonly database: (processName: string) => DatabaseWatcher;
  readonly ledger: WorkLedger;
  readonly deaths: readonly Death[];
  readonly missed: readonly string[];
  /** How often each operation was called. */
  readonly calls: ReadonlyMap<string, number>;
  /** When each process last made a call or was given a job, by `performance.now()`. */
  readonly lastHeardMs: ReadonlyMap<string, number>;
  /** Kills by one cell; resolves when the process is up again. False when no call came by. */
  execute(cell: Cell, victims: readonly Mortal[], databaseUrl: string | null): Promise<boolean>;
  /** Has a process die or stand still at one of its next commits of a request. */
  executeAtCommit(victim: Mortal, point: RequestPoint): Promise<boolean>;
  /** Lets all live while something else is done to them, beginning when all are up. */
  readonly inPeace: <T>(processes: readonly Mortal[], work: () => Promise<T>) => Promise<T>;
};

export function createExecutioner(random: Random): Executioner {
  const deaths: Death[] = [];
  const missed: string[] = [];
  const calls = new Map<string, number>();
  const lastHeardMs = new Map<string, number>();
  const ledger = createWorkLedger();
  /** Processes that are dying, dead, frozen or starting. */
  const condemned = new Set<string>();
  const cloudTraps = new Set<CloudTrap>();
  const commitTraps = new Map<string, CommitTrap>();
  let isPeace = false;

  function noteCall(call: CloudCall): void {
    calls.set(call.operation, (calls.get(call.operation) ?? 0) + 1);
    lastHeardMs.set(call.caller, performance.now());
    for (const death of deaths) {
      if (death.resumedMs !== null || death.connectionId !== call.connectionId) continue;
      // What the dead sent arrives after its death too.
      if (death.process === call.caller && condemned.has(call.caller)) continue;
      death.resumedMs = performance.now() - death.diedAtMs;
      death.resumedBy = call.operation;
    }
  }

  /** Springs the trap that this call falls into. @returns what settles when a frozen victim continues */
  function spring(point: Point, call: CloudCall): Promise<void> | null {
    if (isPeace || condemned.has(call.caller)) return null;
    for (const trap of cloudTraps) {
      if (trap.cell.point !== point || trap.cell.operation !== call.operation) continue;
      const victim = trap.victims.find(({ name }) => name === call.caller);
      if (victim === undefined) continue;
      const isLast = trap.victims.every((other) => other === victim || condemned.has(other.name));
      // The last of several workers is spared. A single worker is not: otherwise no worker would die.
      if (isLast && trap.victims.length > 1) return null;
      cloudTraps.delete(trap);
      condemned.add(victim.name);
      return trap.strike(victim, call);
    }
    return null;
  }

  const cloud: CloudWatcher = {
    async onCall(call) {
      noteCall(call);
      const frozen = spring("freeze", call);
      if (frozen !== null) {
        await frozen;
        return "pass";
      }
      return spring("before", call) === null ? "pass" : "drop";
    },
    onAnswer(call) {
      if (spring("after", call) !== null) return "drop";
      void spring("commit", call);
      return "pass";
    },
  };

  const database = (processName: string): DatabaseWatcher => ({
    onCommit(moment) {
      const trap = commitTraps.get(processName);
      if (trap === undefined || trap.moment !== moment) return "pass";
      trap.left -= 1;
      if (trap.left > 0) return "pass";
      commitTraps.delete(processName);
      return trap.strike();
    },
    onClaim(entity, number) {
      lastHeardMs.set(processName, performance.now());
      ledger.noteClaim(processName, entity, number);
    },
  });

  /** Resolves with true when the process reached that commit. */
  function trapCommit(
    process: string,
    moment: "sent" | "done",
    options: { left: number; waitMs: number; verdict: () => Verdict | Promise<Verdict> },
  ): Promise<boolean> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        commitTraps.delete(process);
        resolve(false);
      }, options.waitMs);
      const strike = (): Verdict | Promise<Verdict> => {
        clearTimeout(timer);
        resolve(true);
        return options.verdict();
      };
      commitTraps.set(process, { moment, left: options.left, strike });
    });
  }

  function record(kind: string, process: string, connectionId: string | null): void {
    deaths.push({
      kind,
      process,
      connectionId,
      diedAtMs: performance.now(),
      resumedMs: null,
      resumedBy: null,
    });
  }

  /** Resolves with the victim and its call, or null when none came by in time. */
  function lieInWait(
    cell: Cell,
    victims: readonly Mortal[],
  ): Promise<{ victim: Mortal; call: CloudCall; release: () => void } | null> {
    return new Promise((resolve) => {
      const trap: CloudTrap = {
        cell,
        victims,
        strike(victim, call) {
          clearTimeout(timer);
          const { promise, resolve: release } = Promise.withResolvers<void>();
          resolve({ victim, call, release });
          return promise;
        },
      };
      const timer = setTimeout(() => {
        cloudTraps.delete(trap);
        resolve(null);
      }, CELL_PATIENCE_MS);
      cloudTraps.add(trap);
    });
  }

  return {
    cloud,
    database,
    ledger,
    deaths,
    missed,
    calls,
    lastHeardMs,
    async execute(cell, victims, databaseUrl) {
      const kind = `${cell.operation} ${cell.point}`;
      const struck = await lieInWait(cell, victims);
      if (struck === null) {
        missed.push(kind);
        return false;
      }
      const { victim, call, release } = struck;
      if (cell.point === "freeze") victim.signal("SIGSTOP");
      else {
        if (cell.point === "commit") {
          const left = 1 + random.below(3);
          await trapCommit(victim.name, "done", {
            left,
            waitMs: COMMIT_PATIENCE_MS,
            verdict: () => "drop",
          });
        }
        await victim.kill();
      }
      record(kind, victim.name, call.connectionId);
      await ledger.noteDeath(victim.name, databaseUrl);
      if (cell.point === "freeze") {
        await sleep(FREEZE_MS);
        victim.signal("SIGCONT");
        release();
      } else await victim.start();
      condemned.delete(victim.name);
      return true;
    },
    async executeAtCommit(victim, point) {
      const kind = `request, commit ${point}`;
      const [moment, isFreeze] = [
        point.startsWith("sent") ? "sent" : "done",
        point.endsWith("freeze"),
      ] as const;
      if (condemned.has(victim.name) || isPeace) {
        await sleep(BUSY_MS);
        return false;
      }
      condemned.add(victim.name);
      const { promise: held, resolve: release } = Promise.withResolvers<Verdict>();
      const isReached = await trapCommit(victim.name, moment, {
        left: 1 + random.below(2),
        waitMs: CELL_PATIENCE_MS,
        verdict: () => (isFreeze ? held : "drop"),
      });
      if (!isReached) missed.push(kind);
      else {
        record(kind, victim.name, null);
        if (isFreeze) {
          victim.signal("SIGSTOP");
          await sleep(API_FREEZE_MS);
          victim.signal("SIGCONT");
          release("pass");
        } else {
          await victim.kill();
          await victim.start();
        }
      }
      condemned.delete(victim.name);
      return isReached;
    },
    async inPeace(processes, work) {
      isPeace = true;
      try {
        while (processes.some(({ name }) => condemned.has(name))) await sleep(50);
        return await work();
      } finally {
        isPeace = false;
      }
    },
  };
}
