/**
 * Holds the reference to what generated clients and readers need: names, descriptions and examples, for every
 * operation that is registered. Missing parts are listed by operation; docs/how-to/add-an-endpoint.md says how to add
 * them.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { lintOpenApi } from "../../scripts/lint-openapi.ts";
import { makeApiDocument } from "../../src/start/api-document.ts";
import { ERROR_CATALOGUE } from "../../src/start/error-catalogue.ts";
import { lookUp } from "../helpers/document/api-document.ts";
import { gapsOf, operationsOf, type Reference } from "../helpers/document/reference-gaps.ts";

const document = (await makeApiDocument("https://slipway.test")) as unknown as Reference;

/** The document as text, changed. */
function changed(pattern: RegExp, replacement: string): Reference {
  const text = JSON.stringify(document);
  const other = text.replace(pattern, replacement);
  assert.notEqual(other, text, `${String(pattern)} is in the document`);
  return JSON.parse(other) as Reference;
}

describe("the reference", () => {
  for (const [route, operation] of operationsOf(document)) {
    it(`D7: ${route} has names, descriptions and examples`, () =>
      assert.deepEqual(gapsOf(document, operation), []));
  }

  it("D7: detects what a route lacks", () => {
    const lacking = operationsOf({
      ...document,
      paths: {
        "/v1/planted": {
          post: {
            operationId: "plant",
            summary: "Plant",
            description: "Plants.",
            tags: ["System"],
            parameters: [{ name: "depth", in: "path", required: true, schema: { enum: ["a", "b"] } }],
            requestBody: {
              content: { "application/json": { schema: { type: "object", properties: { seed: {} } } } },
            },
            responses: {},
          },
        },
      },
    });
    assert.deepEqual(
      lacking.flatMap(([, operation]) => gapsOf(document, operation)),
      [
        "path parameter depth has no description",
        "path parameter depth has no example",
        "path parameter depth is a choice of words without a title",
        "its body (application/json) is a schema without a title",
        "its body (application/json) has no example",
        "its body.seed has no description",
      ],
    );
  });

  it("P11: passes the linter, which detects violations", async () => {
    assert.deepEqual(await rulesBrokenBy(document), []);
    assert.deepEqual(await rulesBrokenBy(changed(/"status":"ATTACHED"/, '"status":"LOST"')), [
      "no-invalid-media-type-examples",
    ]);
    assert.deepEqual(await rulesBrokenBy(changed(/"operationId":"getDomain"/, '"operationId":"listUsers"')), [
      "operation-operationId-unique",
    ]);
  });

  it("P11: names operations by verb and resource, and each thing by one word", () => {
    const operationIds = operationsOf(document).map(([, { operationId }]) => operationId);
    assert.equal(new Set(operationIds).size, operationIds.length);
    for (const id of operationIds) assert.match(id, /^[a-z]+([A-Z][a-z]+)+$/);
    for (const name of [
      "AwsAccount",
      "CreateProjectRequest",
      "Deployment",
      "DnsRecord",
      "Domain",
      "DomainCertificateGroup",
      "DomainList",
      "EnvVariable",
      "Environment",
      "GitIntegration",
      "LogEvent",
      "Problem",
      "Project",
      "ProjectConfiguration",
      "Service",
      "User",
    ])
      assert.ok(name in document.components.schemas, name);
    for (const name of Object.keys(document.components.schemas)) assert.match(name, /^([A-Z][a-z]+)+$/);
  });

  it("P11: lists each error code at its answer", () => {
    const { responses } = document.components;
    const said = Object.values(responses).flatMap(({ description = "" }) =>
      [...description.matchAll(/\/docs\/errors\/([A-Z_]+)/g)].map(([, code]) => code),
    );
    assert.deepEqual(new Set(said), new Set(ERROR_CATALOGUE.errors.keys()));
    assert.equal(said.length, ERROR_CATALOGUE.errors.size);
    for (const [route, operation] of operationsOf(document))
      for (const response of Object.values(operation.responses))
        if (response.$ref !== undefined) assert.ok(lookUp(document, response.$ref), route);
  });

  it("P11: declares the log as a stream of events", () => {
    const logs = document.paths["/v1/deployments/{deploymentId}/logs"]?.["get"];
    const stream = logs?.responses["200"]?.content?.["text/event-stream"];
    assert.deepEqual(stream?.schema, { $ref: "#/components/schemas/LogEvent" });
  });

  it("P11: has consistent examples: the id of a kind names the same thing everywhere", () => {
    const byKind = new Map<string, Set<string>>();
    for (const [id, kind = ""] of JSON.stringify(document).matchAll(/\b([a-z]+)_[0-9a-z]{26}\b/g))
      byKind.set(kind, (byKind.get(kind) ?? new Set()).add(id));
    assert.ok(byKind.size > 10);
    // A variable of one service is linked to another one, and a deployment brings an earlier one back.
    const pairs = ["svc", "depl"];
    for (const [kind, ids] of byKind)
      assert.equal(ids.size, pairs.includes(kind) ? 2 : 1, [...ids].join(" "));
  });
});

async function rulesBrokenBy(document: Reference): Promise<readonly string[]> {
  return [...new Set((await lintOpenApi(document)).map(({ ruleId }) => ruleId))];
}
