import assert from "node:assert/strict";
import { test } from "node:test";
import fastify from "fastify";
import { setProblemHandlers } from "./problems.ts";

test("an unexpected failure is a bare 500, and is logged with its cause and request id", async () => {
  const logged: object[] = [];
  const app = fastify();
  setProblemHandlers(app, {
    info: () => assert.fail("nothing is logged at this level"),
    warn: (fields) => void logged.push(fields),
  });
  const cause = new Error("a detail of the inside");
  app.get("/broken", () => Promise.reject(cause));
  const answer = await app.inject({ url: "/broken" });
  const { code, requestId } = answer.json();
  assert.deepEqual([answer.statusCode, code], [500, "INTERNAL"]);
  assert.ok(!answer.body.includes(cause.message));
  assert.deepEqual(logged, [{ err: cause, requestId }]);
});
