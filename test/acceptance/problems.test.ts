import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { type ApiAnswer, createApiClient } from "../helpers/api-client.ts";
import { openTarget, type Target } from "./target.ts";

describe("a client that errs", () => {
  let target: Target;
  before(async () => {
    target = await openTarget();
  });
  after(() => target.dispose());

  it("with a mistyped key gets 401 and how to send one", async () => {
    const stranger = createApiClient(target.client.baseUrl, `${target.client.key}x`);
    const answer = await stranger.get("/v1/projects");
    assertProblem(answer, 401, "UNAUTHENTICATED");
    assert.match(answer.headers.get("www-authenticate") ?? "", /^Bearer/);
  });

  it("with an unknown id gets 404", async () => {
    for (const path of [
      "/v1/services/svc_00000000000000000000000000",
      "/v1/domains/dom_00000000000000000000000000",
      "/v1/domain-certificate-groups/not-an-id",
      "/v1/aws-accounts/nobody-has-this",
    ]) {
      assertProblem(await target.client.get(path), 404, "NOT_FOUND");
    }
  });

  it("with an unknown path gets 404 and where the endpoints are listed", async () => {
    const answer = await target.client.get("/v1/no-such-thing");
    assertProblem(answer, 404, "ROUTE_NOT_FOUND");
    assert.match(answer.body.detail, /\/docs/);
  });

  it("with an invalid body gets 400 and every fault at once", async () => {
    const answer = await target.client.post("/v1/deployments", { color: "red" });
    assertProblem(answer, 400, "INVALID_REQUEST");
    assert.deepEqual(
      answer.body.errors.map(({ path, code }: { path: string; code: string }) => `${path} ${code}`).sort(),
      ["/color UNKNOWN_FIELD", "/repoUrl REQUIRED"],
    );
  });

  it("with a body that is not JSON gets 400", async () => {
    const answer = await target.client.post("/v1/aws-accounts", '{"givenId": ');
    assert.equal(answer.status, 400);
    assert.match(answer.headers.get("content-type") ?? "", /^application\/problem\+json/);
  });
});

function assertProblem(answer: ApiAnswer, status: number, code: string): void {
  assert.equal(answer.status, status, JSON.stringify(answer.body));
  assert.match(answer.headers.get("content-type") ?? "", /^application\/problem\+json/);
  assert.equal(answer.body.status, status);
  assert.equal(answer.body.code, code);
  for (const field of ["type", "title", "detail", "instance", "requestId"]) {
    assert.equal(typeof answer.body[field], "string", field);
  }
}
