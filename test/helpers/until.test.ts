import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { once } from "node:events";
import { after, before, describe, it } from "node:test";
import { type ApiClient, createApiClient } from "./api-client.ts";
import { until } from "./until.ts";

/** Gives the set answers one after the other, and then repeats the last one. */
describe("P12: a test that waits for an answer", () => {
  let answers: { readonly status: number; readonly body: object }[] = [];
  let asked = 0;
  const server = createServer((_request, response) => {
    const { status, body } = answers[Math.min(asked, answers.length - 1)] ?? { status: 500, body: {} };
    asked += 1;
    response.writeHead(status, { "content-type": "application/problem+json" }).end(JSON.stringify(body));
  });
  let client: ApiClient;
  before(async () => {
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    client = createApiClient(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, "key");
  });
  after(() => server.close());

  const AWAY = { status: 503, body: { status: 503, code: "CLOUD_UNAVAILABLE", title: "away" } };
  const STATE = { status: 200, body: { accounts: [{ services: [] }] } };
  const look = async () =>
    ((await client.get("/sandbox/state")).body.accounts[0] as object | undefined) ?? null;

  it("P12: retries after a 503", async () => {
    asked = 0;
    answers = [AWAY, AWAY, STATE];
    assert.deepEqual(await until(look, "the state is reported"), { services: [] });
    assert.equal(asked, 3);
  });

  it("P12: fails at once on a lasting refusal, with the request and the reason", async () => {
    answers = [{ status: 403, body: { status: 403, code: "ROLE_TOO_LOW", detail: "Needs admin." } }];
    await assert.rejects(
      until(look, "the state is reported"),
      /GET \/sandbox\/state was answered 403: .*Needs admin\.[^]*no "accounts"/,
    );
  });

  it("P12: fails with the last refusal as the cause if it does not pass in time", async () => {
    answers = [AWAY];
    await assert.rejects(until(look, "the state is reported", 50), (error: Error) => {
      assert.match(error.message, /Within 50 ms this did not come true: the state is reported/);
      assert.match(String(error.cause), /was answered 503/);
      return true;
    });
  });

  it("P12: may read all fields of a refusal", async () => {
    answers = [AWAY];
    const { body } = await client.get("/");
    assert.deepEqual(body, AWAY.body);
    assert.equal((body as { errors?: unknown }).errors, undefined);
    assert.equal(JSON.stringify(body), JSON.stringify(AWAY.body));
  });
});
