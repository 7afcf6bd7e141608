/** The key folder under a key of AWS KMS, which moto plays: switched on, away, refused, and taken off again. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { once } from "node:events";
import { readdir, readFile, rm } from "node:fs/promises";
import { createServer, request, type Server } from "node:http";
import path from "node:path";
import { text } from "node:stream/consumers";
import { promisify } from "node:util";
import { after, afterEach, before, describe, it } from "node:test";
import { createApiClient } from "../helpers/api-client.ts";
import { ADMIN_KEY } from "../helpers/instance.ts";
import { CONFIG, createProject, createProjectIn } from "../helpers/customers/scenario.ts";
import { cleanEnv, type ServiceProcess, startProcess } from "../helpers/processes/service-process.ts";
import { copyPgliteTemplate, makeTempDir } from "../helpers/template.ts";
import { until } from "../helpers/until.ts";
import { needlesOfKey, searchFolder } from "../security/needles.ts";
import { MOTO_URL, NEEDS_MOTO } from "./moto-url.ts";

const ENTRY = path.join(import.meta.dirname, "../../bin/slipway.js");
const REGION = "eu-central-1";

/** What an operator does in KMS; without the SDK, as a look with other eyes. */
async function ask(operation: string, body: object) {
  const answer = await fetch(MOTO_URL ?? "", {
    method: "POST",
    headers: {
      "content-type": "application/x-amz-json-1.1",
      "x-amz-target": `TrentService.${operation}`,
      authorization: `AWS4-HMAC-SHA256 Credential=test/20260101/${REGION}/kms/aws4_request, SignedHeaders=host, Signature=none`,
    },
    body: JSON.stringify(body),
  });
  assert.equal(answer.status, 200, operation);
  const text = await answer.text();
  return text === "" ? {} : JSON.parse(text);
}

type Call = { readonly target: string; readonly body: Record<string, unknown> };

describe("P7: keys wrapped by AWS KMS", { skip: MOTO_URL === null ? NEEDS_MOTO : false }, () => {
  let folder: string;
  let keys: string;
  let proxy: Server;
  let endpoint: string;
  let calls: Call[];
  /** What KMS answers instead: an error by its name, or, with "away", nothing. */
  let fault: string | null = null;
  let keyArn: string;
  let awsAccountId: string;
  let running: ServiceProcess | null = null;

  before(async () => {
    folder = await makeTempDir("kms");
    keys = path.join(folder, "keys");
    await copyPgliteTemplate(path.join(folder, "database"));
    calls = [];
    // In front of moto: what is asked of KMS is seen, and it can go away.
    proxy = createServer((incoming, answer) => {
      void text(incoming).then((body) => {
        calls.push({ target: String(incoming.headers["x-amz-target"]), body: JSON.parse(body || "{}") });
        if (fault === "away") return answer.destroy();
        if (fault !== null) {
          return answer.writeHead(400, { "x-amzn-errortype": fault }).end(`{"__type":"${fault}"}`);
        }
        const { method, url, headers } = incoming;
        const onward = request(new URL(url ?? "/", MOTO_URL ?? ""), { method, headers }, (response) => {
          answer.writeHead(response.statusCode ?? 500, response.headers);
          response.pipe(answer);
        });
        onward.on("error", () => answer.destroy());
        return onward.end(body);
      });
    }).listen(0, "127.0.0.1");
    await once(proxy, "listening");
    const address = proxy.address();
    endpoint = `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`;
    keyArn = (await ask("CreateKey", {})).KeyMetadata.Arn;
  });
  afterEach(async () => {
    fault = null;
    await stop("SIGKILL");
  });
  after(async () => {
    proxy.close();
    proxy.closeAllConnections();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  });

  const env = (more: Record<string, string>): Record<string, string> => ({
    SLIPWAY_DATA_DIR: folder,
    SLIPWAY_API_KEY: ADMIN_KEY,
    AWS_ENDPOINT_URL: endpoint,
    AWS_ACCESS_KEY_ID: "test",
    AWS_SECRET_ACCESS_KEY: "test",
    AWS_EC2_METADATA_DISABLED: "true",
    ...more,
  });
  async function start(more: Record<string, string> = {}) {
    running = await startProcess(env(more));
    return createApiClient(running.url, ADMIN_KEY);
  }
  async function stop(signal: "SIGTERM" | "SIGKILL" = "SIGTERM"): Promise<void> {
    running?.process.kill(signal);
    await running?.ended;
    running = null;
  }
  /** What a start says that fails. */
  async function refused(more: Record<string, string>): Promise<string> {
    const words = await startProcess(env(more)).then(
      async ({ process }) => {
        process.kill("SIGKILL");
        return assert.fail("it started");
      },
      (error: unknown) => String(error),
    );
    assert.ok(!words.includes("    at "), words);
    return words;
  }
  async function operate(command: string, more: Record<string, string>): Promise<string> {
    const done = await promisify(execFile)(process.execPath, [ENTRY, "keys", command], {
      env: cleanEnv(env(more)),
    });
    return done.stdout;
  }
  async function privateKeys(): Promise<Record<string, string>> {
    const names = (await readdir(keys)).filter((name) => name.endsWith(".key"));
    const texts = await Promise.all(names.map((name) => readFile(path.join(keys, name), "utf8")));
    return Object.fromEntries(names.map((name, index) => [name, texts[index] ?? ""]));
  }
  async function assertWrapped(): Promise<void> {
    const files = await privateKeys();
    assert.ok(Object.keys(files).length >= 2, "the at-rest key and an epoch's");
    for (const [name, content] of Object.entries(files)) assert.match(content, /^slipway 1 wrapped /, name);
  }
  async function storeValue(api: ReturnType<typeof createApiClient>, name: string): Promise<void> {
    const environments = await api.get(`/v1/projects/${project}/environments`);
    const variables = `/v1/environments/${environments.body.environments[0].id}/env-variables`;
    const sent = await api.post(variables, { secretsManager: { [name]: "a value" } });
    assert.equal(sent.status, 202, sent.text);
    await until(async () => {
      const { body } = await api.get(`${variables}/status?runId=${sent.body.runId}`);
      return body.isFinished && body.storedEnvVariables[name] !== undefined;
    }, `${name} is stored`);
  }
  let project: string;
  let context = "";

  it("S15: KMS wraps the existing keys of a folder, and everything they sealed opens", async () => {
    const api = await start();
    const made = await createProject(api, "wrapped");
    project = made.projectId;
    ({ awsAccountId } = made);
    await storeValue(api, "BEFORE");
    await stop();
    const before = Object.values(await privateKeys()).map((content) => content.split("\n")[1] ?? "");
    assert.ok(before.length >= 2);
    assert.equal(calls.length, 0, "without the variable KMS is not asked");

    const wrapped = await start({ SLIPWAY_KMS_KEY_ID: keyArn });
    await assertWrapped();
    for (const name of await readdir(keys)) {
      const content = await readFile(path.join(keys, name), "utf8");
      for (const secret of before) assert.ok(!content.includes(secret), `${name} still has a key`);
    }
    await createProjectIn(wrapped, awsAccountId, "after", CONFIG);
    await storeValue(wrapped, "AFTER");
    await assertWrapped();
    const asked = calls.splice(0);
    const targets = asked.map(({ target }) => target);
    assert.deepEqual(targets, ["TrentService.Encrypt"], "one call, and no more while it runs");
    assert.equal(asked[0]?.body["KeyId"], keyArn);
    context = JSON.stringify(asked[0]?.body["EncryptionContext"]);
    assert.match(context, /^\{"slipway:key":"folder-key-[0-9a-f]{16}"\}$/);
    await stop();
  });

  it("P7: asks once at the start, for the same key and name, and continues while KMS is away", async () => {
    const api = await start({ SLIPWAY_KMS_KEY_ID: keyArn });
    assert.deepEqual(
      calls.map(({ target }) => target),
      ["TrentService.Decrypt"],
    );
    assert.equal(calls[0]?.body["KeyId"], keyArn);
    assert.equal(JSON.stringify(calls[0]?.body["EncryptionContext"]), context);
    fault = "away";
    await createProjectIn(api, awsAccountId, "while-away", CONFIG);
    await storeValue(api, "AWAY");
    await stop();
  });

  it("P7: explains why it cannot start", async () => {
    for (const [kind, words] of [
      ["DisabledException", /cannot be used: it is disabled or about to be deleted\. Enable it/],
      ["AccessDeniedException", /access is denied\. Allow Slipway's role kms:Encrypt and kms:Decrypt/],
      ["ExpiredTokenException", /AWS does not accept this process's credentials/],
      ["away", /AWS KMS did not answer .*Check that this machine can reach it, and start again/],
    ] as const) {
      fault = kind;
      assert.match(await refused({ SLIPWAY_KMS_KEY_ID: keyArn }), words);
    }
    fault = null;
    const missing = await refused({});
    assert.match(
      missing,
      new RegExp(`are wrapped by a key of AWS KMS\\. Set SLIPWAY_KMS_KEY_ID to ${keyArn} again`),
    );
    const elsewhere = path.join(folder, "other");
    const gone = await refused({
      SLIPWAY_KMS_KEY_ID: keyArn.replace(/key\/.*$/, "key/00000000-0000-0000-0000-000000000000"),
      SLIPWAY_SEALING_KEYS: elsewhere,
    });
    assert.match(gone, /its region has no such key/);
    const placeless = await refused({ SLIPWAY_KMS_KEY_ID: "alias/slipway", SLIPWAY_SEALING_KEYS: elsewhere });
    assert.match(placeless, /its region is not set/);
  });

  it("P7: rotates to a wrapped key, moves to another key of KMS, and is removed by a command", async () => {
    const aliased = { SLIPWAY_KMS_KEY_ID: "alias/slipway", AWS_REGION: REGION };
    const second = (await ask("CreateKey", {})).KeyMetadata.KeyId;
    await ask("CreateAlias", { AliasName: "alias/slipway", TargetKeyId: second });
    const api = await start(aliased);
    await operate("rotate", aliased);
    await until(async () => (await operate("status", aliased)).includes("done at"), "all is sealed anew");
    await assertWrapped();
    assert.match(await operate("status", aliased), new RegExp(`Wrapped by {2}arn:.*${second}`));
    await createProjectIn(api, awsAccountId, "rotated", CONFIG);
    await assert.rejects(
      operate("rotate", {}),
      /Set SLIPWAY_KMS_KEY_ID to the service's value: alias\/slipway/,
    );
    await stop();

    assert.match(await operate("unwrap", aliased), /^Unwrapped \d+ keys\./);
    calls.length = 0;
    const plain = await start();
    await createProjectIn(plain, awsAccountId, "unwrapped", CONFIG);
    await storeValue(plain, "UNWRAPPED");
    assert.equal(calls.length, 0);
  });

  it("P7: neither the folder's key nor an opened key is in what the service wrote", async () => {
    await stop();
    const secrets = Object.values(await privateKeys()).map((content) => content.split("\n")[1] ?? "");
    assert.ok(secrets.every((secret) => secret.length === 43));
    const needles = secrets.flatMap(needlesOfKey);
    const { hits, searchedBytes } = await searchFolder(folder, needles, ["keys"]);
    assert.ok(searchedBytes > 0);
    assert.deepEqual(hits, []);
  });
});
