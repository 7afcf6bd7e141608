import assert from "node:assert/strict";
import { describe, it } from "node:test";
import Fastify from "fastify";
import { createHostCookie } from "./session-cookie.ts";

async function ask(
  publicUrl: string,
  headers: Readonly<Record<string, string>>,
): Promise<{ set: string; read: string | null }> {
  const cookie = createHostCookie("slipway", publicUrl);
  const app = Fastify({ trustProxy: ["127.0.0.1"] });
  app.get("/", (request, reply) => {
    cookie.set(request, reply, { value: "made", maxAgeSeconds: 60 });
    return reply.send({ read: cookie.read(request) });
  });
  const answer = await app.inject({ url: "/", headers: { ...headers } });
  return { set: String(answer.headers["set-cookie"]), read: answer.json<{ read: string | null }>().read };
}

describe("the cookie of a session", () => {
  it("is only for this host and HTTPS, if browsers use HTTPS", async () => {
    const secure = /^__Host-slipway=made; Path=\/; Max-Age=60; HttpOnly; SameSite=Lax; Secure$/;
    assert.match((await ask("https://slipway.example", {})).set, secure);
    assert.match((await ask("http://127.0.0.1:4000", { "x-forwarded-proto": "https" })).set, secure);
    assert.match((await ask("http://127.0.0.1:4000", {})).set, /^slipway=made; (?!.*Secure)/);
  });

  it("is read by its whole name", async () => {
    const cookie = "not-slipway=1; slipway=plain; __Host-slipway=secure";
    assert.equal((await ask("https://slipway.example", { cookie })).read, "secure");
    assert.equal((await ask("http://127.0.0.1:4000", { cookie })).read, "plain");
    assert.equal((await ask("https://slipway.example", { cookie: "slipway=plain" })).read, null);
    assert.equal((await ask("http://127.0.0.1:4000", {})).read, null);
  });
});
