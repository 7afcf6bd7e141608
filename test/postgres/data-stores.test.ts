/** PostgreSQL databases whose values a deployed service gets: an existing one, and a database that Slipway creates. */
import assert from "node:assert/strict";
import { existsSync, readdirSync, rmSync } from "node:fs";
import path from "node:path";
import { after, before, describe, it } from "node:test";
import {
  configOf,
  createIacProject,
  deliverPush,
  deploy,
  ended,
  getPage,
  listServices,
  push,
  withConfig,
} from "../helpers/customers/deployments.ts";
import { clearFaults, loseAccount, setFault } from "../helpers/customers/sandbox-account.ts";
import { startPreviewTeam, templateOf } from "../helpers/customers/previews.ts";
import {
  API_SHOWS,
  importApplication,
  MOVED_FILES,
  runNightly,
  SESSION_SECRET,
  SITE_SHOWS,
  storeSecret,
} from "../helpers/customers/moved-application.ts";
import { attach, connectAccount } from "../helpers/customers/scenario.ts";
import { type Instance, startInstance } from "../helpers/instance.ts";
import { type PostgresCluster, startPostgresCluster } from "../helpers/processes/postgres-cluster.ts";
import { createLogin } from "../helpers/processes/postgres-login.ts";
import { getFromEdge } from "../helpers/sandbox/edge-client.ts";
import { until } from "../helpers/until.ts";
import { createUserClient } from "../helpers/users.ts";

const USER = "shop user@acme";
const DATABASES = ["shop/one", "shop?two"] as const;
/** Each of these characters means something in an address. */
const PASSWORD = `p@ss/w%2Frd#1:?&=+ ü€"'$x\\[]`;
const SERVER = `const { execFile } = require("node:child_process");
const { DATABASE_URL, DB_PASSWORD, DB_HOST, DB_PORT, DB_NAME, DB_USER } = process.env;
console.log("connects to", DATABASE_URL, "with", DB_PASSWORD);
const ask = (args, env) => new Promise((resolve) => execFile("psql", ["-Atc",
  "SELECT current_user, current_database()", ...args], { env: { PATH: process.env.PATH, ...env } },
  (error, out, said) => resolve(error === null ? out.trim() : said)));
require("node:http").createServer(async (_, response) => response.end(JSON.stringify({
  whole: await ask([DATABASE_URL], {}),
  parts: await ask([], { PGHOST: DB_HOST, PGPORT: DB_PORT, PGDATABASE: DB_NAME, PGUSER: DB_USER, PGPASSWORD: DB_PASSWORD }),
}))).listen(process.env.PORT, "127.0.0.1");`;

const link = (value: string, id = "db") => ({ fromService: { id, value } });
const WEB = {
  id: "web",
  type: "web",
  port: 3000,
  basePath: "app",
  watchPaths: ["app/**"],
  startCommand: "node server.js",
  dependsOn: ["db"],
  envVariables: {
    DATABASE_URL: link("dbConnectionString"),
    DB_PASSWORD: link("password"),
    DB_HOST: link("host"),
    DB_PORT: link("port"),
    DB_NAME: link("dbName"),
    DB_USER: link("username"),
  },
};
const FILES = { "app/server.js": SERVER };
/** Counts the visits in the table of its database. */
const COUNTER = `const { execFile } = require("node:child_process");
const { DATABASE_URL, CACHE_URL, PATH } = process.env;
console.log("connects to", DATABASE_URL);
if (CACHE_URL !== undefined) execFile("redis-cli", ["-u", CACHE_URL, "SET", "key", "kept"], { env: { PATH } }, (_, out) =>
  console.log("the cache says", out.trim(), "at", CACHE_URL));
const sql = "CREATE TABLE IF NOT EXISTS visits (id serial); INSERT INTO visits DEFAULT VALUES; SELECT count(*) FROM visits";
require("node:http").createServer(({ url }, response) => url !== "/visit" ? response.end() :
  execFile("psql", ["-qAtc", sql, DATABASE_URL], { env: { PATH } },
    (error, out, said) => response.end(error === null ? out.trim() : said))).listen(process.env.PORT, "127.0.0.1");`;

describe("an existing database", () => {
  let cluster: PostgresCluster;
  let instance: Instance;
  let port: number;
  before(async () => {
    cluster = await startPostgresCluster();
    port = await createLogin(cluster, { username: USER, password: PASSWORD, databases: DATABASES });
    instance = await startInstance();
    await connectAccount(instance.admin, "main");
  });
  after(async () => {
    await instance.dispose();
    cluster.dispose();
  });

  const storeOf = (dbName: string, reference: string) => ({
    id: "db",
    name: "Database",
    type: "postgres",
    existing: {
      host: "127.0.0.1",
      port,
      dbName,
      username: USER,
      password: { fromSecretsManager: reference },
    },
  });
  const configure = (services: readonly object[]) =>
    configOf(services, { source: { branch: "main", trigger: "push" } });

  it("gives its values to a service, with a password of any characters that Slipway does not know", async () => {
    const { admin } = instance;
    const made = await admin.post("/v1/git-integrations", { provider: "provider_a", token: "any" });
    const { secret } = (await admin.post(`/v1/git-integrations/${made.body.id}/hook-secret`)).body;
    const placeholder = { ...WEB, dependsOn: [], envVariables: {} };
    await push(instance, "shop", withConfig(configure([placeholder]), FILES));
    const projectId = await createIacProject(admin, "shop");
    const [environment] = (await admin.get(`/v1/projects/${projectId}/environments`)).body.environments;
    const reference = await storeSecret(admin, `/v1/environments/${environment.id}`, "KEPT", PASSWORD);

    await push(instance, "shop", withConfig(configure([storeOf(DATABASES[0], reference), WEB]), FILES));
    const first = await ended(admin, await deploy(admin, "shop"));
    assert.deepEqual(
      first.services.map(({ configId }: { configId: string }) => configId),
      ["web"],
      "a data store is not deployed",
    );
    const { web = "", db = "" } = await listServices(admin, projectId);
    const shown = async () => JSON.parse((await getPage(instance, web)).body);
    const one = `${USER}|${DATABASES[0]}`;
    assert.deepEqual(await shown(), { whole: one, parts: one });

    // Services get the values of a changed data store, even if none of their files changed.
    const next = configure([storeOf(DATABASES[1], reference), WEB]);
    const hash = await push(instance, "shop", withConfig(next, FILES));
    const [pushed = ""] = await deliverPush(instance, secret, "shop", hash);
    await ended(admin, pushed);
    const two = `${USER}|${DATABASES[1]}`;
    assert.deepEqual(await shown(), { whole: two, parts: two });

    const log = await until(async () => {
      const { text } = await admin.get(`/v1/services/${web}/logs`);
      return text.includes("connects to") ? text : null;
    }, "the server has printed its values");
    const answers = await Promise.all(
      [
        `/v1/services/${db}`,
        `/v1/services/${db}/health`,
        `/v1/services/${web}/env-variables/effective`,
        `/v1/environments/${environment.id}/graph`,
        `/v1/deployments/${pushed}`,
        `/v1/projects/${projectId}`,
        "/v1/events",
        "/v1/audit-entries",
      ].map(async (address) => await admin.get(address)),
    );
    for (const { status, text } of answers) assert.equal(status, 200, text);
    const forms = [PASSWORD, encodeURIComponent(PASSWORD), JSON.stringify(PASSWORD).slice(1, -1)];
    for (const text of [log, ...answers.map((answer) => answer.text)])
      for (const form of forms) assert.ok(!text.includes(form), "the password is readable");
    const [service, health, effective, graph] = answers;
    assert.equal(service?.body.cdnDomainName, null);
    assert.equal(service?.body.settings.existing.password.fromSecretsManager, reference);
    assert.equal(health?.body.health, "UNKNOWN");
    const byName = new Map<string, { value: unknown; reference: unknown }>(
      effective?.body.envVariables.map((one: { name: string }) => [one.name, one]),
    );
    assert.deepEqual(
      ["DATABASE_URL", "DB_PASSWORD", "DB_PORT"].map((name) => [
        byName.get(name)?.value,
        byName.get(name)?.reference,
      ]),
      [
        [null, null],
        [null, reference],
        [String(port), null],
      ],
    );
    assert.equal(
      graph?.body.edges.filter(({ toServiceId }: { toServiceId: string }) => toServiceId === db).length,
      7,
    );
  });

  it("is created, keeps its rows, comes back from snapshots, and is deleted only without its protection", async () => {
    const { admin } = instance;
    const files = { "app/server.js": COUNTER };
    const { watchPaths: _paths, ...own } = WEB;
    const web = { ...own, envVariables: { DATABASE_URL: link("dbConnectionString") } };
    const created = { id: "db", type: "postgres" };
    const config = (services: readonly object[]) => withConfig(configOf(services), files);
    const version = ["14", "16", "18"].find((one) => !existsSync(`/usr/lib/postgresql/${one}/bin/initdb`));
    assert.ok(version !== undefined, "a version that this machine does not have");
    const missing = { id: "missing", type: "postgres", version, deletionProtection: false };
    const cache = { id: "cache", type: "redis", deletionProtection: false };
    const { envVariables } = web;
    const cached = {
      ...web,
      envVariables: {
        ...envVariables,
        CACHE_URL: { fromService: { id: "cache", value: "connectionString" } },
      },
    };
    await push(instance, "counter", config([created, missing, cache, cached]));
    const projectId = await createIacProject(admin, "counter");
    const first = await ended(admin, await deploy(admin, "counter"));
    assert.equal(first.status, "SUCCESS", JSON.stringify(first));
    const services = await listServices(admin, projectId);
    const shown = async () => Number((await getPage(instance, services["web"] ?? "", "/visit")).body);
    const before = await shown();
    assert.ok(before >= 1);
    const db = `/v1/services/${services["db"]}`;
    const { dataStore } = (await admin.get(db)).body;
    assert.deepEqual([dataStore.status, dataStore.failure], ["AVAILABLE", null]);
    const written = await until(async () => {
      const { text } = await admin.get(`/v1/services/${services["web"]}/logs`);
      return /the cache says .+/.exec(text)?.[0] ?? null;
    }, "the cache has answered");
    assert.match(written, /^the cache says OK at redis:\/\/default:[^@]{0,9}@127/, "its password is hidden");
    const failed = await until(async () => {
      const { body } = await admin.get(`/v1/services/${services["missing"]}`);
      return body.dataStore.status === "FAILED" ? body.dataStore.failure : null;
    }, "a version that is not installed fails");
    assert.equal(failed.code, "PROGRAM_MISSING");
    assert.match(failed.message, new RegExp(`Install the package postgresql-${version}`));
    const corrected = { ...missing, version: /^\d+/.exec(dataStore.version)?.[0] ?? "" };
    await push(instance, "counter", config([created, corrected, cache, cached]));
    assert.equal((await ended(admin, await deploy(admin, "counter"))).status, "SUCCESS");
    const late = await until(async () => {
      const { body } = await admin.get(`/v1/services/${services["missing"]}`);
      return body.dataStore.status === "AVAILABLE" ? body.dataStore : null;
    }, "with another version, it is created");
    assert.equal(late.version, corrected.version);
    // Each request tries again, and may fail again.
    const announced = async (type: string) => {
      const { events } = (await admin.get(`/v1/events?types=${type}&limit=100`)).body;
      return new Set(events.map(({ data }: { data: { service: string } }) => data.service));
    };
    await until(async () => (await announced("data_store.created")).size === 3 || null, "each is announced");
    assert.deepEqual(await announced("data_store.created"), new Set(["cache", "db", "missing"]));
    assert.deepEqual(await announced("data_store.failed"), new Set(["missing"]));

    await push(instance, "counter", withConfig(configOf([created, web]), { ...files, "app/new.txt": "1" }));
    assert.equal((await ended(admin, await deploy(admin, "counter"))).status, "SUCCESS");
    assert.ok((await shown()) > before, "a deployment keeps the rows");

    const log = await until(async () => {
      const { text } = await admin.get(`/v1/services/${services["web"]}/logs`);
      return text.includes("connects to") ? text : null;
    }, "the server has printed its value");
    assert.match(log, /postgresql:\/\/slipway:[^@]{0,9}@127/, "its password is hidden");

    // Neither a commit nor a request deletes it.
    const alone = { ...web, dependsOn: [], envVariables: {} };
    await push(instance, "counter", config([alone]));
    const kept = await ended(admin, await deploy(admin, "counter"), "ERROR");
    const [environment] = kept.environments;
    assert.deepEqual([kept.status, environment.error.code], ["ERROR", "CONFIG_NOT_APPLICABLE"]);
    assert.match(environment.error.message, /DELETES DATA/);
    assert.equal((await admin.delete(`/v1/projects/${projectId}`)).body.code, "DATA_STORE_PROTECTED");
    await push(instance, "counter", config([{ ...created, version: "14" }, web]));
    const replaced = await ended(admin, await deploy(admin, "counter"), "ERROR");
    assert.match(replaced.environments[0].error.message, /REPLACES DATA/);
    assert.ok((await shown()) > before);
    assert.equal((await admin.get(db)).body.dataStore.status, "AVAILABLE");

    // A snapshot has the rows as they were, and only a new data store gets them.
    const deployWith = async (services: readonly object[], status?: string) => {
      await push(instance, "counter", config(services));
      return await ended(admin, await deploy(admin, "counter"), status);
    };
    const take = async () => {
      const asked = await admin.post(`${db}/snapshots`);
      assert.equal(asked.status, 202, asked.text);
      assert.equal(asked.body.status, "CREATING");
      return await settled(asked.body.id);
    };
    const settled = (id: string) =>
      until(async () => {
        const { body } = await admin.get(`/v1/snapshots/${id}`);
        return body.status === "CREATING" ? null : body;
      }, "the snapshot is settled");
    const shownAgain = () => until(async () => (await shown()) || null, "the database is back");
    const webOf = (id: string) => ({
      ...web,
      dependsOn: [id],
      envVariables: { DATABASE_URL: link("dbConnectionString", id) },
    });
    const rows = await shown();
    const taken = await take();
    const { id: me } = (await admin.get("/v1/me")).body.user;
    assert.deepEqual(
      [taken.status, taken.failure, taken.reason, taken.requestedBy],
      ["AVAILABLE", null, "manual", me],
    );
    assert.ok(taken.sizeBytes > 1_000_000 && /^\d+$/.test(taken.version), JSON.stringify(taken));
    await setFault(admin, "snapshots.create", "quota");
    const refused = await take();
    assert.deepEqual([refused.status, refused.sizeBytes], ["FAILED", null], JSON.stringify(refused));
    await clearFaults(admin);
    assert.equal((await shownAgain()) > rows, true);

    const wrong = await deployWith(
      [
        { ...created, snapshot: taken.id },
        { id: "older", type: "postgres", version: "14", snapshot: taken.id },
        { id: "empty", type: "postgres", snapshot: refused.id },
        { id: "foreign", type: "postgres", snapshot: `snap_${"0".repeat(26)}` },
        web,
      ],
      "ERROR",
    );
    const [{ error }] = wrong.environments;
    for (const cause of [
      "services/0/snapshot REPLACES DATA",
      `services/1/snapshot names a snapshot of version ${taken.version}`,
      "services/2/snapshot names a snapshot that is FAILED",
      "services/3/snapshot names no snapshot of this project",
    ])
      assert.ok(error.message.includes(cause), error.message);
    // What could not be created, because its snapshot is lost, is created from another one.
    const restored = { id: "restored", type: "postgres", snapshot: taken.id };
    const lost = await take();
    const copies = path.join(instance.dataDir, "sandbox/platform/stores/snapshots");
    for (const name of readdirSync(copies).filter((one) => one.endsWith(lost.id)))
      rmSync(path.join(copies, name), { recursive: true });
    await deployWith([created, web, { ...restored, snapshot: lost.id }]);
    const { restored: restoredId = "" } = await listServices(admin, projectId);
    await until(async () => {
      const { body } = await admin.get(`/v1/services/${restoredId}`);
      return body.dataStore.failure?.code === "SNAPSHOT_MISSING";
    }, "its snapshot is lost");
    assert.equal((await admin.delete(`/v1/snapshots/${lost.id}`)).body.code, "SNAPSHOT_IN_USE");
    await deployWith([created, restored, webOf("restored")]);
    assert.equal(await shown(), rows + 1, "it has the older rows only");
    assert.equal((await admin.delete(`/v1/snapshots/${lost.id}`)).status, 202);
    const { snapshot: _snapshot, ...later } = restored;
    await deployWith([created, later, webOf("restored")]);
    assert.equal(await shown(), rows + 2, "it keeps its data without the field");

    // A deleted data store leaves its last snapshot.
    const free = { deletionProtection: false };
    await deployWith([{ ...created, ...free }, { ...later, ...free }, web]);
    const last = await shownAgain();
    await deployWith([alone]);
    assert.equal((await admin.get(db)).status, 404);
    const listed = async () => (await admin.get(`/v1/snapshots?projectId=${projectId}`)).body.snapshots;
    const finals: readonly { id: string; serviceConfigId: string }[] = (await listed()).filter(
      ({ reason }: { reason: string }) => reason === "final",
    );
    assert.deepEqual(finals.map(({ serviceConfigId }) => serviceConfigId).toSorted(), [
      "cache",
      "db",
      "missing",
      "restored",
    ]);
    const final = await settled(finals.find((one) => one.serviceConfigId === "db")?.id ?? "");
    assert.deepEqual([final.status, final.failure, final.requestedBy], ["AVAILABLE", null, null]);
    await deployWith([{ ...created, ...free, snapshot: final.id }, web]);
    assert.equal(await shown(), last + 1, "the deleted rows are back");

    const gone = await admin.delete(`/v1/snapshots/${taken.id}`);
    assert.deepEqual([gone.status, gone.body.status], [202, "DELETING"], gone.text);
    await until(
      async () => (await admin.get(`/v1/snapshots/${taken.id}`)).status === 404,
      "the snapshot is deleted",
    );
    const ofSnapshots = (await admin.get("/v1/events?types=snapshot.*")).body.events;
    const types = new Set(ofSnapshots.map(({ type }: { type: string }) => type));
    assert.deepEqual(types, new Set(["snapshot.created", "snapshot.failed"]));

    // Only admins see what a deleted project leaves, until the connection ends.
    const developer = await createUserClient(admin, "developer");
    const left = `/v1/snapshots/${final.id}`;
    assert.equal((await developer.get(left)).status, 200);
    const { awsAccountId } = (await admin.get(`/v1/projects/${projectId}`)).body;
    await loseAccount(admin, awsAccountId);
    const { body: projects } = await admin.get("/v1/projects");
    for (const { id } of projects.projects)
      assert.equal((await admin.post(`/v1/projects/${id}/abandon`)).status, 200);
    assert.equal((await admin.get(left)).body.status, "AVAILABLE");
    assert.equal((await developer.get(left)).status, 404);
    assert.deepEqual((await developer.get("/v1/snapshots")).body.snapshots, []);
    assert.equal((await listed()).length, 5);
    assert.equal((await admin.delete(left)).body.code, "AWS_ACCOUNT_NOT_CONNECTED");
    assert.equal((await admin.post(`/v1/aws-accounts/${awsAccountId}/abandon`)).status, 200);
    assert.equal((await admin.get(left)).status, 404);
  });

  it("is made for each preview, as the template's branch has it, and is deleted with the preview", async () => {
    const { admin } = instance;
    await connectAccount(admin, "previews");
    const { watchPaths: _paths, ...own } = WEB;
    const web = { ...own, envVariables: { DATABASE_URL: link("dbConnectionString") } };
    const db = { id: "db", type: "postgres" };
    const production = (configOf([web, { ...db, deletionProtection: false }]) as { environments: object[] })
      .environments;
    const template = (store: object, more: readonly object[] = []) => [
      ...production,
      templateOf("previews", { previews: { access: "public" } }, [web, store, ...more]),
    ];
    const files = { "app/server.js": COUNTER };
    const team = await startPreviewTeam(instance, "seeded", template(db), {
      awsAccountId: "previews",
      files,
    });
    await ended(admin, await deploy(admin, "seeded"));
    const services = await listServices(admin, team.projectId);
    const visit = async (id = "") => Number((await getPage(instance, id, "/visit")).body);
    const visitSoon = (id?: string) => until(async () => (await visit(id)) || null, "the database answers");
    const rows = await visitSoon(services["web"]);
    const snapshots = async () =>
      (await admin.get(`/v1/snapshots?projectId=${team.projectId}`)).body.snapshots as { id: string }[];
    const asked = await admin.post(`/v1/services/${services["db"]}/snapshots`);
    const taken = await until(async () => {
      const { body } = await admin.get(`/v1/snapshots/${asked.body.id}`);
      return body.status === "AVAILABLE" ? body : null;
    }, "the snapshot is taken");

    const seeded = { ...db, snapshot: taken.id };
    await team.deliverPush(await team.commit("main", "with data", template(seeded)));
    await team.commit("cart", "first", template(seeded));
    await team.putPullRequest(1, "cart");
    const untilActive = async (key: string) => (await team.untilState(key, "ACTIVE")) ?? assert.fail();
    const servicesOf = async (environmentId: string | null) => {
      const { body } = await admin.get(`/v1/environments/${environmentId}/services`);
      const listed = body.services as {
        configId: string;
        id: string;
        dataStore: { status: string } | null;
      }[];
      return new Map(listed.map((one) => [one.configId, one]));
    };
    const preview = await untilActive("pr-1");
    await team.untilDeployed(preview, preview.commitHash);
    const found = await servicesOf(preview.environmentId);
    const first = await visitSoon(found.get("web")?.id);
    assert.equal(first, rows + 1, "it has the data of the snapshot");

    // A commit has no say about it, and gets no other one.
    const changed = await team.commit("cart", "second", [
      ...production,
      templateOf("previews", {}, [
        web,
        { ...db, version: "14", deletionProtection: false },
        { ...db, id: "more", dependsOn: [] },
      ]),
    ]);
    await until(async () => (await untilActive("pr-1")).commitHash === changed, "the push arrives");
    await team.untilDeployed(preview, changed);
    const now = await servicesOf(preview.environmentId);
    assert.equal(await visitSoon(now.get("web")?.id), first + 1, "it keeps its data");
    assert.equal(now.get("more")?.dataStore, null);
    const refused = await admin.post(`/v1/services/${now.get("db")?.id}/snapshots`);
    assert.deepEqual([refused.status, refused.body.code], [409, "SERVICE_HAS_NO_SNAPSHOTS"], refused.text);

    // The approved commit of a fork begins without data.
    const forked = withConfig({ environments: template(seeded) }, { ...files, "public/index.html": "" });
    const hash = await push(instance, "stranger", forked, "fix");
    await team.putPullRequest(2, "fix", { headRepository: "stranger" });
    const waiting = (await team.untilState("pr-2", "WAITING_FOR_APPROVAL")) ?? assert.fail();
    const approved = await admin.post(`/v1/previews/${waiting.id}/approve`, { commitHash: hash });
    assert.equal(approved.status, 200, approved.text);
    const fork = await untilActive("pr-2");
    await team.untilDeployed(fork, hash);
    assert.equal(await visitSoon((await servicesOf(fork.environmentId)).get("web")?.id), 1);

    for (const number of [1, 2])
      await team.putPullRequest(number, number === 1 ? "cart" : "fix", {
        ...(number === 2 ? { headRepository: "stranger" } : {}),
        state: "closed",
      });
    for (const key of ["pr-1", "pr-2"]) await team.untilState(key, "gone");
    await team.untilNoOrphans();
    assert.deepEqual(
      (await snapshots()).map(({ id }) => id),
      [taken.id],
      "no last snapshots of previews",
    );
    assert.equal(await visit(services["web"]), rows + 1);
  });

  it("is created for an application that moves in with its Flightcontrol file, up to HTTPS", async () => {
    const { admin } = instance;
    await connectAccount(admin, "moved");
    const config = await importApplication(admin);
    await push(instance, "boats", withConfig(config, MOVED_FILES));
    const projectId = await createIacProject(admin, "boats", "moved");
    const { api, jobs, site } = await listServices(admin, projectId);
    await storeSecret(admin, `/v1/services/${api}`, "SESSION_SECRET", SESSION_SECRET);
    await ended(admin, await deploy(admin, "boats"));
    const open = async (name: string) =>
      (await getFromEdge(instance.sandbox, `${name}.boats.example.com`)).body;
    await Promise.all([
      attach(admin, api, ["api.boats.example.com"]),
      attach(admin, site, ["www.boats.example.com"]),
    ]);
    await runNightly(admin, jobs);
    await until(async () => (await open("api")) === API_SHOWS, "all parts wrote to the database");
    const [, address = ""] = SITE_SHOWS.exec(await open("www")) ?? [];
    assert.equal((await getFromEdge(instance.sandbox, new URL(address).hostname)).body, API_SHOWS);

    // A build now has this address, too, not the one inside the environment.
    const effective = `/v1/services/${site}/env-variables/effective`;
    const variables: readonly { name: string; value: unknown }[] = (await admin.get(effective)).body
      .envVariables;
    assert.equal(variables.find(({ name }) => name === "API_URL")?.value, address);
  });
});
