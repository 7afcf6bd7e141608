import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { type TestContext, test } from "node:test";
import { Refusal } from "../refusal.ts";
import { OPEN_VAULT } from "../vault.ts";
import { keepInDocuments, keepInOpenBao } from "./open-bao.ts";

const PLACE = "secret 111122223333/us-west-2/PASSWORD";
const BY_ROLE = { kind: "app-role", path: "approle", roleId: "role", secretId: "secret" } as const;
const BY_TOKEN = { kind: "token", token: async () => "token" } as const;

async function serve(t: TestContext, answer: RequestListener): Promise<string> {
  const server = createServer(answer).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
const isRetryable = (message: string) => (error: unknown) =>
  error instanceof Refusal && error.kind === "retryable" && error.message.includes(message);

for (const login of [BY_ROLE, BY_TOKEN]) {
  test(`a sealed store is named as sealed, with a login by ${login.kind}`, async (t) => {
    const address = await serve(t, (_request, response) => {
      response.writeHead(503).end('{"errors":["Vault is sealed"]}');
    });
    const keeper = keepInOpenBao({ address, mount: "secret", login }, OPEN_VAULT);
    await assert.rejects(keeper.read(PLACE, "bao:1"), isRetryable("It is sealed. Unseal it."));
  });
}

test("a store that never answers is named before a call of Slipway gives up", async (t) => {
  const address = await serve(t, () => undefined);
  const keeper = keepInOpenBao({ address, mount: "secret", login: BY_ROLE }, OPEN_VAULT);
  const begun = performance.now();
  await assert.rejects(keeper.write(PLACE, "text", null), isRetryable("does not answer"));
  assert.ok(performance.now() - begun < 5_000);
});

test("the state of the store is found without a value in it", async (t) => {
  let answer: readonly [status: number, body: string] = [404, '{"errors":[]}'];
  const address = await serve(t, (_request, response) => response.writeHead(answer[0]).end(answer[1]));
  const keeper = keepInOpenBao({ address, mount: "secret", login: BY_TOKEN }, OPEN_VAULT);
  assert.equal(await keeper.findProblem(), null);
  answer = [404, '{"errors":["no handler for route \\"secret/data/slipway/check\\""]}'];
  assert.match((await keeper.findProblem()) ?? "", /no secrets engine KV .* at secret\. Enable it/);
  answer = [403, '{"errors":["permission denied"]}'];
  assert.match((await keeper.findProblem()) ?? "", /refuses the token .* Renew it if it has expired/);
  answer = [503, '{"errors":["Vault is sealed"]}'];
  assert.match((await keeper.findProblem()) ?? "", /It is sealed\. Unseal it\./);
});

test("a value of a store that is not configured any more says so", async () => {
  const keeper = keepInDocuments(OPEN_VAULT);
  assert.equal(await keeper.read(PLACE, await keeper.write(PLACE, "text", null)), "text");
  await assert.rejects(keeper.read(PLACE, "bao:1"), isRetryable("Set SLIPWAY_VAULT_ADDRESS again"));
});
