/**
 * `npm run bench:beside [-- --groups 10000 --rounds 5 --samples 10]`: the time from a POST of a group until its records
 * are shown. Measures it in turn without other work, and beside the groups (default 10,000) of another account of the
 * same organization, which are all ready to be reconciled. Prints both medians and their spread.
 */
import { parseArgs } from "node:util";
import { Client } from "pg";
import { createGroup, createProject, untilDomain, untilGone } from "../test/helpers/customers/scenario.ts";
import { until } from "../test/helpers/until.ts";
import { median, percentile } from "./load/median.ts";
import { cpuMsOf } from "./process.ts";
import { startRig } from "./rig.ts";
import { seedWaitingGroups } from "./seed/seed-waiting.ts";

/** The seeded ones, which end in their number. */
const CROWD = "entity_id LIKE 'group\\_000000%'";
const DRAIN_MS = 60_000;

const { values: options } = parseArgs({
  options: {
    groups: { type: "string", default: "10000" },
    rounds: { type: "string", default: "5" },
    samples: { type: "string", default: "10" },
  },
});
const groups = Number(options.groups);
const samples = Number(options.samples);

const rig = await startRig({ SLIPWAY_LOG: "error" });
const database = new Client({ connectionString: rig.cluster.url });
try {
  await database.connect();
  const { client } = rig;
  const crowd = await createProject(client, "crowd");
  const alone = await createProject(client, "alone");
  const template = await createGroup(client, crowd.services["web"], ["www.template.example.com"]);
  await untilDomain(client, template.createdDomains[0].id, "AWAITING_VERIFICATION_RECORDS_TO_BE_SET");
  await seedWaitingGroups(rig, database, template.id, groups);
  // The DNS sweep, which is not measured, has nearly nothing to do.
  await database.query("UPDATE dns_records SET look_at = NULL, since = now() - interval '30 days'");

  const times: Record<"alone" | "beside", number[]> = { alone: [], beside: [] };
  const cpu: Record<"alone" | "beside", number[]> = { alone: [], beside: [] };
  const pid = rig.worker.process.pid ?? 0;
  let number = 0;
  const takeSamples = async (how: "alone" | "beside"): Promise<void> => {
    const startedAt = performance.now();
    const before = cpuMsOf(pid);
    for (let left = samples; left > 0; left -= 1)
      times[how].push(await sample(`www.sample-${(number += 1)}.example.com`));
    cpu[how].push((100 * (cpuMsOf(pid) - before)) / (performance.now() - startedAt));
  };
  /** From the POST until the domain has its record. */
  const sample = async (name: string): Promise<number> => {
    const startedAt = performance.now();
    const group = await createGroup(client, alone.services["web"], [name]);
    const [{ id }] = group.createdDomains;
    await until(
      async () =>
        (await client.get(`/v1/domains/${id}`, { prefer: "wait=10" })).body.status ===
        "AWAITING_VERIFICATION_RECORDS_TO_BE_SET",
      `${name} shows its record`,
    );
    const tookMs = performance.now() - startedAt;
    await client.delete(`/v1/domain-certificate-groups/${group.id}`);
    await untilGone(client, `/v1/domain-certificate-groups/${group.id}`);
    return tookMs;
  };

  await putOff();
  await takeSamples("alone");
  times.alone.length = 0;
  cpu.alone.length = 0;
  for (let round = Number(options.rounds); round > 0; round -= 1) {
    await takeSamples("alone");
    await database.query(
      `UPDATE reconciliations SET state = 'ready', rank = 1, due_at = now() WHERE ${CROWD}`,
    );
    await takeSamples("beside");
    const { rows } = await database.query<{ left: number }>(
      `SELECT count(*)::int AS left FROM reconciliations WHERE state = 'ready' AND ${CROWD}`,
    );
    print(`round: ${rows[0]?.left} of the crowd were left`);
    await putOff();
  }
  print(
    `| one group beside ${groups.toLocaleString("en")} of another account | median | p90 | worker of a core |`,
  );
  print("|---|---|---|---|");
  for (const how of ["alone", "beside"] as const)
    print(
      `| ${how}, ${times[how].length} samples | ${median(times[how]).toFixed(0)} ms | ${at(times[how], 0.9)} ms | ${median(cpu[how]).toFixed(0)} % |`,
    );

  async function putOff(): Promise<void> {
    await until(
      async () => {
        await database.query(
          `UPDATE reconciliations SET state = 'waiting', due_at = now() + interval '1 day'
            WHERE state <> 'claimed' AND due_at < now() + interval '1 hour' AND ${CROWD}`,
        );
        const { rows } = await database.query(
          `SELECT FROM reconciliations WHERE due_at < now() + interval '1 hour' AND ${CROWD}`,
        );
        return rows.length === 0;
      },
      "the crowd is at rest",
      DRAIN_MS,
    );
  }
} finally {
  await database.end();
  await rig.dispose();
}

function at(values: readonly number[], share: number): string {
  return percentile(values, share).toFixed(0);
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
