import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:https";
import { it } from "node:test";
import { TEST_CERTIFICATE, TEST_PRIVATE_KEY } from "../../../test/helpers/git/certificate.ts";
import { createCaaIssuers } from "./ca-issuers.ts";

it("asks a CA until it answers, at most once a minute, and uses its domain until then", async (t) => {
  let status = 503;
  let requests = 0;
  const server = createServer({ cert: TEST_CERTIFICATE, key: TEST_PRIVATE_KEY }, (_request, response) => {
    requests += 1;
    response
      .writeHead(status)
      .end(JSON.stringify({ meta: { caaIdentities: ["ca.example", "old.example"] } }));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close());
  const address = server.address();
  assert.ok(address !== null && typeof address === "object");
  let nowMs = 0;
  const directory = `https://localhost:${address.port}/directory`;
  const issuers = createCaaIssuers([directory, directory], TEST_CERTIFICATE, () => nowMs);
  assert.equal(requests, 0);
  assert.deepEqual(await issuers(), ["localhost"]);
  status = 200;
  assert.deepEqual(await issuers(), ["localhost"]);
  assert.equal(requests, 2);
  nowMs = 60_000;
  for (const _again of [1, 2]) assert.deepEqual(await issuers(), ["ca.example", "old.example"]);
  nowMs = 600_000;
  assert.deepEqual(await issuers(), ["ca.example", "old.example"]);
  assert.equal(requests, 4);
});
