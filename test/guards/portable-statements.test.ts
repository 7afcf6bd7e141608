/**
 * Every statement has one form, which runs on PostgreSQL, on PGlite and on Citus. Citus is not there when this runs, so
 * the rules are what was measured on it (docs/decisions/0027-citus-by-organization.md). A statement that looks at all
 * nodes is listed here with its reason: no request may wait for one.
 */
import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { loadStatements, type NamedStatement } from "../helpers/statements.ts";
import { WRITES_OVER_ALL_NODES } from "./over-all-nodes.ts";
import { blocksOf, spreadTablesOf, tablesOf } from "./sql-blocks.ts";

type Rule = {
  readonly name: string;
  /** What breaks it, as it is reported; null if nothing does. */
  readonly broken: (statement: Pick<NamedStatement, "text" | "isRead">) => string | null;
  /** Each has to be found. */
  readonly planted: readonly string[];
  readonly fine: readonly string[];
};

const queriesOf = (statement: Pick<NamedStatement, "text">) => blocksOf(statement.text);
const onDistributed = ({ text }: Pick<NamedStatement, "text">): boolean =>
  blocksOf(text).some((block) => tablesOf(block).length > 0);
const matched = (text: string, pattern: RegExp): string | null => pattern.exec(text)?.[0] ?? null;

const RULES: readonly Rule[] = [
  {
    name: "each query locks rows of one organization at a time",
    broken: (statement) =>
      queriesOf(statement).find(
        (block) =>
          /\bFOR (?:NO KEY )?(?:UPDATE|SHARE|KEY SHARE)\b/.test(block.text) &&
          spreadTablesOf(block).length > 0,
      )?.text ?? null,
    planted: [
      "SELECT id FROM users WHERE id = $1 FOR UPDATE",
      "DELETE FROM users WHERE (organization_id, id) IN (SELECT organization_id, id FROM users LIMIT $1 FOR UPDATE SKIP LOCKED)",
      "SELECT u.id FROM users u JOIN api_keys k ON k.user_id = u.id WHERE k.organization_id = $1 FOR UPDATE OF u",
    ],
    fine: ["SELECT id FROM users WHERE organization_id = $1 AND id = $2 FOR UPDATE"],
  },
  {
    name: "an assignment calls now() in no CASE, COALESCE and the like, only (SELECT now())",
    broken: (statement) =>
      queriesOf(statement)
        .filter(({ text }) => /\bSET\b/.test(text))
        .map(({ text }) =>
          matched(
            text,
            /\bCASE\b(?:(?!\bEND\b)[^])*\bnow\(\)|\b(?:coalesce|greatest|least)\((?:[^()]|\([^()]*\))*\bnow\(\)/i,
          ),
        )
        .find((found) => found !== null) ?? null,
    planted: [
      "UPDATE users SET updated_at = CASE WHEN $3 THEN now() ELSE updated_at END WHERE organization_id = $1",
      "UPDATE users SET updated_at = coalesce(updated_at, now()) WHERE organization_id = $1",
      "UPDATE users SET updated_at = greatest(lower(name), now()) WHERE organization_id = $1",
    ],
    fine: ["UPDATE users SET updated_at = CASE WHEN $3 THEN (SELECT now()) END WHERE organization_id = $1"],
  },
  {
    name: "DO UPDATE takes instants from the row that was to be inserted",
    broken: ({ text }) => matched(text, /\bDO UPDATE\b(?:(?!\bRETURNING\b)[^])*?\bnow\(\)/),
    planted: [
      "INSERT INTO users (organization_id) VALUES ($1) ON CONFLICT (organization_id, id) DO UPDATE SET updated_at = now()",
    ],
    fine: [
      "INSERT INTO users (organization_id) VALUES ($1) ON CONFLICT (organization_id, id) DO UPDATE SET updated_at = excluded.updated_at",
    ],
  },
  {
    name: "DO UPDATE after a SELECT names no parameter",
    broken: ({ text }) =>
      matched(
        text,
        /\bINSERT INTO [a-z_]+ \([^)]*\)\s+SELECT\b(?:(?!\bINSERT\b)[^])*?\bDO UPDATE\b(?:(?!\bRETURNING\b)[^])*?\$\d+/,
      ),
    planted: [
      "INSERT INTO users (organization_id, id) SELECT $1, id FROM unnest($2::text[]) AS given(id) ON CONFLICT (organization_id, id) DO UPDATE SET name = $3",
    ],
    fine: [
      "INSERT INTO users (organization_id, id, name) SELECT $1, id, $3 FROM unnest($2::text[]) AS given(id) ON CONFLICT (organization_id, id) DO UPDATE SET name = excluded.name",
      "INSERT INTO users (organization_id, id) VALUES ($1, $2) ON CONFLICT (organization_id, id) DO UPDATE SET name = $3",
    ],
  },
  {
    name: "no row's column is added to now() in an assignment",
    broken: ({ text }) =>
      matched(text, /\bSET\b(?:(?!\b(?:WHERE|FROM)\b)[^])*\bnow\(\) [+-] [a-z_]+\.[a-z_]+/),
    planted: [
      "UPDATE users u SET updated_at = now() + e.seconds * interval '1 second' FROM x e WHERE organization_id = $1",
    ],
    fine: [
      "UPDATE users SET updated_at = now() + $2::float8 * interval '1 second' WHERE organization_id = $1",
    ],
  },
  {
    name: "no interval is added to a row's column in an UPDATE",
    broken: ({ text }) =>
      matched(text, /\bUPDATE\b(?:(?!\bRETURNING\b)[^])*?(?:\b[a-z_]+|[^(]\)) [+-] interval/),
    planted: [
      "UPDATE users SET name = $2 WHERE organization_id = $1 AND coalesce(updated_at, created_at) + interval '1 day' < now()",
      "UPDATE users u SET name = e.name FROM x e WHERE organization_id = $1 AND u.updated_at < e.at - interval '1 day'",
    ],
    fine: [
      "UPDATE users u SET name = e.name FROM x e WHERE organization_id = $1 AND u.updated_at < e.unless_since",
      "UPDATE users SET name = $2 WHERE organization_id = $1 AND coalesce(updated_at, created_at) < now() - interval '1 day'",
    ],
  },
  {
    name: "RETURNING calls no now()",
    broken: ({ text }) => matched(text, /\bRETURNING\b[^)]*\bnow\(\)/),
    planted: ["UPDATE users SET name = $2 WHERE organization_id = $1 RETURNING now() AS at"],
    fine: ["UPDATE users SET name = $2 WHERE organization_id = $1 RETURNING id"],
  },
  {
    name: "a query selects something, at least 1",
    broken: ({ text }) => matched(text, /\bSELECT(?:\s+FROM\b|\))/),
    planted: ["SELECT id FROM users WHERE organization_id = $1 AND EXISTS (SELECT FROM api_keys)"],
    fine: ["SELECT id FROM users WHERE organization_id = $1 AND EXISTS (SELECT 1 FROM api_keys)"],
  },
  {
    name: "what is written has no CASE of one value",
    broken: ({ text, isRead }) => (isRead ? null : matched(text, /\bCASE (?!WHEN\b)\S+ WHEN\b/)),
    planted: ["UPDATE users SET name = CASE role WHEN 'admin' THEN 'x' END WHERE organization_id = $1"],
    fine: ["UPDATE users SET name = CASE WHEN role = 'admin' THEN 'x' END WHERE organization_id = $1"],
  },
  {
    name: "an event is written in a statement of its own, or in WITH, on the node of its organization",
    broken: ({ text }) => matched(text, /^\s*WITH\b[^]*\)\s+INSERT INTO event_outbox\b/),
    planted: [
      "WITH changed AS (DELETE FROM users WHERE organization_id = $1 RETURNING id) INSERT INTO event_outbox (organization_id) SELECT $1 FROM changed",
    ],
    fine: [
      "INSERT INTO event_outbox (organization_id) SELECT $1",
      "WITH emitted AS (INSERT INTO event_outbox (organization_id) SELECT $1 RETURNING id) SELECT id FROM emitted",
    ],
  },
  {
    name: "no query is recursive",
    broken: ({ text }) => matched(text, /\bRECURSIVE\b/),
    planted: ["WITH RECURSIVE a AS (SELECT 1) SELECT id FROM users"],
    fine: ["WITH a AS (SELECT 1) SELECT id FROM users"],
  },
  {
    name: "ON CONFLICT names a constraint, or the column that the table is distributed by",
    broken: ({ text }) => {
      for (const block of blocksOf(text)) {
        const columns = /\bON CONFLICT \(([^)]*)\)/.exec(block.text)?.[1]?.split(", ");
        const [into] = tablesOf(block);
        if (columns !== undefined && into !== undefined && !columns.includes(into.column)) return block.text;
      }
      return null;
    },
    planted: ["INSERT INTO api_keys (organization_id, hash) VALUES ($1, $2) ON CONFLICT (hash) DO NOTHING"],
    fine: [
      "INSERT INTO api_keys (organization_id, hash) VALUES ($1, $2) ON CONFLICT (organization_id, hash) DO NOTHING",
    ],
  },
  {
    name: "VALUES hold no query",
    broken: ({ text }) =>
      blocksOf(text).find(
        (block) =>
          /\bVALUES \([^)]*\(\?\)/.test(block.text) || /\bVALUES\b.*\bRETURNING\b.*\(\?\)/.test(block.text),
      )?.text ?? null,
    planted: [
      "INSERT INTO users (organization_id, name) VALUES ($1, (SELECT name FROM users WHERE organization_id = $1))",
      "INSERT INTO users (organization_id) VALUES ($1) RETURNING id, (SELECT 1 FROM users WHERE organization_id = $1)",
    ],
    fine: [
      "INSERT INTO users (organization_id, name) SELECT $1, (SELECT name FROM users WHERE organization_id = $1)",
    ],
  },
  {
    name: "INSERT … SELECT returns something, or says what a conflict is: else rows are copied, past row-level security",
    broken: ({ text }) =>
      blocksOf(text).find(
        (block) =>
          tablesOf(block).length > 0 &&
          /\bINSERT INTO \w+(?: AS \w+)? \([^)]*\) SELECT\b/.test(block.text) &&
          !/\bRETURNING\b|\bON CONFLICT\b/.test(block.text),
      )?.text ?? null,
    planted: [
      "INSERT INTO users (organization_id, id) SELECT $1, id FROM unnest($2::text[]) AS given(id)",
      "WITH a AS (INSERT INTO users (organization_id) SELECT $1) SELECT 1",
    ],
    fine: [
      "INSERT INTO users (organization_id, id) SELECT $1, id FROM unnest($2::text[]) AS given(id) RETURNING id",
    ],
  },
  {
    name: "INSERT … SELECT from a table names whose columns it returns",
    broken: ({ text }) =>
      matched(
        text.replaceAll(/\s+/g, " "),
        /\bINSERT INTO \w+(?: AS \w+)? \([^)]*\) SELECT \w+\.organization_id\b(?:(?! RETURNING )[^])* RETURNING (?!\w+\.|1\b)\w+/,
      ),
    planted: [
      "INSERT INTO users (organization_id, id) SELECT o.organization_id, $2 FROM organizations o WHERE o.organization_id = $1 RETURNING id",
    ],
    fine: [
      "INSERT INTO users AS new (organization_id, id) SELECT o.organization_id, $2 FROM organizations o WHERE o.organization_id = $1 RETURNING new.id",
    ],
  },
];

const ON_ONE_NODE = (text: string): string | null =>
  blocksOf(text).find((block) => spreadTablesOf(block).length > 0)?.text ?? null;

describe("a statement that also runs on Citus", () => {
  let statements: readonly NamedStatement[];
  before(async () => {
    statements = (await loadStatements()).filter(onDistributed);
  });

  it("finds the statements of the source", () => {
    assert.ok(statements.length > 300, String(statements.length));
  });

  for (const { name, broken, planted, fine } of RULES) {
    it(name, () => {
      const found = statements.flatMap((one) => {
        const what = broken(one);
        return what === null ? [] : [`${one.name}: ${what}`];
      });
      assert.deepEqual(found, []);
    });
    it(`${name}: a violation is found`, () => {
      for (const text of planted) assert.notEqual(broken({ text, isRead: false }), null, text);
      for (const text of fine) assert.equal(broken({ text, isRead: false }), null, text);
    });
  }

  it("names in every query the organization whose rows it reads, unless a reason says why it looks at all nodes", () => {
    const found = statements.filter(({ text }) => ON_ONE_NODE(text) !== null);
    assert.deepEqual(
      found.flatMap(({ name, isRead }) => (isRead ? [] : [name])).toSorted(),
      Object.keys(WRITES_OVER_ALL_NODES).toSorted(),
      "left: what the source has; right: what has a reason here",
    );
    assert.deepEqual(
      found.flatMap(({ name, isRead, runsAsOwner }) => (isRead && !runsAsOwner ? [name] : [])),
      [],
      "these reads need readAsOwner",
    );
  });

  it("names in every query the organization: a violation is found", () => {
    const refused = [
      "SELECT id FROM users WHERE id = $1",
      "SELECT id FROM users WHERE organization_id = ANY($1)",
      "SELECT u.id FROM users u JOIN api_keys k ON k.user_id = u.id WHERE u.organization_id = $1",
      "SELECT id, (SELECT count(*) FROM api_keys k WHERE k.organization_id = users.organization_id) FROM users WHERE organization_id = $1",
      "SELECT id FROM users WHERE organization_id = $1 UNION ALL SELECT id FROM api_keys",
      "WITH gone AS (DELETE FROM users WHERE id = $1 RETURNING id) SELECT id FROM gone",
      "UPDATE users u SET name = g.name FROM unnest($1::text[]) g WHERE u.organization_id = g.organization_id",
      "SELECT name FROM proven_names WHERE organization_id = $1",
      "SELECT u.id FROM organizations o, users u WHERE o.organization_id = $1",
    ];
    for (const text of refused) assert.notEqual(ON_ONE_NODE(text), null, text);
    const taken = [
      "SELECT id FROM users WHERE organization_id = $1 AND id = $2",
      "SELECT u.id FROM users u JOIN api_keys k ON k.organization_id = u.organization_id WHERE u.organization_id = $1",
      "SELECT id, (SELECT count(*) FROM api_keys k WHERE k.organization_id = $1) FROM users WHERE organization_id = $1",
      "INSERT INTO users (organization_id, id) VALUES ($1, $2)",
      "SELECT organization_id FROM owners WHERE key = $1",
      "WITH u AS (SELECT id FROM users WHERE organization_id = $1) SELECT id FROM u",
    ];
    for (const text of taken) assert.equal(ON_ONE_NODE(text), null, text);
  });
});
