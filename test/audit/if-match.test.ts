/**
 * A8: a PATCH, PUT or DELETE with If-Match takes effect only on the state that it names. The operations come from
 * `/openapi.json`; a new operation needs a line in `SHOWN_AT` if its address cannot be read.
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { CASES, type Resources } from "../guards/authorization-cases.ts";
import { missing, seedResources } from "../guards/authorization-seed.ts";
import type { ApiAnswer } from "../helpers/api-client.ts";
import { type Instance, startInstance } from "../helpers/instance.ts";
import { readOperations } from "../helpers/document/operations.ts";
import { assertRefused } from "../helpers/problems.ts";
import { until } from "../helpers/until.ts";
import { createUserClient } from "../helpers/users.ts";

/** Where what a write changes is read, if not at the write's own address. */
const SHOWN_AT: Readonly<Record<string, string>> = {
  "PUT /v1/projects/{projectId}/access": "/v1/projects/{projectId}",
  "DELETE /v1/domain-certificate-groups/{domainGroupId}/domains/{managedDomainId}": "/v1/domains/{domainId}",
};

describe("If-Match", () => {
  let instance: Instance;
  let own: Resources;
  let writes: readonly string[];
  before(async () => {
    instance = await startInstance();
    own = await seedResources(instance.admin, "own");
    writes = (await readOperations(instance.url))
      .map(({ route }) => route)
      .filter((route) => /^(?:PATCH|PUT|DELETE) \/v1\//.test(route));
    assert.ok(writes.length >= 11, writes.join(", "));
  });
  after(() => instance.dispose());

  it("A8: with another, a weak or several wrong ETags refuses every change", async () => {
    for (const write of writes) {
      const etag = await etagOf(write);
      for (const tags of ['"another"', `W/${etag}`, '"", "a,b" ,W/"c"', `"x${etag.slice(1)}`]) {
        const answer = await change(write, own, tags);
        assertRefused(answer, 412, "PRECONDITION_FAILED");
        const { status, text } = await read(write);
        assert.ok(
          status === 200 && !/"(?:DELETING|DETACHING|REMOVING)"|"Renamed"/.test(text),
          `${write}: ${text}`,
        );
      }
    }
  });

  it("A8: is refused if it is not a list of ETags", async () => {
    for (const tags of ["abc", '"open', '"a" "b"', '*, "a"', ",", '"a\tb"']) {
      const answer = await change(`DELETE /v1/users/{userId}`, own, tags);
      assert.deepEqual(assertRefused(answer, 400, "INVALID_REQUEST"), ["headers/if-match WRONG_FORM"], tags);
    }
  });

  it("A8: does not change the refusals of missing, forbidden or invalid requests", async () => {
    for (const write of writes.filter((one) => one.includes("{"))) {
      for (const tags of ["*", '"another"'])
        assertRefused(await change(write, missing(own), tags), 404, "NOT_FOUND");
    }
    const viewer = await createUserClient(instance.admin, "viewer");
    const path = `/v1/users/${own["userId"]}`;
    assertRefused(await viewer.delete(path, undefined, { "if-match": '"another"' }), 403, "ROLE_TOO_LOW");
    const invalid = await instance.admin.patch(path, { role: "king" }, { "if-match": '"another"' });
    assertRefused(invalid, 400, "INVALID_REQUEST");
  });

  it("A8: of two changes for the same state, one takes effect", async () => {
    for (let round = 0; round < 5; round += 1) {
      const path = `/v1/aws-accounts/${own["awsAccountId"]}`;
      const headers = { "if-match": (await instance.admin.get(path)).headers.get("etag") ?? "" };
      const names = [0, 1, 2, 3].map((number) => `round ${round} of ${number}`);
      const answers = await Promise.all(names.map((name) => instance.admin.patch(path, { name }, headers)));
      assert.deepEqual(
        answers.map(({ status }) => status).toSorted((a, b) => a - b),
        [200, 412, 412, 412],
      );
      const won = answers.findIndex(({ status }) => status === 200);
      assert.equal((await instance.admin.get(path)).body.name, names[won]);
    }
  });

  it("A8: does not affect a replay: a repeated request gets its first answer", async () => {
    const path = `/v1/aws-accounts/${own["awsAccountId"]}`;
    const headers = {
      "if-match": (await instance.admin.get(path)).headers.get("etag") ?? "",
      "idempotency-key": "if-match-and-replay",
    };
    const first = await instance.admin.patch(path, { name: "once" }, headers);
    assert.equal(first.status, 200);
    const again = await instance.admin.patch(path, { name: "once" }, headers);
    assert.deepEqual([again.status, again.text], [200, first.text]);
    assert.equal(again.headers.get("idempotent-replayed"), "true");
  });

  it("A8: with the ETag of GET, or with *, allows every change", async () => {
    // What others are in comes last.
    const order = [
      "{name}",
      "/access",
      "/members/{userId}",
      "{previewKey}",
      "{previewId}",
      "/env-variables",
      "{apiKeyId}",
      "{sessionId}",
      "{workloadTrustId}",
      "{userId}",
      "{managedDomainId}",
      "{shareLinkId}",
      "{domainGroupId}",
      "{projectId}",
    ];
    const rank = (write: string): number => {
      const at = order.findIndex((end) => write.endsWith(end));
      return write.startsWith("PATCH") ? -1 : at === -1 ? order.length : at;
    };
    for (const write of writes.toSorted((a, b) => rank(a) - rank(b) || (a < b ? 1 : -1))) {
      // Work continues meanwhile, and may change the state between the read and the write.
      const answer = await until(async () => {
        const etag = await etagOf(write);
        const tried = await change(write, own, `"another", W/"weak",${etag}`);
        return tried.status === 412 ? null : tried;
      }, `${write} meets the state that was read`);
      // What a project with a group is refused by comes after the comparison.
      assert.ok(answer.status < 300 || answer.status === 409, `${write}: ${answer.status} ${answer.text}`);
    }
    const { body } = await instance.admin.post("/v1/aws-accounts", { givenId: "any" });
    const path = `/v1/aws-accounts/${body.id}`;
    assert.equal((await instance.admin.patch(path, { name: "any" }, { "if-match": "*" })).status, 200);
    assert.equal((await instance.admin.delete(path, undefined, { "if-match": "*" })).status, 204);
  });

  async function read(write: string): Promise<ApiAnswer> {
    return await instance.admin.get(fill(SHOWN_AT[write] ?? write.replace(/^\w+ /, ""), own));
  }

  async function etagOf(write: string): Promise<string> {
    const answer = await read(write);
    assert.equal(answer.status, 200, `what ${write} changes is read: ${answer.text}`);
    return answer.headers.get("etag") ?? "";
  }

  async function change(write: string, ids: Resources, tags: string): Promise<ApiAnswer> {
    const [method = "", path = ""] = write.split(" ");
    // A service does not link to itself, and a replacement leaves the variable for the deletions.
    const isReplacement = method === "PUT" && path.endsWith("/env-variables");
    const body = isReplacement ? { plainText: { [own["name"] ?? ""]: "" } } : CASES[write]?.body?.(own);
    const query = CASES[write]?.query?.(own);
    const search = query === undefined ? "" : `?${new URLSearchParams(query).toString()}`;
    const headers = { "if-match": tags };
    const { admin } = instance;
    if (method === "PATCH") return await admin.patch(fill(path, ids), body, headers);
    if (method === "PUT") return await admin.put(fill(path, ids), body, headers);
    return await admin.delete(fill(path, ids) + search, body, headers);
  }
});

function fill(path: string, ids: Resources): string {
  return path.replaceAll(/\{(\w+)\}/g, (_all, name: string) => ids[name] ?? "");
}
