/** Managed variables of an own server with a real OpenBao or Vault, from the API to the store (`npm run test:vault`). */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { test } from "node:test";
import { startHostInstance } from "../helpers/host/host-instance.ts";
import { makeTempDir } from "../helpers/template.ts";
import { until } from "../helpers/until.ts";
import { findNeedles, needlesOf, searchFolder } from "../security/needles.ts";

const address = process.env["SLIPWAY_TEST_VAULT"] ?? "";
const token = process.env["SLIPWAY_TEST_VAULT_TOKEN"] ?? "";

test("an own server keeps managed variables in OpenBao, and nothing of them on its disk", async (t) => {
  const tokenFile = path.join(await makeTempDir("vault-token"), "token");
  await writeFile(tokenFile, `${token}\n`, { mode: 0o600 });
  const instance = await startHostInstance({
    env: { SLIPWAY_VAULT_ADDRESS: address, SLIPWAY_VAULT_TOKEN_FILE: tokenFile },
  });
  t.after(() => instance.stop());
  const serviceId = await instance.createService("shop", "localhost:1");
  const { environmentId } = (await instance.api.get(`/v1/services/${serviceId}`)).body;
  const variables = `/v1/environments/${environmentId}/env-variables`;
  const canary = `canary-${randomBytes(12).toString("hex")}`;
  const { body: run } = await instance.api.post(variables, {
    parameterStore: { TOKEN: canary },
    secretsManager: { PASSWORD: canary },
  });
  await until(async () => {
    const { body } = await instance.api.get(`${variables}/status?runId=${run.runId}`);
    return body.processedEnvVariables === 2;
  }, "the values are stored");
  const found = await Promise.all(
    ["parameter", "secret"].map((kind) => findIn(`secret/metadata/slipway/${kind}`)),
  );
  for (const texts of found) assert.ok(texts.includes(canary));
  const needles = needlesOf(canary);
  const { hits, searchedBytes } = await searchFolder(instance.dataDir, needles);
  assert.deepEqual(hits, []);
  assert.ok(searchedBytes > 1_000_000);
  assert.deepEqual(findNeedles(Buffer.from(instance.log()), needles), []);
  assert.ok(!instance.log().includes(token));
});

/** All texts below a folder of the secrets engine that development servers have. */
async function findIn(folder: string): Promise<readonly string[]> {
  const read = async (at: string) =>
    (await (await fetch(`${address}/v1/${at}`, { headers: { "x-vault-token": token } })).json()) as {
      data?: { keys?: readonly string[]; data?: { value?: string } };
    };
  const keys = (await read(`${folder}?list=true`)).data?.keys ?? [];
  const parts = keys.map(async (key) => {
    if (key.endsWith("/")) return await findIn(`${folder}/${key.slice(0, -1)}`);
    const { data } = await read(`${folder.replace("/metadata/", "/data/")}/${key}`);
    return [data?.data?.value ?? ""];
  });
  return (await Promise.all(parts)).flat();
}
