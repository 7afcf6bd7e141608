/** One of two workers is killed in the middle of a burst of groups: the other continues, and nothing is done twice. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { Client } from "pg";
import { clearFaults, setFault, stateOf } from "../helpers/customers/sandbox-account.ts";
import {
  createGroup,
  createProject,
  type Project,
  setDnsRecords,
  untilDomain,
} from "../helpers/customers/scenario.ts";
import { type Installation, startInstallation } from "../helpers/processes/installation.ts";
import type { ServiceProcess } from "../helpers/processes/service-process.ts";
import { createPostgresCopy } from "../helpers/template.ts";
import { until } from "../helpers/until.ts";

const adminUrl = process.env["SLIPWAY_TEST_POSTGRES"];
const GROUPS = 40;
/** Of the calls that two workers make at once for an account, so that both have work that hangs. */
const HANGING = 9;
/** 15 seconds are promised, and 12 usual. Twice that, because a busy machine also delays what follows the takeover. */
const TAKE_OVER_MS = 30_000;

describe(
  "a burst of two workers",
  { skip: adminUrl === undefined && "part of npm run test:postgres" },
  () => {
    let installation: Installation;
    let victim: ServiceProcess;
    let project: Project;
    let database: Client;

    before(async () => {
      assert.ok(adminUrl !== undefined);
      const copy = await createPostgresCopy(adminUrl);
      database = new Client({ connectionString: copy.url });
      await database.connect();
      // The copy is dropped while this is connected.
      database.on("error", () => undefined);
      installation = await startInstallation("burst", copy);
      const api = await installation.startRole("api");
      [victim] = await Promise.all([installation.startRole("worker"), installation.startRole("worker")]);
      installation.balancer.use([api.listensAt]);
      project = await createProject(installation.admin, "burst");
    });
    after(async () => {
      await database.end();
      await installation.stop();
    });

    it("continues with the other within 15 seconds when one is killed, and does nothing twice", async () => {
      const { admin } = installation;
      const account = () => stateOf(admin, project.awsAccountId);
      await setFault(admin, "certificates.request", "timeout", { count: HANGING });
      const groups = await Promise.all(
        Array.from({ length: GROUPS }, (_, index) =>
          createGroup(admin, project.services["web"], [`www.burst-${index}.example.com`]),
        ),
      );
      const domains: { id: string; name: string }[] = groups.map(({ createdDomains }) => createdDomains[0]);
      await until(async () => {
        const { calls } = await account();
        return calls["certificates.request"] >= HANGING;
      }, "both are in the middle of it");
      victim.process.kill("SIGKILL");
      assert.equal(await victim.ended, "SIGKILL");
      const killedAt = performance.now();
      const claimed = await findClaims("claimed");
      assert.ok(claimed.length > 0);
      await clearFaults(admin);
      await until(async () => {
        const still = await findClaims("claimed");
        return !claimed.some((claim) => still.includes(claim));
      }, "whatever was claimed has ended, or is claimed anew");
      const tookMs = performance.now() - killedAt;
      assert.ok(tookMs < TAKE_OVER_MS, `it took ${Math.round(tookMs)} ms`);

      for (const { id } of domains)
        await setDnsRecords(admin, await untilDomain(admin, id, "AWAITING_VERIFICATION_RECORDS_TO_BE_SET"));
      for (const { id } of domains) await untilDomain(admin, id, "ATTACHED");
      const { certificates, distributions } = await account();
      const names = certificates.flatMap((certificate: { names: readonly string[] }) => certificate.names);
      assert.deepEqual(names.toSorted(), domains.map(({ name }) => name).toSorted());
      assert.equal(distributions.length, GROUPS + 1, "one each, and the service's own");
    });

    /** The last claim of each entity in one of these states: its kind, its id and how many claims there were. */
    async function findClaims(...states: readonly string[]): Promise<readonly string[]> {
      const { rows } = await database.query<{ claim: string }>(
        "SELECT concat_ws(' ', kind, entity_id, claim) AS claim FROM reconciliations WHERE state = ANY($1)",
        [states],
      );
      return rows.map(({ claim }) => claim);
    }
  },
);
