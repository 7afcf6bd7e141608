/** A process that dies, or stands still, between the steps of previews and what it keeps of the list that they follow from. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { Client } from "pg";
import { createPostgresDatabase } from "../../src/db/drivers/postgres.ts";
import type { PullRequestRead } from "../../src/features/previews/preview.ts";
import { pullRequestReads } from "../../src/features/previews/store.ts";
import { type PreviewTeam, SITE, startPreviewTeam, templateOf } from "../helpers/customers/previews.ts";
import { connectAccount, integrateGit } from "../helpers/customers/scenario.ts";
import { type Instance, startInstance } from "../helpers/instance.ts";
import { until } from "../helpers/until.ts";

const adminUrl = process.env["SLIPWAY_TEST_POSTGRES"];
const PREVIEWS = [templateOf("preview", { previews: { access: "public" } }, [SITE])];

describe(
  "a list of pull requests whose reader dies",
  { skip: adminUrl === undefined && "part of npm run test:postgres" },
  () => {
    let instance: Instance;
    let team: PreviewTeam;
    let client: Client;
    before(async () => {
      instance = await startInstance();
      await connectAccount(instance.admin, "main");
      await integrateGit(instance.admin);
      team = await startPreviewTeam(instance, "shop", PREVIEWS);
      client = new Client({ connectionString: instance.databaseUrl ?? "" });
      await client.connect();
    });
    after(async () => {
      await client.end();
      await instance.dispose();
    });

    /** The tag of the newest list; null if the next one is read in full. */
    const tag = async (): Promise<string | null> =>
      (await client.query("SELECT tag FROM pull_request_reads")).rows[0]?.tag ?? null;
    const closed = { state: "closed" };

    it("ends the preview of a pull request that was opened and closed meanwhile", async () => {
      await team.putPullRequest(1, await branch("first"));
      await team.untilState("pr-1", "ACTIVE");
      await team.putPullRequest(1, "first", closed);
      await team.untilState("pr-1", "gone", "DELETING");
      await until(tag, "that none is open is kept");
      // As if each reader died after its steps: what it would keep is refused.
      await client.query(`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN RAISE EXCEPTION 'The reader died.'; END $$`);
      await client.query(`CREATE TRIGGER dying BEFORE INSERT OR UPDATE ON pull_request_reads
        FOR EACH ROW WHEN (NEW.tag IS NOT NULL) EXECUTE FUNCTION refuse()`);
      await team.putPullRequest(2, await branch("second"));
      await team.untilState("pr-2", "ACTIVE");
      await team.putPullRequest(2, "second", closed);
      await client.query("DROP TRIGGER dying ON pull_request_reads");
      await team.untilState("pr-2", "gone", "DELETING");
    });

    it("is not kept over a newer one", async () => {
      const db = createPostgresDatabase({
        connectionString: instance.databaseUrl ?? "",
        poolSize: 1,
        onError: () => undefined,
      });
      try {
        const { organization_id: organizationId } = (
          await client.query("SELECT organization_id FROM projects")
        ).rows[0];
        const keep = (read: PullRequestRead, before: PullRequestRead) =>
          db.transaction((tx) => pullRequestReads.put(tx, organizationId, team.projectId, read, before));
        const find = () => pullRequestReads.find(db, organizationId, team.projectId);
        const before = await until(
          async () => ((await tag()) === null ? null : await find()),
          "a list is kept",
        );
        const newer = { ...before, listedAt: new Date(Date.now() + 1) };
        assert.ok(await keep(newer, before));
        assert.ok(!(await keep({ ...before, tag: "old" }, before)));
        assert.deepEqual(await find(), newer);
      } finally {
        await db.close();
      }
    });

    async function branch(name: string): Promise<string> {
      await team.commit(name, name);
      return name;
    }
  },
);
