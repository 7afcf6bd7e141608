import assert from "node:assert/strict";
import type { ApiAnswer } from "./api-client.ts";

/** A problem document without what is each request's own. */
export function problemOf({ status, body }: ApiAnswer): unknown {
  const { requestId, instance, ...rest } = body;
  assert.equal(typeof requestId, "string");
  assert.equal(typeof instance, "string");
  return { answered: status, ...rest };
}

/** Checks a refusal's status and code, and that it says something. @returns its faults as `path code`, sorted */
export function assertRefused(answer: ApiAnswer, status: number, code: string): readonly string[] {
  assert.equal(answer.status, status, JSON.stringify(answer.body));
  assert.equal(answer.body.code, code, JSON.stringify(answer.body));
  assert.ok(answer.body.detail.length > 10);
  const errors = (answer.body.errors ?? []) as readonly { path: string; code: string }[];
  return errors.map((fault) => `${fault.path} ${fault.code}`).sort();
}

/** Checks that these requests, one for a missing id and one for another organization's, get the same answer. */
export function assertSameNotFound(missing: ApiAnswer, foreign: ApiAnswer): void {
  assertRefused(missing, 404, "NOT_FOUND");
  // As text, so that the order of the fields counts too.
  assert.equal(JSON.stringify(problemOf(foreign)), JSON.stringify(problemOf(missing)));
  assert.deepEqual([...foreign.headers.keys()], [...missing.headers.keys()]);
}
