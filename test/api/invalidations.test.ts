/** Invalidations where nothing caches: they are complete at once, and say so. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { ApiClient } from "../helpers/api-client.ts";
import { CONFIG, createProject } from "../helpers/customers/scenario.ts";
import { type Instance, startInstance } from "../helpers/instance.ts";
import { assertRefused } from "../helpers/problems.ts";
import { until } from "../helpers/until.ts";

describe("invalidations", () => {
  let instance: Instance;
  let admin: ApiClient;
  let services: Readonly<Record<string, string>>;
  before(async () => {
    instance = await startInstance();
    ({ admin } = instance);
    ({ services } = await createProject(admin, "cached", CONFIG));
  });
  after(() => instance.dispose());

  const invalidate = (paths: unknown, serviceId = services["web"], headers = {}) =>
    admin.post(`/v1/services/${serviceId}/cloudfront/invalidation`, { paths }, headers);
  const faultsOf = async (paths: unknown) => {
    const answer = await invalidate(paths);
    assertRefused(answer, 400, "INVALID_REQUEST");
    return answer.body.errors.map(({ path, code }: { path: string; code: string }) => `${path} ${code}`);
  };

  it("are complete at once, with an event and an audit entry", async () => {
    const { status, body, headers } = await invalidate(["/*", "/ü b.html"]);
    assert.equal(status, 200);
    assert.deepEqual(Object.keys(body), ["message", "invalidationId"]);
    assert.match(body.message, /Nothing caches/);
    const address = `/v1/cloudfront/invalidation/${body.invalidationId}`;
    assert.equal(headers.get("location"), address);
    const { body: read } = await admin.get(address);
    const { createdAt, endedAt, ...rest } = read;
    assert.ok(endedAt >= createdAt);
    assert.deepEqual(rest, {
      id: body.invalidationId,
      serviceId: services["web"],
      paths: ["/*", "/%C3%BC%20b.html"],
      status: "COMPLETED",
      error: null,
    });
    const event = await until(async () => {
      const { body: found } = await admin.get("/v1/events?types=service.*");
      const isOf = ({ type }: { type: string }) => type === "service.invalidated";
      return found.events.find(isOf) ?? false;
    }, "the event");
    assert.deepEqual(event.data, { service: "web", invalidationId: body.invalidationId, paths: 2 });
    const { body: audit } = await admin.get(`/v1/audit-entries?resourceId=${services["web"]}`);
    assert.ok(
      audit.auditEntries.some(
        ({ action }: { action: string }) => action === "service.invalidation-requested",
      ),
    );
  });

  it("are one for an Idempotency-Key", async () => {
    const headers = { "idempotency-key": "one-invalidation" };
    const [first, second] = [
      await invalidate(["/a"], services["web"], headers),
      await invalidate(["/a"], services["web"], headers),
    ];
    assert.equal(first.body.invalidationId, second.body.invalidationId);
  });

  it("take paths as CloudFront does", async () => {
    assert.deepEqual(await faultsOf(["index.html", "/a*b", "/50%"]), [
      "/paths/0 WRONG_FORM",
      "/paths/1 WRONG_FORM",
      "/paths/2 WRONG_FORM",
    ]);
    assert.deepEqual(await faultsOf([]), ["/paths TOO_SMALL"]);
    assert.deepEqual(await faultsOf(Array.from({ length: 3_001 }, (_, index) => `/${index}`)), [
      "/paths TOO_LARGE",
    ]);
    assert.deepEqual(await faultsOf(Array.from({ length: 16 }, (_, index) => `/${index}/*`)), [
      "/paths TOO_LARGE",
    ]);
    const most = Array.from({ length: 3_000 }, (_, index) => `/${index}`);
    assert.equal((await invalidate(most)).status, 200);
  });

  it("are refused for a worker, which answers no requests", async () => {
    assertRefused(await invalidate(["/*"], services["jobs"]), 409, "SERVICE_HAS_NO_CACHE");
  });

  it("are not found once their service is deleted", async () => {
    const { services: others, projectId: other } = await createProject(admin, "passing", CONFIG);
    const { body } = await invalidate(["/*"], others["web"]);
    assert.ok((await admin.delete(`/v1/projects/${other}`)).status < 300);
    const gone = await admin.get(`/v1/cloudfront/invalidation/${body.invalidationId}`);
    assertRefused(gone, 404, "NOT_FOUND");
  });
});
