import { Type } from "typebox";
import { EXAMPLE_IDS, Flag, Id, Text, Words, viewAs } from "../../http/schemas.ts";
import { PLANNED_CHANGES, type ProjectPlan } from "./decide-project-plan.ts";
import type { PlanRefusal, PreparedChange } from "./change-project.ts";
import { LeftInAccountSchema } from "../cloud-accounts/views.ts";

const PlannedVariableSchema = Type.Object(
  {
    name: Text("Name of the variable. Its value is never shown.", "LOG_LEVEL"),
    change: Words(["CREATED", "CHANGED", "REMOVED"], {
      title: "PlannedVariableChange",
      description: "The change of the variable.",
    }),
  },
  { title: "PlannedVariable", description: "A variable that changes." },
);

const PLANNED = {
  configId: Text("Its id in the configuration.", "web"),
  id: Type.Unsafe<string | null>({
    type: ["string", "null"],
    description: "Its id; null if it will be created.",
    examples: [EXAMPLE_IDS.svc],
  }),
  change: Words(PLANNED_CHANGES, {
    title: "PlannedChange",
    description: "The change of an environment or service.",
  }),
  fields: Type.Array(Text("Name of a field."), {
    description: "The fields that change.",
    examples: [[]],
  }),
  variables: Type.Array(PlannedVariableSchema, {
    description:
      "The variables that change. All variables of something that is created are new; all of something that is removed are removed.",
  }),
  notes: Type.Array(Text("A sentence."), {
    description: "What the change means for data stores.",
    examples: [[]],
  }),
};

const PlannedServiceSchema = Type.Object(PLANNED, {
  title: "PlannedService",
  description: "The change of a service.",
});

export const ProjectPlanSchema = Type.Object(
  {
    isApplicable: Flag("Whether the change would be accepted: `refusals` is empty.", true),
    fields: Type.Array(Text("Name of a field."), {
      description: "Fields of the project that change.",
      examples: [["config"]],
    }),
    appliesWith: Words(["CHANGE", "DEPLOYMENT"], {
      title: "PlanAppliesWith",
      description:
        "`CHANGE`: environments and services change together with the project. `DEPLOYMENT`: they change with the next deployment of their branch.",
    }),
    environments: Type.Array(
      Type.Object(
        {
          ...PLANNED,
          services: Type.Array(PlannedServiceSchema, {
            description: "Its services; removed ones come last.",
          }),
        },
        { title: "PlannedEnvironment", description: "The change of an environment." },
      ),
      {
        description:
          "The environments of the configuration. With `iac`, environments of branches other than `configFileBranch` are left out.",
        examples: [
          [
            {
              configId: "production",
              id: EXAMPLE_IDS.env,
              change: "CHANGED",
              fields: [],
              variables: [{ name: "LOG_LEVEL", change: "CREATED" }],
              notes: [],
              services: [
                {
                  configId: "web",
                  id: EXAMPLE_IDS.svc,
                  change: "CHANGED",
                  fields: ["outputDirectory"],
                  variables: [],
                  notes: [],
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
          path: Text(
            "JSON Pointer into the body; empty if no single field is the cause.",
            "/config/environments/0/region",
          ),
          code: Text("A stable code.", "CANNOT_CHANGE"),
          message: Text(
            "The cause, and what to do.",
            "is us-west-2 and cannot change; give the environment another id",
          ),
        },
        { title: "PlanRefusal", description: "A reason why the change would be refused now." },
      ),
      { description: "Why the change would be refused now. Empty if it would be accepted.", examples: [[]] },
    ),
  },
  { title: "ProjectPlan", description: "The effects of a change of a project." },
);

export function viewPlan(
  { fields, appliesNow }: PreparedChange,
  { environments }: ProjectPlan,
  refusals: readonly PlanRefusal[],
) {
  const appliesWith = appliesNow ? "CHANGE" : "DEPLOYMENT";
  const isApplicable = refusals.length === 0;
  return viewAs(ProjectPlanSchema, { isApplicable, fields, appliesWith, environments, refusals });
}

export const AbandonedProjectSchema = Type.Object(
  { id: Id("proj", "Id of the deleted project."), leftInAccount: LeftInAccountSchema },
  { title: "AbandonedProject", description: "The resources that an abandoned project left behind." },
);
