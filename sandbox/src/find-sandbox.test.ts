import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { test, type TestContext } from "node:test";
import { findSandbox } from "./find-sandbox.ts";
import { startFixture } from "../../test/helpers/sandbox/sandbox-fixture.ts";

const SECRET = "shared-secret-of-this-test";

/** An HTTP server that is not a sandbox. */
async function startStranger(t: TestContext, status: number, body: string): Promise<string> {
  const server = createServer((_request, response) => response.writeHead(status).end(body));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close());
  const address = server.address();
  return `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`;
}

test("another process finds the DNS and the edge of a sandbox", async (t) => {
  const fixture = await startFixture({ secret: SECRET });
  t.after(() => fixture.stop());
  const { server } = fixture;
  const found = await findSandbox({ url: server.url, secret: SECRET, patienceMs: 0 });
  assert.deepEqual(found, { dnsAddress: server.dnsAddress, edgePort: server.edgePort });
});

test("a sandbox that starts later is waited for", async (t) => {
  const holder = await startStranger(t, 200, "");
  const port = Number(new URL(holder).port) + 1;
  const finding = findSandbox({ url: `http://localhost:${port}`, secret: SECRET, patienceMs: 10_000 });
  const fixture = await startFixture({ secret: SECRET, httpPort: port });
  t.after(() => fixture.stop());
  const { server } = fixture;
  assert.deepEqual((await finding).dnsAddress.port, server.dnsAddress.port);
});

test("a wrong secret is reported as such, without showing it", async (t) => {
  const fixture = await startFixture({ secret: SECRET });
  t.after(() => fixture.stop());
  const { server } = fixture;
  await assert.rejects(
    findSandbox({ url: server.url, secret: "another-secret", patienceMs: 0 }),
    (error: Error) =>
      error.name === "SandboxStartError" &&
      error.message.includes("does not accept SLIPWAY_SANDBOX_SECRET") &&
      !error.message.includes("another-secret"),
  );
});

for (const [what, status, body] of [
  ["a page", 200, "<html></html>"],
  ["other JSON", 200, '{"ok": true}'],
  ["nothing there", 404, ""],
  ["a redirect", 302, ""],
] as const) {
  test(`a server that answers with ${what} is reported as another server than a sandbox`, async (t) => {
    const url = await startStranger(t, status, body);
    await assert.rejects(
      findSandbox({ url, secret: SECRET, patienceMs: 0 }),
      /is not a sandbox of this release/,
    );
  });
}

test("a proxy in front of an absent sandbox is reported as not answering", async (t) => {
  const url = await startStranger(t, 502, "");
  await assert.rejects(findSandbox({ url, secret: SECRET, patienceMs: 0 }), /does not answer at/);
});

test("if nothing listens, the message says how to start a sandbox", async () => {
  // Port 9 (discard) has no listener where tests run.
  await assert.rejects(
    findSandbox({ url: "http://127.0.0.1:9", secret: SECRET, patienceMs: 0 }),
    /does not answer at http:\/\/127\.0\.0\.1:9 .*npm run slipway -- sandbox/,
  );
});
