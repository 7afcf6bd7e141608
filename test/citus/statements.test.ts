/**
 * Every named statement, planned and executed on a distributed database: as often as it takes until PostgreSQL makes a
 * generic plan. Part of `npm run test:citus`.
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { Client, DatabaseError } from "pg";
import type { TestDatabase } from "../helpers/template.ts";
import { loadStatements } from "../helpers/statements.ts";
import { createPostgresCopy } from "../helpers/template.ts";
import { isOverAllNodes } from "../guards/over-all-nodes.ts";
import { blocksOf, tablesOf } from "../guards/sql-blocks.ts";

const loaded = await loadStatements();

const adminUrl = process.env["SLIPWAY_TEST_CITUS_URL"];
const EXECUTIONS = 7;
/** Violations of a constraint by the values here, after all was planned: any class 22 or 23. */
const IS_OF_VALUES = /^2[23]/;

const NOW = new Date().toISOString();
/** By the type of a parameter. */
const VALUES: Readonly<Record<string, string>> = {
  boolean: "true",
  bytea: "\\x78",
  "double precision": "1",
  integer: "1",
  bigint: "1",
  smallint: "1",
  jsonb: "[]",
  date: NOW,
  text: "x",
  "timestamp with time zone": NOW,
};

describe(
  "every statement on Citus",
  { skip: adminUrl === undefined && "part of npm run test:citus" },
  async () => {
    let copy: TestDatabase;
    let client: Client;
    before(async () => {
      copy = await createPostgresCopy(adminUrl ?? "");
      client = new Client({ connectionString: copy.url });
      await client.connect();
    });
    after(async () => {
      await client.end();
      await copy.drop();
    });

    const statements = loaded.filter(({ text }) =>
      blocksOf(text).some((block) => tablesOf(block).length > 0),
    );
    for (const statement of statements) {
      const { name, text } = statement;
      it(`${name} ${isOverAllNodes(statement) ? "runs" : "runs on one node"}`, async () => {
        const types = await typesOf(text);
        const values = types.map((type) =>
          type.endsWith("[]") ? [VALUES[type.slice(0, -2)]] : (VALUES[type] ?? assert.fail(type)),
        );
        // With texts in the place of parameters: Citus explains some statements only so.
        const literal = text.replaceAll(/\$(\d+)/g, (_all, number: string) => {
          const type = types[Number(number) - 1] ?? "text";
          const value = VALUES[type.replace("[]", "")] ?? "";
          return type.endsWith("[]") ? `('{${value}}'::${type})` : `('${value}'::${type})`;
        });
        await inVain(async () => {
          const { rows } = await client.query<{ "QUERY PLAN": string }>(`EXPLAIN (COSTS OFF) ${literal}`);
          const plan = rows.map((row) => row["QUERY PLAN"]).join("\n");
          const tasks = [...plan.matchAll(/Task Count: (\d+)/g)].map(([, count]) => Number(count));
          if (!isOverAllNodes(statement)) assert.ok(Math.max(0, ...tasks) <= 1, plan);
        });
        for (let count = 1; count <= EXECUTIONS; count += 1)
          await inVain(async () => void (await client.query({ name, text, values })));
      });
    }

    async function typesOf(text: string): Promise<readonly string[]> {
      await client.query(`PREPARE looked_at AS ${text}`);
      const { rows } = await client.query<{ types: string[] }>(
        "SELECT parameter_types::text[] AS types FROM pg_prepared_statements WHERE name = 'looked_at'",
      );
      await client.query("DEALLOCATE looked_at");
      return rows[0]?.types ?? [];
    }

    async function inVain(work: () => Promise<void>): Promise<void> {
      await client.query("BEGIN");
      try {
        await work();
      } catch (error) {
        const isOfValues =
          error instanceof DatabaseError &&
          (IS_OF_VALUES.test(error.code ?? "") || / violates \w+ (?:\w+ )?constraint /.test(error.message));
        if (!isOfValues) throw error;
      } finally {
        await client.query("ROLLBACK");
      }
    }
  },
);
