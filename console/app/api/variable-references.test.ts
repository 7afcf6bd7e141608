import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { linkOf, referenceChoices, referenceOf } from "./variable-references.ts";

describe("references to other services", () => {
  it("offer what each type has", () => {
    const choices = referenceChoices([
      { id: "svc_1", configId: "api", name: "API", type: "web" },
      { id: "svc_2", configId: "site", name: "Site", type: "static" },
      { id: "svc_3", configId: "jobs", name: "Jobs", type: "worker" },
      { id: "svc_4", configId: "cache", name: "Cache", type: "redis" },
    ]);
    assert.deepEqual(
      choices.map(({ label }) => label),
      [
        "api.url",
        "api.host",
        "api.port",
        "site.url",
        "site.host",
        "cache.connectionString",
        "cache.host",
        "cache.port",
        "cache.authToken",
      ],
    );
  });
  it("are links again", () => {
    const link = { id: "svc_1", value: "url" };
    assert.deepEqual(linkOf(referenceOf(link)), link);
  });
});
