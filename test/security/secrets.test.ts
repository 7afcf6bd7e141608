import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { execFile } from "node:child_process";
import { readdir, readFile, rm } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { gunzipSync } from "node:zlib";
import { after, before, describe, it } from "node:test";
import { readStatement } from "../../src/db/database.ts";
import { openPgliteDatabase } from "../../src/db/drivers/pglite.ts";
import { createApiClient } from "../helpers/api-client.ts";
import { startTraceReceiver, type TraceReceiver } from "../helpers/processes/trace-receiver.ts";
import { cleanEnv } from "../helpers/processes/service-process.ts";
import { copyPgliteTemplate, makeTempDir } from "../helpers/template.ts";
import { until } from "../helpers/until.ts";
import { startChat } from "../helpers/notifications/chat.ts";
import { startReceiver } from "../helpers/webhooks/receiver.ts";
import { type CredentialStory, startCredentialStory } from "./credential-story.ts";
import { type LoggedProcess, startLogged } from "./logged-process.ts";
import {
  createCanaries,
  findNeedles,
  type Hit,
  type Needle,
  needlesOf,
  needlesOfKey,
  searchFolder,
} from "./needles.ts";
import { type RecordingClient, recordAnswers } from "./recording-client.ts";
import {
  beginStory,
  finishRun,
  leaveWaiting,
  playCloudFailures,
  playRequests,
  type StoryParts,
  variablesPath,
} from "./secret-story.ts";

/** The sandbox's folder plays the customer's cloud, where the values belong. */
const CUSTOMERS_CLOUD = ["sandbox"];

describe("a secret on the embedded database", () => {
  const canaries = createCanaries();
  const adminKey = `admin-${randomUUID()}`;
  const needles: Needle[] = [...canaries.texts, adminKey].flatMap(needlesOf);
  const processes: LoggedProcess[] = [];
  const clients: RecordingClient[] = [];
  let dataDir: string;
  let collector: TraceReceiver;
  let parts: StoryParts;
  let credentials: CredentialStory;

  async function start(): Promise<LoggedProcess> {
    const traced = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_TRACES_SAMPLER_ARG: "1" };
    const started = await startLogged({
      SLIPWAY_DATA_DIR: dataDir,
      SLIPWAY_API_KEY: adminKey,
      ...credentials.env,
      ...traced,
    });
    processes.push(started);
    return started;
  }
  function clientOf({ url }: LoggedProcess): RecordingClient {
    const client = recordAnswers(createApiClient(url, adminKey), (path) => path.startsWith("/sandbox/"));
    clients.push(client);
    return client;
  }
  async function leaks(): Promise<Hit[]> {
    const { hits: inFiles, searchedBytes } = await searchFolder(dataDir, needles, CUSTOMERS_CLOUD);
    assert.ok(searchedBytes > 10_000_000, `searched ${searchedBytes} bytes`);
    const texts: [string, Buffer][] = [
      ...processes.map(({ output }, index): [string, Buffer] => [`output of process ${index}`, output()]),
      ["spans", collector.bytes()],
      ["answers", Buffer.from(clients.flatMap(({ answers }) => answers).join("\n"))],
    ];
    const inTexts = texts.flatMap(([place, bytes]) =>
      findNeedles(bytes, needles).map((form) => ({ place, form })),
    );
    return [...inFiles, ...inTexts];
  }
  /** Spans of all that was done so far are sent within seconds. */
  async function untilTraced(name: string): Promise<void> {
    await until(() => collector.spans().some((span) => span.name === name), `a span ${name} arrives`);
  }
  async function noteMetrics(client: RecordingClient): Promise<void> {
    for (const path of ["/metrics", "/readyz", "/openapi.json"]) {
      client.note(await (await fetch(`${client.baseUrl}${path}`)).text());
    }
  }

  before(async () => {
    [collector, credentials] = await Promise.all([startTraceReceiver(), startCredentialStory()]);
    dataDir = await makeTempDir("secrets");
    await copyPgliteTemplate(path.join(dataDir, "database"));
    parts = await beginStory(clientOf(await start()), canaries);
  });
  after(async () => {
    await processes.at(-1)?.kill("SIGKILL");
    await collector.stop();
    await credentials.stop();
    await rm(dataDir, { recursive: true, force: true, maxRetries: 5 });
  });

  it("leaves no trace in success, refusals, conflicts, wrong keys and broken connections", async () => {
    await playRequests(parts);
    await untilTraced("reconcile variable-scope");
    assert.deepEqual(await leaks(), []);
  });

  it("leaves no trace when the cloud refuses, fails, or does not answer", async () => {
    await playCloudFailures(parts);
    await noteMetrics(parts.client);
    const told = await parts.client.get("/v1/events?types=env_variables.*&limit=100");
    assert.ok(told.body.events.length > 0);
    await untilTraced("GET /v1/events");
    assert.deepEqual(await leaks(), []);
  });

  it("leaves no trace when the process is killed while values wait, and they arrive afterwards", async () => {
    const runId = await leaveWaiting(parts, "killed");
    await processes.at(-1)?.kill("SIGKILL");
    assert.deepEqual(await leaks(), []);
    parts = { ...parts, client: clientOf(await start()) };
    const run = await finishRun(parts, runId);
    assert.deepEqual(Object.keys(run.storedEnvVariables).sort(), ["WAITING_P", "WAITING_S"]);
  });

  it("is not in an idempotency record that holds a new API key or a session's token", async () => {
    const client = createApiClient(parts.client.baseUrl, adminKey);
    const once = { "idempotency-key": randomUUID() };
    const created = await client.post("/v1/api-keys", { name: "canary" }, once);
    assert.equal(created.status, 201, JSON.stringify(created.body));
    const replayed = await client.post("/v1/api-keys", { name: "canary" }, once);
    assert.equal(replayed.body.key, created.body.key);
    // A session's token is only in its cookie, and in the record of its request.
    const signedIn = await client.post("/v1/sessions", undefined, { "idempotency-key": randomUUID() });
    const [, token = "", secret = ""] =
      /^slipway=(sls_[^.;]+[.]([^;]+));/.exec(signedIn.headers.get("set-cookie") ?? "") ?? [];
    assert.ok(token.startsWith("sls_"), signedIn.text);
    const { pageKey } = signedIn.body as { pageKey: string };
    const asBrowser = await fetch(`${client.baseUrl}/v1/me`, {
      headers: { cookie: `slipway=${token}`, "slipway-page-key": pageKey },
    });
    assert.equal(asBrowser.status, 200);
    // Searched for in the next test, in the files too.
    needles.push(...needlesOf(created.body.key), ...needlesOf(secret), ...needlesOf(pageKey));
  });

  it("of sign-ins and of jobs of CI is nowhere: the client's secret, their tokens, and those of their platform", async () => {
    const secrets = await credentials.play(parts.client);
    needles.push(...secrets.flatMap(needlesOf));
    await untilTraced("POST /v1/auth/workload-token");
    assert.deepEqual(await leaks(), []);
  });

  it("of a webhook endpoint is shown once, and its headers never", async () => {
    const client = createApiClient(parts.client.baseUrl, adminKey);
    const receiver = await startReceiver();
    try {
      const header = `hook-${randomUUID()}`;
      const once = { "idempotency-key": randomUUID() };
      const wanted = { url: receiver.url, types: ["user.*"], headers: { "X-Token": header } };
      const made = await client.post("/v1/webhook-endpoints", wanted, once);
      assert.equal(made.status, 201, made.text);
      const path = `/v1/webhook-endpoints/${made.body.id}`;
      const rotated = await client.post(`${path}/rotate-secret`, {});
      assert.equal(rotated.status, 200, rotated.text);
      for (const secret of [made.body.secret, rotated.body.secret]) {
        const text = String(secret).replace(/^whsec_/, "");
        needles.push({ form: "base64", bytes: Buffer.from(text.slice(0, 40)) });
        needles.push(...needlesOfKey(Buffer.from(text, "base64").toString("base64url")));
      }
      needles.push(...needlesOf(header));
      receiver.answer = (_received, response) => void response.writeHead(500).end("no");
      await client.post(`${path}/ping`);
      await until(() => receiver.received.length > 0, "the ping comes");
      assert.equal(receiver.received[0]?.headers["x-token"], header);
      await until(
        async () => (await parts.client.get(`${path}/deliveries`)).body.deliveries[0]?.lastStatus === 500,
        "the ping's result is recorded",
      );
      const { deliveries } = (await parts.client.get(`${path}/deliveries`)).body;
      for (const place of [path, `${path}/deliveries/${deliveries[0].id}`, "/v1/audit-entries", "/v1/events"])
        await parts.client.get(place);
    } finally {
      await receiver.close();
    }
    assert.deepEqual(await leaks(), []);
  });

  it("in the URL of a notification channel is never shown", async () => {
    const client = createApiClient(parts.client.baseUrl, adminKey);
    const chat = await startChat("slack");
    try {
      const secret = `hook-${randomUUID()}`;
      const wanted = { kind: "slack", name: "Chat", url: `${chat.url}/${secret}` };
      const made = await client.post("/v1/notification-channels", wanted);
      assert.equal(made.status, 201, made.text);
      needles.push(...needlesOf(secret));
      const path = `/v1/notification-channels/${made.body.id}`;
      const tested = await parts.client.post(`${path}/test`);
      assert.deepEqual([tested.body.isAccepted, chat.accepted.length], [true, 1]);
      for (const place of [path, "/v1/audit-entries", "/v1/events"]) await parts.client.get(place);
    } finally {
      await chat.close();
    }
    assert.deepEqual(await leaks(), []);
  });

  it("P7: no key of the key folder is outside of it, before and after a rotation", async () => {
    const folder = path.join(dataDir, "keys");
    const texts = new Set<string>();
    const noteKeys = async (): Promise<void> => {
      for (const name of (await readdir(folder)).filter((one) => one.endsWith(".key")))
        texts.add((await readFile(path.join(folder, name), "utf8")).split("\n")[1] ?? "");
    };
    await noteKeys();
    const keys = async (command: string): Promise<string> => {
      const entry = path.join(import.meta.dirname, "../../bin/slipway.js");
      const env = cleanEnv({ SLIPWAY_DATA_DIR: dataDir });
      return (await promisify(execFile)(process.execPath, [entry, "keys", command], { env })).stdout;
    };
    parts.client.note(await keys("rotate"));
    await until(async () => (await keys("status")).includes("done at"), "all is sealed anew", 60_000);
    parts.client.note(await keys("status"));
    await noteKeys();
    assert.ok(texts.size >= 3, "two at-rest keys and an epoch's");
    const ofKeys = [...texts].flatMap(needlesOfKey);
    const { hits } = await searchFolder(dataDir, ofKeys, ["keys", ...CUSTOMERS_CLOUD]);
    assert.deepEqual(hits, []);
    const outputs = [
      ...processes.map(({ output }) => output()),
      Buffer.from(clients.flatMap(({ answers }) => answers).join("\n")),
    ];
    for (const output of outputs) assert.deepEqual(findNeedles(output, ofKeys), []);
    const planted = await searchFolder(folder, ofKeys);
    assert.ok(planted.hits.length >= texts.size, "the search finds them where they are");
  });

  it("is in no row of any table, in any encoding of the database", async () => {
    await processes.at(-1)?.kill("SIGTERM");
    const db = await openPgliteDatabase({ folder: path.join(dataDir, "database") });
    try {
      const tables = await db.query(LIST_TABLES);
      assert.ok(tables.length > 20);
      for (const { name } of tables) {
        const rows = await db.query(
          readStatement<{ row: string }>(`test_rows_${name}`, `SELECT t::text AS row FROM ${name} AS t`),
        );
        const text = rows.map(({ row }) => row).join("\n");
        assert.deepEqual(findNeedles(Buffer.from(text), needles), [], name);
      }
    } finally {
      await db.close();
    }
    assert.deepEqual(await leaks(), []);
  });

  it("is in no backup", async () => {
    const entry = path.join(import.meta.dirname, "../../bin/slipway.js");
    const file = path.join(dataDir, "now.slipway");
    const env = cleanEnv({ SLIPWAY_DATA_DIR: dataDir });
    await promisify(execFile)(process.execPath, [entry, "backup", "--to", file], { env });
    const text = gunzipSync(await readFile(file));
    assert.ok(text.includes('{"table":"env_variable_run_items"') && text.includes('{"complete":'));
    const folder = path.join(dataDir, "keys");
    const keys = (await readdir(folder)).filter((one) => one.endsWith(".key"));
    const texts = await Promise.all(keys.map((name) => readFile(path.join(folder, name), "utf8")));
    const ofKeys = texts.flatMap((key) => needlesOfKey(key.split("\n")[1] ?? ""));
    assert.deepEqual(findNeedles(text, [...needles, ...ofKeys]), []);
  });

  it("would have been found: a planted plain variable is", async () => {
    parts = { ...parts, client: clientOf(await start()) };
    const planted = await parts.client.post(variablesPath(parts), {
      plainText: { PLANTED: canaries.make("planted") },
    });
    assert.equal(planted.status, 200);
    await parts.client.get(variablesPath(parts));
    const places = new Set((await leaks()).map(({ place }) => place));
    assert.ok(places.has("answers"), "the search looks into answers");
    assert.ok(
      [...places].some((place) => place.startsWith("database")),
      "the search looks into the database",
    );
  });
});

const LIST_TABLES = readStatement<{ name: string }>(
  "test_list_tables",
  `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables
    WHERE schemaname NOT IN ('pg_catalog', 'information_schema')`,
);
