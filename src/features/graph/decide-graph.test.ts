import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Service } from "../projects/project.ts";
import { decideEdges } from "./decide-graph.ts";

const service = (id: string, dependsOn: readonly string[] = []): Service => ({
  organizationId: "org_1",
  id: `svc_${id}`,
  projectId: "proj_1",
  environmentId: "env_1",
  configId: id,
  name: id,
  type: "external",
  settings: { hostname: "example.com", dependsOn },
  previewHost: null,
  createdAt: new Date(0),
  updatedAt: new Date(0),
});
const link = (serviceId: string | null, name: string, to: string, source: "api" | "config" = "config") => ({
  serviceId,
  name,
  source,
  linkedServiceId: to,
  property: "url",
});

describe("the edges of an environment", () => {
  const services = [service("web", ["api", "gone"]), service("api")];

  it("are what releases wait for, and what variables take their values from", () => {
    const edges = decideEdges(services, [
      link("svc_web", "API_URL", "svc_api"),
      link(null, "SITE", "svc_web"),
    ]);
    assert.deepEqual(edges, [
      {
        kind: "DEPENDS_ON",
        fromServiceId: "svc_web",
        toServiceId: "svc_api",
        variable: null,
        property: null,
      },
      {
        kind: "VARIABLE",
        fromServiceId: "svc_web",
        toServiceId: "svc_api",
        variable: "API_URL",
        property: "url",
      },
      { kind: "VARIABLE", fromServiceId: null, toServiceId: "svc_web", variable: "SITE", property: "url" },
    ]);
  });

  it("follow the variable that counts, and lead to no service of elsewhere", () => {
    const links = [
      link("svc_web", "A", "svc_web"),
      link("svc_web", "A", "svc_api", "api"),
      link("svc_api", "B", "svc_other"),
    ];
    const [, ...edges] = decideEdges(services, links);
    assert.deepEqual(
      edges.map(({ fromServiceId, toServiceId, variable }) => [fromServiceId, toServiceId, variable]),
      [["svc_web", "svc_api", "A"]],
    );
    const [, ...reversed] = decideEdges(services, links.toReversed());
    assert.deepEqual(reversed, edges);
  });
});
