/**
 * The audit of release 0.1.0, row by row. Each row is held by at least one test, whose title begins with the row's
 * number: `S4: …`. This file lists the rows and finds their tests, so that none can be dropped unnoticed.
 * `node --test --test-name-pattern '^S4:' 'test/**' 'src/**'` runs those of one row.
 */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";

const ROWS: Readonly<Record<string, string>> = {
  S1: "commands of repositories never run with Slipway's rights",
  S2: "nothing that Slipway writes is readable by another user of the machine",
  S3: "a connection cannot be bound to a stranger's account",
  S4: "an unauthenticated body is neither kept nor parsed before its signature is known",
  S5: "the access role cannot tag, and so take over, foreign resources",
  S6: "the deploy role cannot be used to escape into the customer's other workloads",
  S7: "an organization sees nothing of another in the sandbox",
  S8: "the audit says what changed, from where, and who was refused",
  S9: "a stream ends with its key, and logs hold no managed value",
  S10: "a captured push deploys nothing older",
  S11: "an idempotency record belongs to its caller",
  S12: "HTTPS without a proxy, and a truthful banner",
  S13: "one key's streams do not slow the others",
  S14: "the sandbox reads nothing inside, and bounds what it keeps",
  S15: "session names, row-level security, wrapped and rotated keys, a role for each environment",
  S16: "the last admin key stays",
  A1: "adding domains answers with domains",
  A2: "nothing starts on an account that is not connected",
  A3: "a project with cloud work left is DELETING until it is deleted",
  A4: "what a deletion would leave in a lost account is said before",
  A5: "names that can have no public certificate are refused",
  A6: "a cursor belongs to its list",
  A7: "lists are in order of creation",
  A8: "If-Match is honoured",
  A9: "a body in another charset or encoding is 415",
  A10: "a givenId that is another connection's id is refused",
  A11: "the order of members does not make another request",
  A12: "a check that was asked for asks again",
  A13: "a name of blanks is refused",
  A14: "a client that has to wait for a deletion gets a message",
  A15: "an unknown filter is named",
  A16: "words and states are true and human",
  A17: "stack names are unique",
  A18: "a resource has one shape everywhere",
  D1: "a git token can be replaced",
  D2: "a project can change",
  D3: "a domain is found by its name",
  D4: "the first key is printed by the process that a person started",
  D5: "installing prints no warnings about engines",
  D6: "docs explain slipway.json and running in production, and their commands work",
  D7: "the API's description is whole",
  D8: "the command line says what was wrong",
  W1: "the deploy role may do what CloudFormation's handlers need",
  W2: "builds may push images",
  W3: "distributions may be created",
  W4: "the deploy role has no permission too many",
  W5: "the deploy role reaches only what its stacks made",
  W6: "a loose trust policy is found",
  W7: "a second account that reports the same connection is reported",
  W8: "denied calls start one check, not many",
  W9: "the setup page's commands work",
  W10: "IAM and ECS are asked through AWS's own clients",
  P3: "no attacker without a key holds memory, blocks the process or fills a table",
  P4: "limits are on by default, and no honest client meets one",
  P6: "row-level security stands behind the statements",
  P7: "the at-rest key is rotated while the service runs",
  P9: "the story runs on a second emulator",
};

const ROOT = path.resolve(import.meta.dirname, "../..");

function titlesOf(folder: string): readonly string[] {
  return readdirSync(path.join(ROOT, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => /\.(?:test|browser)\.ts$/.test(name))
    .flatMap((name) => {
      const text = readFileSync(path.join(ROOT, folder, name), "utf8");
      return [...text.matchAll(/\b(?:test|it|describe)\(\s*["'`]([^"'`\n]*)/g)].map(
        ([, title = ""]) => title,
      );
    });
}

test("every row of the audit has a test with its number", () => {
  const held = new Set(
    [...titlesOf("test"), ...titlesOf("src")].flatMap(
      (title) => /^((?:[SADWP]\d+)(?:, [SADWP]\d+)*): /.exec(title)?.[1]?.split(", ") ?? [],
    ),
  );
  const missing = Object.entries(ROWS).filter(([row]) => !held.has(row));
  assert.deepEqual(missing, []);
});
