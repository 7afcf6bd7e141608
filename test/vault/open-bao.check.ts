/**
 * `npm run test:vault`: managed values in a real OpenBao or HashiCorp Vault, which SLIPWAY_TEST_VAULT (its address) and
 * SLIPWAY_TEST_VAULT_TOKEN (a token that may change policies, as a development server's root token) name.
 */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { rm } from "node:fs/promises";
import { createServer } from "node:http";
import path from "node:path";
import { after, before, describe, it } from "node:test";
import {
  createParameters,
  createSecrets,
  type ValueStore,
} from "../../sandbox/src/accounts/managed-values.ts";
import { keepInOpenBao, type OpenBaoConfig } from "../../sandbox/src/host/open-bao.ts";
import { keepSealed } from "../../sandbox/src/accounts/value-keeper.ts";
import { Refusal } from "../../sandbox/src/refusal.ts";
import { openState, type SandboxState } from "../../sandbox/src/state.ts";
import { instantTuning } from "../../sandbox/src/tuning.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { openKeyFiles } from "../../src/sealing/open-sealing.ts";
import { type HostVault, openHostVault } from "../../src/sealing/vault.ts";
import { makeTempDir } from "../helpers/template.ts";
import { needlesOf, searchFolder } from "../security/needles.ts";

const address = process.env["SLIPWAY_TEST_VAULT"] ?? "";
const root = process.env["SLIPWAY_TEST_VAULT_TOKEN"] ?? "";
if (address === "" || root === "") throw new Error("Set SLIPWAY_TEST_VAULT and SLIPWAY_TEST_VAULT_TOKEN.");
const run = randomBytes(4).toString("hex");
const MOUNT = `kv-${run}`;
const POLICY = `slipway-${run}`;
const ACCOUNT = "111122223333";
const REGION = "us-west-2";

async function admin(method: string, at: string, body?: object): Promise<Record<string, unknown>> {
  const answer = await fetch(`${address}/v1/${at}`, {
    method,
    headers: { "x-vault-token": root },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  assert.ok(answer.status < 300, `${method} ${at}: ${answer.status} ${text}`);
  return text === "" ? {} : (JSON.parse(text) as Record<string, unknown>);
}

describe("managed values in OpenBao", () => {
  let folder: string;
  let state: SandboxState;
  let vault: HostVault;
  before(async () => {
    folder = await makeTempDir("open-bao");
    state = openState(path.join(folder, "host"));
    vault = await openHostVault(
      await openKeyFiles({ folder: path.join(folder, "keys"), clock: systemClock }),
    );
    await admin("POST", `sys/mounts/${MOUNT}`, { type: "kv", options: { version: "2" } });
    const all = 'capabilities = ["create", "read", "update", "delete"]';
    await admin("PUT", `sys/policies/acl/${POLICY}`, {
      policy: ["data", "metadata"].map((part) => `path "${MOUNT}/${part}/slipway/*" { ${all} }`).join("\n"),
    });
  });
  after(async () => {
    await admin("DELETE", `sys/mounts/${MOUNT}`);
    await admin("DELETE", `sys/policies/acl/${POLICY}`);
    state.close();
    await rm(folder, { recursive: true, force: true });
  });

  async function newToken(): Promise<string> {
    const { auth } = await admin("POST", "auth/token/create", { policies: [POLICY], ttl: "10m" });
    return (auth as { client_token: string }).client_token;
  }
  const byToken = (token: () => Promise<string>): OpenBaoConfig => ({
    address,
    mount: MOUNT,
    login: { kind: "token", token },
  });
  function open(config: OpenBaoConfig) {
    const values: ValueStore = { vault, keeper: keepInOpenBao(config, vault) };
    return {
      keeper: values.keeper,
      parameters: createParameters(state, values, instantTuning),
      secrets: createSecrets(state, values),
    };
  }
  const isUnavailable = (why: RegExp) => (error: unknown) =>
    error instanceof Refusal && error.kind === "retryable" && why.test(error.message);

  it("are written once for each token, read, and deleted with all their versions", async () => {
    const token = await newToken();
    const { parameters, secrets } = open(byToken(async () => token));
    const canary = `canary-${randomBytes(12).toString("hex")}`;
    const name = "/slipway/project/env/TOKEN";
    for (const [value, write] of [
      ["first", "1"],
      [canary, "2"],
      [canary, "2"],
    ] as const) {
      assert.deepEqual(await parameters.put(ACCOUNT, { region: REGION, name, value, token: write }), {
        reference: name,
      });
    }
    const { reference } = await secrets.put(ACCOUNT, {
      region: REGION,
      name: "slipway/project/env/PASSWORD",
      value: canary,
      token: "1",
    });
    assert.equal((await secrets.resolve(ACCOUNT, REGION, reference))?.value, canary);
    const [kept] = await parameters.list(ACCOUNT);
    assert.deepEqual([kept?.value, kept?.versionCount], [canary, 2]);
    const { data } = await admin("GET", `${MOUNT}/metadata/slipway/parameter/${ACCOUNT}/${REGION}?list=true`);
    const [key = ""] = (data as { keys: string[] }).keys;
    const { data: found } = await admin(
      "GET",
      `${MOUNT}/metadata/slipway/parameter/${ACCOUNT}/${REGION}/${key}`,
    );
    assert.equal((found as { current_version: number }).current_version, 2);
    const { hits, searchedBytes } = await searchFolder(folder, needlesOf(canary));
    assert.deepEqual(hits, []);
    assert.ok(searchedBytes > 1_000);
    await parameters.delete(ACCOUNT, REGION, name);
    await parameters.delete(ACCOUNT, REGION, name);
    assert.equal(await parameters.resolve(ACCOUNT, REGION, name), null);
    await assert.rejects(
      admin("GET", `${MOUNT}/metadata/slipway/parameter/${ACCOUNT}/${REGION}/${key}`),
      /404/,
    );
  });

  it("have no version twice when the answer, or the process, was lost", async () => {
    const token = await newToken();
    const { keeper } = open(byToken(async () => token));
    const place = `parameter ${ACCOUNT}/${REGION}//slipway/project/env/LOST`;
    const first = await keeper.write(place, "one", null);
    assert.equal(await keeper.write(place, "one", null), first);
    const second = await keeper.write(place, "two", null);
    assert.notEqual(second, first);
    assert.equal(await keeper.write(place, "two", first), second);
    assert.deepEqual([await keeper.read(place, first), await keeper.read(place, second)], ["one", "two"]);
  });

  it("stay apart, whatever their names are", async () => {
    const token = await newToken();
    const { keeper } = open(byToken(async () => token));
    const names = ["a/b", "a//b", "a-b", "../../../../sys/x", "a/../b", "%2e%2e/b"];
    const kept = new Map<string, string>();
    for (const name of names)
      kept.set(name, await keeper.write(`secret ${ACCOUNT}/${REGION}/${name}`, name, null));
    for (const [name, at] of kept)
      assert.equal(await keeper.read(`secret ${ACCOUNT}/${REGION}/${name}`, at), name);
  });

  it("that were sealed before are read, and move with their next change", async () => {
    const sealed = createParameters(state, { vault, keeper: keepSealed(vault) }, instantTuning);
    const write = { region: REGION, name: "/slipway/project/env/OLD", value: "old", token: "1" };
    await sealed.put(ACCOUNT, write);
    const token = await newToken();
    const { parameters } = open(byToken(async () => token));
    assert.equal((await parameters.resolve(ACCOUNT, REGION, write.name))?.value, "old");
    await parameters.put(ACCOUNT, { ...write, value: "new", token: "2" });
    assert.equal((await parameters.resolve(ACCOUNT, REGION, write.name))?.value, "new");
    await parameters.delete(ACCOUNT, REGION, write.name);
  });

  it("are reached with the next token when one ends", async () => {
    let token = await newToken();
    const { keeper } = open(byToken(async () => token));
    const place = `secret ${ACCOUNT}/${REGION}/ends`;
    const kept = await keeper.write(place, "text", null);
    await admin("POST", "auth/token/revoke", { token });
    await assert.rejects(keeper.read(place, kept), isUnavailable(/refuses the token .* Its policy needs/));
    token = await newToken();
    assert.equal(await keeper.read(place, kept), "text");
  });

  it("are reached by an AppRole, and a wrong one is named", async () => {
    await admin("POST", `sys/auth/approle-${run}`, { type: "approle" });
    try {
      await admin("POST", `auth/approle-${run}/role/slipway`, { token_policies: [POLICY] });
      const { data: role } = await admin("GET", `auth/approle-${run}/role/slipway/role-id`);
      const { data: made } = await admin("POST", `auth/approle-${run}/role/slipway/secret-id`, {});
      const roleId = (role as { role_id: string }).role_id;
      const secretId = (made as { secret_id: string }).secret_id;
      const config = (secret: string): OpenBaoConfig => ({
        address,
        mount: MOUNT,
        login: { kind: "app-role", path: `approle-${run}`, roleId, secretId: secret },
      });
      const place = `secret ${ACCOUNT}/${REGION}/by-role`;
      const kept = await open(config(secretId)).keeper.write(place, "text", null);
      assert.equal(await open(config(secretId)).keeper.read(place, kept), "text");
      await assert.rejects(
        open(config("wrong")).keeper.read(place, kept),
        isUnavailable(/refused the AppRole with status 400\. Check SLIPWAY_VAULT_ROLE_ID/),
      );
    } finally {
      await admin("DELETE", `sys/auth/approle-${run}`);
    }
  });

  it("wait while nothing answers, and name a secrets engine that is missing", async () => {
    const token = await newToken();
    const place = `secret ${ACCOUNT}/${REGION}/away`;
    const config = byToken(async () => token);
    const taken = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => taken.once("listening", resolve));
    const at = taken.address();
    assert.ok(at !== null && typeof at === "object");
    taken.close();
    const away = open({ ...config, address: `http://127.0.0.1:${at.port}` });
    await assert.rejects(away.keeper.write(place, "text", null), isUnavailable(/does not answer/));
    const missing = open({ ...byToken(async () => root), mount: `none-${run}` });
    await assert.rejects(
      missing.keeper.write(place, "text", null),
      isUnavailable(/no secrets engine KV \(version 2\) at none-.* SLIPWAY_VAULT_MOUNT/),
    );
  });
});
