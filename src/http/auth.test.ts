import { FULL_ACCESS, type Principal } from "../lib/actor.ts";
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { describe, it, mock } from "node:test";
import type { FastifyReply, FastifyRequest } from "fastify";
import { newApiKey } from "../lib/api-key.ts";
import type { AppError } from "../lib/errors.ts";
import { createAuthentication, type GivenCredential } from "./auth.ts";
import { createHostCookie } from "./session-cookie.ts";

const PRINCIPAL: Principal = {
  organizationId: "org_a",
  userId: "user_a",
  credential: { kind: "api-key", id: "key_a" },
  role: "admin",
  access: FULL_ACCESS,
};
const REPLY = {} as FastifyReply;

function requestWith(authorization: string | undefined): FastifyRequest {
  return {
    id: "request",
    ip: "127.0.0.1",
    headers: { authorization },
    actor: null,
  } as unknown as FastifyRequest;
}

function setUp() {
  let principal: Principal | null = PRINCIPAL;
  const findPrincipal = mock.fn(async (_given: GivenCredential) => principal);
  const admit = mock.fn();
  const { authenticate } = createAuthentication({
    findPrincipal,
    sessionCookie: createHostCookie("slipway", "http://127.0.0.1"),
    publicOrigin: "http://127.0.0.1",
    admit,
    know: () => undefined,
  });
  return {
    findPrincipal,
    admit,
    setPrincipal: (next: Principal | null) => (principal = next),
    isAdmitted: async (authorization: string | undefined) => {
      try {
        await authenticate(requestWith(authorization), REPLY);
        return true;
      } catch (error) {
        assert.equal((error as AppError).code, "UNAUTHENTICATED");
        return false;
      }
    },
  };
}

describe("authentication", () => {
  it("does not ask the database about a key with a wrong checksum, length or form", async () => {
    const { findPrincipal, isAdmitted } = setUp();
    const key = newApiKey();
    const last = key.endsWith("0") ? "1" : "0";
    const mistyped = [
      `${key.slice(0, -1)}${last}`,
      key.slice(0, -1),
      `${key}0`,
      key.toUpperCase().replace("SLW_", "slw_"),
      `${key.slice(0, 8)}${key.charAt(8) === "a" ? "b" : "a"}${key.slice(9)}`,
    ];
    for (const wrong of mistyped) assert.equal(await isAdmitted(`Bearer ${wrong}`), false, wrong);
    for (const header of [undefined, "", "Bearer", `Basic ${key}`, `Bearer ${key} ${key}`])
      assert.equal(await isAdmitted(header), false);
    assert.equal(findPrincipal.mock.callCount(), 0);
    assert.equal(await isAdmitted(`Bearer ${key}`), true);
    assert.equal(findPrincipal.mock.callCount(), 1);
  });

  it("asks the database only by a key's hash, which a similar key does not share", async () => {
    const { findPrincipal, isAdmitted } = setUp();
    const key = newApiKey();
    await isAdmitted(`Bearer ${key}`);
    assert.deepEqual(findPrincipal.mock.calls[0]?.arguments, [
      { kind: "api-key", hash: createHash("sha256").update(key).digest(), organizationId: null },
    ]);
  });

  it("asks once for a key in use, and again within five seconds", async (t) => {
    t.mock.timers.enable({ apis: ["Date"], now: 1_000_000 });
    const { findPrincipal, isAdmitted, setPrincipal } = setUp();
    const header = `Bearer ${newApiKey()}`;
    for (let times = 0; times < 20; times += 1) assert.equal(await isAdmitted(header), true);
    assert.equal(findPrincipal.mock.callCount(), 1);
    setPrincipal(null);
    t.mock.timers.tick(4_900);
    assert.equal(await isAdmitted(header), false, "revoked");
  });

  it("does not remember that a key was unknown: a new key works at once", async () => {
    const { isAdmitted, setPrincipal } = setUp();
    const header = `Bearer ${newApiKey()}`;
    setPrincipal(null);
    assert.equal(await isAdmitted(header), false);
    setPrincipal(PRINCIPAL);
    assert.equal(await isAdmitted(header), true);
  });

  it("takes from the rate limit only for valid keys, by their id", async () => {
    const { admit, isAdmitted, setPrincipal } = setUp();
    setPrincipal(null);
    await isAdmitted(`Bearer ${newApiKey()}`);
    assert.equal(admit.mock.callCount(), 0);
    setPrincipal(PRINCIPAL);
    await isAdmitted(`Bearer ${newApiKey()}`);
    assert.deepEqual(admit.mock.calls[0]?.arguments[0], "key_a");
  });
});
