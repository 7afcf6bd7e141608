/**
 * How long the work of the dead waits. The rows of claims, as they pass on the way to each process, say what it
 * has; what it had not finished when it died has to be claimed by another in time.
 */
import { Client } from "pg";

/** An entity that a process had claimed when it died or stood still. */
export type Wait = {
  readonly process: string;
  /** Its kind and id. */
  readonly entity: string;
  /** The number of its claim. */
  readonly number: number;
  readonly sinceMs: number;
  /** Until another claimed it, in ms; null as long as none did. */
  afterMs: number | null;
  /** How many claimed it meanwhile, and died before they heard of it. */
  unheard: number;
};

export type WorkLedger = {
  readonly waits: readonly Wait[];
  /** @param number how many claims of the entity there were, with this one */
  readonly noteClaim: (process: string, entity: string, number: number) => void;
  /**
   * This process does nothing any more.
   * @param databaseUrl past the proxies; null where it is the only process, which had every claim
   */
  noteDeath(process: string, databaseUrl: string | null): Promise<void>;
  /** How often a process died with a claim of one of these: accounts, or what was claimed itself. */
  readonly countStrikes: (ids: readonly string[]) => number;
  /** Forgets waits that ended without another claim: the step's result was on its way when the process died. */
  forgetEnded(databaseUrl: string): Promise<void>;
  /** The database itself was away: the waits until now say nothing. @returns how many there were */
  readonly forgetOpenWaits: () => number;
};

export function createWorkLedger(): WorkLedger {
  const claims = new Map<string, { readonly process: string; readonly number: number }>();
  let waits: Wait[] = [];
  const strikes: { readonly at: readonly string[] | "all" }[] = [];
  return {
    get waits() {
      return waits;
    },
    noteClaim(process, entity, number) {
      const unheard = Math.max(0, number - (claims.get(entity)?.number ?? number) - 1);
      claims.set(entity, { process, number });
      for (const wait of waits) {
        if (wait.entity !== entity || wait.afterMs !== null) continue;
        wait.afterMs = performance.now() - wait.sinceMs;
        wait.unheard = unheard;
      }
    },
    async noteDeath(process, databaseUrl) {
      if (databaseUrl === null) return void strikes.push({ at: "all" });
      const sinceMs = performance.now();
      const held = [...claims].filter(([, claim]) => claim.process === process);
      const unfinished = await findClaims(
        databaseUrl,
        held.map(([entity, { number }]) => ({ entity, number })),
        ["claimed"],
      );
      waits.push(
        ...unfinished.map(({ entity, number }): Wait => ({
          process,
          entity,
          number,
          sinceMs,
          afterMs: null,
          unheard: 0,
        })),
      );
      strikes.push({ at: unfinished.flatMap(({ ids }) => ids) });
    },
    countStrikes: (ids) =>
      strikes.filter(({ at }) => at === "all" || ids.some((id) => at.includes(id))).length,
    async forgetEnded(databaseUrl) {
      const open = waits.filter(({ afterMs }) => afterMs === null);
      // One whose lease ended is ready, under the same number.
      const waiting = await findClaims(databaseUrl, open, ["claimed", "ready"]);
      waits = waits.filter(
        (wait) => wait.afterMs !== null || waiting.some(({ entity }) => entity === wait.entity),
      );
    },
    forgetOpenWaits() {
      const open = waits.filter(({ afterMs }) => afterMs === null).length;
      waits = waits.filter(({ afterMs }) => afterMs !== null);
      return open;
    },
  };
}

/** The queue's content and what is due, a line each, to find the cause of a delay. */
export async function describeQueue(databaseUrl: string): Promise<string> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rows } = await client.query<{ line: string }>(
      `SELECT concat_ws(' ', kind, entity_id, state, 'rank', rank, 'claim', claim, 'account', aws_account_id,
                        'due', due_at, 'attempts', attempts, 'pokes', pokes) AS line
         FROM reconciliations WHERE due_at < now() + interval '2 minutes'
        UNION ALL SELECT concat_ws(' ', 'now', now())`,
    );
    return rows.map(({ line }) => line).join("\n");
  } finally {
    await client.end();
  }
}

type Claimed = { readonly entity: string; readonly number: number; readonly ids: readonly string[] };

/** Those of some claims that are the last of their entity, which has one of these states. */
async function findClaims(
  databaseUrl: string,
  claims: readonly Pick<Claimed, "entity" | "number">[],
  states: readonly string[],
): Promise<Claimed[]> {
  if (claims.length === 0) return [];
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rows } = await client.query<Claimed>(
      `SELECT kind || ':' || entity_id AS entity, claim AS number,
              array_remove(ARRAY[entity_id, aws_account_id], NULL) AS ids
         FROM reconciliations
        WHERE state = ANY($2) AND kind || ':' || entity_id || ':' || claim = ANY($1)`,
      [claims.map(({ entity, number }) => `${entity}:${number}`), states],
    );
    return rows;
  } finally {
    await client.end();
  }
}
