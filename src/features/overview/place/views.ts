import { Type } from "typebox";
import { Nullable } from "../../../http/schemas.ts";
import { EnvironmentSchema, ProjectSchema, ServiceSchema } from "../../projects/views.ts";

export const PlaceSchema = Type.Object(
  {
    project: ProjectSchema,
    environment: Nullable(EnvironmentSchema),
    service: Nullable(ServiceSchema),
  },
  {
    title: "Place",
    description:
      "What a resource is in, and the resource itself where it is a service or an environment. An environment is in no service, and a deployment may run in several environments.",
  },
);
