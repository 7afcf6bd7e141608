import assert from "node:assert/strict";
import { createServer } from "node:http";
import { test } from "node:test";
import { startTestOrigin } from "../testing.ts";
import { CaddyError, createCaddyAdmin } from "./caddy-admin.ts";

const caddySays = (error: string) => JSON.stringify({ error });

test("a failure of Caddy's admin API says what to do", async (t) => {
  let answer: { readonly status: number; readonly body: string } = { status: 200, body: "" };
  const at = await startTestOrigin(
    t,
    createServer((request, response) => {
      request.resume().once("end", () => response.writeHead(answer.status).end(answer.body));
    }),
  );
  const admin = createCaddyAdmin(`http://${at}`);
  for (const [status, body, says] of [
    [403, caddySays("host not allowed: x"), /refuses http:.*host not allowed: x.*Set SLIPWAY_EDGE_CADDY/],
    [400, caddySays("listen tcp :443: bind: address already in use"), /already in use.*free that port/],
    [400, caddySays("unknown module: tls.get_certificate.http"), /install Caddy 2\.6 or later/],
    [404, "<h1>Not found</h1>", /Another program.*with 404.*Set SLIPWAY_EDGE_CADDY/],
  ] as const) {
    answer = { status, body };
    const isClear = (error: unknown) => error instanceof CaddyError && says.test(error.message);
    await assert.rejects(admin.load({}), isClear, body);
  }
  answer = { status: 200, body: "<h1>Welcome</h1>" };
  await assert.rejects(admin.read("admin"), /Another program.*with 200/);
  answer = { status: 400, body: caddySays("invalid traversal path at: config/apps") };
  assert.equal(await admin.read("apps/tls"), null);
});
