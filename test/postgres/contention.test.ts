import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { Client } from "pg";
import { CASES, type Resources } from "../guards/authorization-cases.ts";
import { seedResources } from "../guards/authorization-seed.ts";
import type { ApiAnswer } from "../helpers/api-client.ts";
import { type Instance, startInstance } from "../helpers/instance.ts";
import { readOperations } from "../helpers/document/operations.ts";
import { type MailServer, startMailServer } from "../helpers/notifications/mail-server.ts";

const needsPostgres = process.env["SLIPWAY_TEST_POSTGRES"] === undefined && "part of npm run test:postgres";

const POOL = 4;
/** More than four times the pool: a request that holds a connection and needs a second would wait forever. */
const AT_ONCE = 5 * POOL;

/** Routes that take away what others need. */
const LAST = ["DELETE /v1/projects/{projectId}", "DELETE /v1/aws-accounts/{awsAccountId}"];

/** By the end of the path; the cases of the other tests are refused before they do anything. */
const BODIES: readonly (readonly [end: string, body: object])[] = [
  // Plain and managed; the other one links the service to itself.
  ["/env-variables", { plainText: { GREETING: "another" }, parameterStore: { SECRET: "another" } }],
  // The other ones name an environment that the deployment is not in.
  ["{deploymentId}/approve", {}],
  ["/reject", {}],
];

const isFailure = ({ status }: ApiAnswer): boolean => status >= 500;

describe("five times as many clients as there are connections", { skip: needsPostgres }, () => {
  let instance: Instance;
  let own: Resources;
  let routes: readonly string[];
  let mail: MailServer;
  before(async () => {
    mail = await startMailServer();
    const ofMail = { SLIPWAY_SMTP_URL: mail.url, SLIPWAY_SMTP_FROM: "slipway@acme.example" };
    instance = await startInstance({ env: { SLIPWAY_DATABASE_POOL: String(POOL), ...ofMail } });
    own = await seedResources(instance.admin, "own");
    const operations = await readOperations(instance.url);
    const writes = operations
      .map(({ route }) => route)
      .filter((route) => !route.startsWith("GET ") && route in CASES);
    routes = [...writes.filter((route) => !LAST.includes(route)), ...LAST];
  });
  after(async () => {
    await instance.dispose();
    await mail.close();
  });

  async function send(route: string, index: number, key?: string): Promise<ApiAnswer> {
    const [method = "", path = ""] = route.split(" ");
    const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => own[name] ?? "");
    const { body: bodyOf, query: queryOf } = CASES[route] ?? {};
    const given = BODIES.find(([end]) => path.endsWith(end))?.[1];
    const body = bodyOf === undefined ? undefined : (given ?? bodyOf(own));
    const query = queryOf === undefined ? "" : `?${new URLSearchParams(queryOf(own)).toString()}`;
    // A unique name, so that most create something.
    const text = body === undefined ? undefined : JSON.stringify(body).replaceAll("another", `more-${index}`);
    const call = method.toLowerCase() as "post" | "put" | "patch" | "delete";
    return await instance.admin[call](
      filled + query,
      text,
      key === undefined ? {} : { "idempotency-key": key },
    );
  }
  const failuresOf = (answers: readonly ApiAnswer[]) =>
    answers.filter(isFailure).map(({ status, body }) => `${status} ${JSON.stringify(body)}`);

  it("are all answered by each writing route", { timeout: 180_000 }, async () => {
    for (const route of routes.filter((one) => !one.startsWith("DELETE "))) {
      const answers = await Promise.all(Array.from({ length: AT_ONCE }, (_, index) => send(route, index)));
      assert.deepEqual(failuresOf(answers), [], route);
      assert.ok(
        answers.some(({ status }) => status < 300 || status === 409),
        `${route} did nothing: ${JSON.stringify(answers[0]?.body)}`,
      );
    }
  });

  it("are all answered by all writing routes together", { timeout: 180_000 }, async () => {
    const queue = Array.from({ length: 6 }, (_, round) =>
      routes
        .filter((one) => !one.startsWith("DELETE "))
        .map((route, index) => ({ route, index: 1_000 + round * 100 + index, round })),
    ).flat();
    // Neighbours in the queue are of different routes, and each starts somewhere else in it.
    const turns = queue.values();
    const answers: ApiAnswer[] = [];
    const client = async (): Promise<void> => {
      for (const { route, index, round } of turns)
        answers.push(await send(route, index, round % 2 === 0 ? `${route} ${round}` : undefined));
    };
    await Promise.all(Array.from({ length: AT_ONCE }, client));
    assert.deepEqual(failuresOf(answers), []);
  });

  it("are all answered when they delete the same things", { timeout: 180_000 }, async () => {
    const deletes = routes.filter((one) => one.startsWith("DELETE ") && !LAST.includes(one));
    for (const route of [...deletes, ...LAST]) {
      const answers = await Promise.all(Array.from({ length: AT_ONCE }, (_, index) => send(route, index)));
      assert.deepEqual(failuresOf(answers), [], route);
    }
  });

  it("left no waiting client, and PostgreSQL had no deadlock to resolve", async () => {
    assert.equal((await instance.admin.get("/readyz")).status, 200);
    instance = await instance.restart();
    assert.equal(await countDeadlocks(instance), 0);
  });
});

describe(
  "clients that write and delete the same secrets while the worker stores them",
  {
    skip: needsPostgres,
  },
  () => {
    let instance: Instance;
    let path: string;
    before(async () => {
      // More connections than clients, so that their transactions and the worker's run at once.
      instance = await startInstance({ env: { SLIPWAY_DATABASE_POOL: "28" } });
      const { environmentId = "" } = await seedResources(instance.admin, "own");
      path = `/v1/environments/${environmentId}/env-variables`;
    });
    after(() => instance.dispose());

    it("are all answered, and PostgreSQL has no deadlock to resolve", { timeout: 180_000 }, async () => {
      const names = ["SECRET_A", "SECRET_B", "SECRET_C"];
      const answers: ApiAnswer[] = [];
      const client = async (index: number): Promise<void> => {
        const ordered = index % 2 === 0 ? names : names.toReversed();
        for (let round = 0; round < 10; round += 1) {
          const isDelete = (index + round) % 3 === 0;
          const secrets = Object.fromEntries(ordered.map((name) => [name, `value-${index}-${round}`]));
          answers.push(
            isDelete
              ? await instance.admin.delete(`${path}?names=${ordered.join(",")}`)
              : await instance.admin.post(path, { parameterStore: secrets }),
          );
        }
      };
      await Promise.all(Array.from({ length: 24 }, (_, index) => client(index)));
      // A deletion is refused when another one was first.
      const statuses = new Set(answers.map(({ status }) => status));
      assert.deepEqual(
        [...statuses].filter((status) => ![200, 202, 400].includes(status)),
        [],
      );
      assert.ok(statuses.has(200) && statuses.has(202), [...statuses].join());
      instance = await instance.restart();
      assert.equal(await countDeadlocks(instance), 0);
    });
  },
);

/** Call it after a restart, because backends report their figures when they end. */
async function countDeadlocks({ databaseUrl }: Instance): Promise<number | undefined> {
  const client = new Client({ connectionString: databaseUrl ?? "" });
  await client.connect();
  try {
    const { rows } = await client.query<{ deadlocks: number }>(
      "SELECT deadlocks::int FROM pg_stat_database WHERE datname = current_database()",
    );
    return rows[0]?.deadlocks;
  } finally {
    await client.end();
  }
}
