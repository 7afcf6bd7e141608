import { Type } from "typebox";
import { EXAMPLE_IDS, Words } from "../../../http/schemas.ts";
import {
  PLANNED_CHANGES,
  type PlannedEnvironment,
  type PlannedService,
  type ProjectPlan,
} from "./decide-project-plan.ts";
import type { PlanRefusal } from "./plan-change.ts";
import type { PreparedChange } from "./prepare-change.ts";

const PlannedVariableSchema = Type.Object(
  {
    name: Type.String({
      description: "Name of the variable; its value is never shown.",
      examples: ["LOG_LEVEL"],
    }),
    source: Words(["config", "api"], {
      title: "PlannedVariableSource",
      description: "`api`: a link that the API set to a service that goes, and that goes with it.",
    }),
    change: Words(["CREATED", "CHANGED", "REMOVED"], {
      title: "PlannedVariableChange",
      description: "What becomes of the variable.",
    }),
  },
  { title: "PlannedVariable", description: "A variable that changes." },
);

const PLANNED = {
  configId: Type.String({ description: "Its id in the configuration.", examples: ["web"] }),
  id: Type.Unsafe<string | null>({
    type: ["string", "null"],
    description: "Its id; null for one that is created.",
    examples: [EXAMPLE_IDS.svc],
  }),
  change: Words(PLANNED_CHANGES, {
    title: "PlannedChange",
    description: "What becomes of an environment or service.",
  }),
  fields: Type.Array(Type.String({ description: "Name of a field." }), {
    description: "Those of its fields that change.",
    examples: [[]],
  }),
  variables: Type.Array(PlannedVariableSchema, {
    description:
      "Its variables that change. Those of what is created are all new, those of what is removed go along.",
  }),
};

const PlannedServiceSchema = Type.Object(PLANNED, {
  title: "PlannedService",
  description: "What becomes of a service.",
});

export const ProjectPlanSchema = Type.Object(
  {
    isApplicable: Type.Boolean({
      description: "Whether nothing is in the way: `refusals` is empty.",
      examples: [true],
    }),
    fields: Type.Array(Type.String({ description: "Name of a field." }), {
      description: "Fields of the project that change.",
      examples: [["config"]],
    }),
    appliesWith: Words(["CHANGE", "DEPLOYMENT"], {
      title: "PlanAppliesWith",
      description:
        "`CHANGE`: environments and services are changed with the project. `DEPLOYMENT`: they follow with the next deployment of their branch.",
    }),
    environments: Type.Array(
      Type.Object(
        {
          ...PLANNED,
          services: Type.Array(PlannedServiceSchema, { description: "Its services, those that go last." }),
        },
        { title: "PlannedEnvironment", description: "What becomes of an environment." },
      ),
      {
        description:
          "The environments that the configuration is for. Those of other branches than `configFileBranch` are left out with `iac`.",
        examples: [
          [
            {
              configId: "production",
              id: EXAMPLE_IDS.env,
              change: "CHANGED",
              fields: [],
              variables: [{ name: "LOG_LEVEL", source: "config", change: "CREATED" }],
              services: [
                {
                  configId: "web",
                  id: EXAMPLE_IDS.svc,
                  change: "CHANGED",
                  fields: ["outputDirectory"],
                  variables: [],
                },
              ],
            },
          ],
        ],
      },
    ),
    refusals: Type.Array(
      Type.Object(
        {
          path: Type.String({
            description: "JSON Pointer into the body; empty where no field is to blame.",
            examples: ["/config/environments/0/region"],
          }),
          code: Type.String({ description: "A stable code.", examples: ["CANNOT_CHANGE"] }),
          message: Type.String({
            description: "What is wrong and what to do.",
            examples: ["is us-west-2 and cannot change; give the environment another id"],
          }),
        },
        { title: "PlanRefusal", description: "One reason why the change would be refused now." },
      ),
      { description: "Why the change would be refused now. Empty when it would be made.", examples: [[]] },
    ),
  },
  { title: "ProjectPlan", description: "What a change of a project would do." },
);

export function viewPlan(
  { fields, appliesNow }: PreparedChange,
  { environments }: ProjectPlan,
  refusals: readonly PlanRefusal[],
) {
  return {
    isApplicable: refusals.length === 0,
    fields: [...fields],
    appliesWith: appliesNow ? ("CHANGE" as const) : ("DEPLOYMENT" as const),
    environments: environments.map((environment: PlannedEnvironment) => ({
      ...viewPlanned(environment),
      services: environment.services.map(viewPlanned),
    })),
    refusals: refusals.map(({ path, code, message }) => ({ path, code, message })),
  };
}

function viewPlanned({ configId, id, change, fields, variables }: PlannedService) {
  return { configId, id, change, fields: [...fields], variables: [...variables] };
}
