import { Type } from "typebox";
import { Id, Nullable, Text, Words } from "../../http/schemas.ts";
import type { Service } from "../projects/project.ts";
import { ServiceTypeSchema } from "../projects/views.ts";
import { type Edge, EDGE_KINDS } from "./decide-graph.ts";

const NodeSchema = Type.Object(
  {
    id: Id("svc", "Id of the service."),
    configId: Text("Its id in the configuration.", "web"),
    name: Text("Display name.", "Website"),
    type: ServiceTypeSchema,
  },
  { title: "GraphNode", description: "A service of the environment." },
);

const EdgeSchema = Type.Object(
  {
    kind: Words(EDGE_KINDS, {
      title: "GraphEdgeKind",
      description:
        "`DEPENDS_ON`: its release waits for the other's (`dependsOn`). `VARIABLE`: a variable has the other's address (`fromService`).",
      examples: ["DEPENDS_ON"],
    }),
    fromServiceId: Nullable(
      Id("svc", "The service that refers; null for a variable of the environment, which all services get."),
    ),
    toServiceId: Id("svc", "The service that is referred to."),
    variable: Nullable(Text("With `VARIABLE`: the variable's name.", null)),
    property: Nullable(Text("With `VARIABLE`: the property that it takes from the service.", null)),
  },
  { title: "GraphEdge", description: "A reference of a service to another one." },
);

export const GraphSchema = Type.Object(
  {
    nodes: Type.Array(NodeSchema, { description: "All services, ordered by id." }),
    edges: Type.Array(EdgeSchema, { description: "The references." }),
  },
  { title: "EnvironmentGraph", description: "The references between the services of an environment." },
);

export function viewGraph(services: readonly Service[], edges: readonly Edge[]) {
  return {
    nodes: services.map(({ id, configId, name, type }) => ({ id, configId, name, type })),
    edges: [...edges],
  };
}
