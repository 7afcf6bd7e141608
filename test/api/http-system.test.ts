import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { validate } from "@scalar/openapi-parser";
import { makeApiDocument } from "../../src/start/api-document.ts";
import { ERROR_CATALOGUE } from "../../src/start/error-catalogue.ts";
import { OPEN_ROUTES } from "../guards/authorization-cases.ts";
import { type Instance, startInstance } from "../helpers/instance.ts";

type Operation = {
  operationId?: string;
  summary?: string;
  tags?: string[];
  security?: object[];
  parameters?: { name: string; in: string; required?: boolean; schema: { default?: unknown } }[];
  responses: Record<string, { headers?: object; content?: object; $ref?: string }>;
};

describe("the service describes itself", () => {
  let instance: Instance;
  before(async () => {
    instance = await startInstance();
  });
  after(() => instance.dispose());

  const get = async (path: string) => {
    const answer = await fetch(`${instance.url}${path}`, { redirect: "manual" });
    return { status: answer.status, headers: answer.headers, text: await answer.text() };
  };
  const operations = async (): Promise<[string, Operation][]> => {
    const { paths } = JSON.parse((await get("/openapi.json")).text) as {
      paths: Record<string, Record<string, Operation>>;
    };
    return Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, one]): [string, Operation] => [
        `${method.toUpperCase()} ${path}`,
        one,
      ]),
    );
  };

  it("/openapi.json is valid OpenAPI 3.1", async () => {
    const { text } = await get("/openapi.json");
    const result = await validate(text);
    assert.deepEqual(result.errors ?? [], []);
    assert.equal(result.version, "3.1");
    assert.equal(JSON.parse(text).servers[0].url, instance.url);
  });

  it("P11: /openapi.json can be generated without a running service", async () => {
    const served: unknown = JSON.parse((await get("/openapi.json")).text);
    assert.deepEqual(served, JSON.parse(JSON.stringify(await makeApiDocument(instance.url))));
  });

  it("every operation has a unique id, a summary, a tag, and the schema of its failures", async () => {
    const all = await operations();
    const ids = all.map(([, { operationId }]) => operationId);
    assert.equal(new Set(ids).size, ids.length, `ids repeat: ${ids.join(" ")}`);
    for (const [name, one] of all) {
      assert.match(one.operationId ?? "", /^[a-z][A-Za-z]+$/, name);
      assert.ok((one.summary ?? "").length > 3, name);
      assert.equal(one.tags?.length, 1, name);
      assert.equal(one.responses["5XX"]?.$ref, "#/components/responses/Problem", name);
      if (!name.includes(" /v1/") || OPEN_ROUTES.includes(name)) continue;
      assert.deepEqual(one.security, [{ apiKey: [] }], name);
      assert.equal(one.responses["4XX"]?.$ref, "#/components/responses/Problem", name);
      const headers = (one.parameters ?? []).filter((parameter) => parameter.in === "header");
      const isRead = name.startsWith("GET ");
      assert.ok(
        headers.some((parameter) => parameter.name === (isRead ? "If-None-Match" : "Idempotency-Key")),
        name,
      );
      assert.equal("304" in one.responses, isRead, name);
    }
  });

  it("every path parameter and every body of a write is described", async () => {
    for (const [name, one] of await operations()) {
      const inPath = [...name.matchAll(/\{(\w+)\}/g)].map(([, parameter]) => parameter);
      const described = (one.parameters ?? []).filter((parameter) => parameter.in === "path");
      assert.deepEqual(
        described.map((parameter) => parameter.name),
        inPath,
        name,
      );
    }
  });

  it("no parameter with a default is required", async () => {
    const withDefault = (await operations()).flatMap(([, { parameters = [] }]) =>
      parameters.filter(({ schema }) => schema.default !== undefined),
    );
    assert.ok(withDefault.length > 10);
    assert.deepEqual(
      withDefault.filter(({ required }) => required === true),
      [],
    );
  });

  it("/docs needs nothing from other servers, and its policy forbids it", async () => {
    const page = await get("/docs");
    assert.equal(page.status, 200);
    assert.match(page.headers.get("content-type") ?? "", /^text\/html/);
    assert.doesNotMatch(page.text, /https?:\/\//);
    const policy = page.headers.get("content-security-policy") ?? "";
    assert.match(policy, /default-src 'none'/);
    assert.match(policy, /script-src 'self';/);
    assert.match(policy, /connect-src 'self';/);
    const script = await get("/docs/reference.js");
    assert.equal(script.status, 200);
    assert.match(script.headers.get("content-type") ?? "", /^text\/javascript/);
    assert.ok(script.text.includes("createApiReference"));
  });

  it("each error code has a page, which its problem's type leads to", async () => {
    const index = await get("/docs/errors");
    assert.equal(index.status, 200);
    for (const [code, { status }] of ERROR_CATALOGUE.errors) {
      assert.ok(index.text.includes(`href="/docs/errors/${code}"`), code);
      const page = await get(`/docs/errors/${code}`);
      assert.equal(page.status, 200);
      assert.ok(page.text.includes(String(status)), code);
    }
    const refused = JSON.parse((await get("/v1/users")).text);
    assert.equal((await get(refused.type)).status, 200);
    const unknown = await get("/docs/errors/NO_SUCH_CODE");
    assert.equal(unknown.status, 404);
    assert.match(unknown.headers.get("content-type") ?? "", /problem\+json/);
  });

  it("/healthz and /readyz answer without a key", async () => {
    assert.deepEqual(JSON.parse((await get("/healthz")).text), { status: "ok" });
    const ready = await get("/readyz");
    assert.equal(ready.status, 200);
    assert.equal(JSON.parse(ready.text).status, "ready");
  });

  it("/metrics counts requests by route pattern, never by id", async () => {
    await instance.admin.get("/v1/users/user_of_nobody");
    const { status, headers, text } = await get("/metrics");
    assert.equal(status, 200);
    assert.match(headers.get("content-type") ?? "", /^text\/plain/);
    assert.match(
      text,
      /slipway_http_requests_total\{route="\/v1\/users\/:userId",method="GET",status="404"\} 1/,
    );
    assert.match(text, /^slipway_waiting_reads 0$/m);
    assert.match(text, /^# TYPE slipway_reconciliations_due gauge$/m);
    assert.match(text, /^process_resident_memory_bytes /m);
    assert.ok(!text.includes("user_of_nobody"));
  });
});
