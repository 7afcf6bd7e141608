import { Type } from "typebox";
import { EXAMPLE_IDS, Flag, Nullable, Text, Words } from "../../http/schemas.ts";
import { ROLES } from "../../lib/actor.ts";
import { declareEvents } from "../events/event.ts";
import {
  DEPLOY_TRIGGERS,
  type Environment,
  type Project,
  PROJECT_STATUSES,
  type Service,
  SERVICE_TYPES,
  statusOf,
} from "./project.ts";

const Fields = (example: readonly string[]) =>
  Type.Array(Text("A field."), {
    description: "The names of the fields that changed.",
    examples: [[...example]],
  });

const PROJECT = {
  name: Text("The project's name.", "Shop"),
  status: Words(PROJECT_STATUSES, { description: "The present status.", examples: ["ACTIVE"] }),
  repoUrl: Text("Its repository.", "https://github.com/acme/shop"),
};

const CONFIG_ID = Text("Its id in the configuration.", "production");

const EnvironmentData = Type.Object({
  configId: CONFIG_ID,
  name: Text("The environment's name.", "Production"),
  region: Text("Its region.", "us-west-2"),
  branch: Text("The branch that is deployed to it.", "main"),
  deployTrigger: Words(DEPLOY_TRIGGERS, {
    description: "Whether a push to the branch deploys it.",
    examples: ["push"],
  }),
});

const ServiceData = Type.Object({
  configId: Text("Its id in the configuration.", "web"),
  name: Text("The service's name.", "Website"),
  type: Words(SERVICE_TYPES, { description: "Its type.", examples: ["static"] }),
});

export const PROJECT_EVENTS = declareEvents({
  "project.created": {
    subject: "project",
    description: "A project was created. Its environments and services have their own events.",
    data: Type.Object(PROJECT),
  },
  "project.changed": {
    subject: "project",
    description: "A project was changed, or its deletion began.",
    data: Type.Object({
      ...PROJECT,
      previousStatus: Words(PROJECT_STATUSES, { description: "The previous status.", examples: ["ACTIVE"] }),
      fields: Fields(["name"]),
    }),
  },
  "project.member_changed": {
    subject: "project",
    description: "A user became a member of a project, got another role in it, or is no longer a member.",
    data: Type.Object({
      name: PROJECT.name,
      userId: Text("The user.", EXAMPLE_IDS.user),
      role: Nullable(
        Words(ROLES, {
          description: "The role in the project; null if the user is no longer a member.",
          examples: ["developer"],
        }),
      ),
    }),
  },
  "project.deleted": {
    subject: "project",
    description: "A project was deleted with all its resources in the cloud account, or was abandoned.",
    data: Type.Object({
      ...PROJECT,
      isAbandoned: Flag("Whether it was abandoned, so that resources may be left in the account.", false),
    }),
  },
  "environment.created": {
    subject: "environment",
    description: "An environment was created.",
    data: EnvironmentData,
  },
  "environment.changed": {
    subject: "environment",
    description: "The name, the branch, the trigger or the protection of an environment changed.",
    data: Type.Object({ ...EnvironmentData.properties, fields: Fields(["branch"]) }),
  },
  "environment.deleted": {
    subject: "environment",
    description:
      "An environment was deleted. Its resources in the cloud account are removed in the background.",
    data: EnvironmentData,
  },
  "service.created": { subject: "service", description: "A service was created.", data: ServiceData },
  "service.changed": {
    subject: "service",
    description: "The name or the settings of a service changed. They take effect with its next deployment.",
    data: Type.Object({ ...ServiceData.properties, fields: Fields(["outputDirectory"]) }),
  },
  "service.deleted": {
    subject: "service",
    description: "A service was deleted. Its resources in the cloud account are removed in the background.",
    data: ServiceData,
  },
});

/** The data of all events of a project. */
export function projectData(project: Project) {
  return { name: project.name, status: statusOf(project), repoUrl: project.repoUrl };
}

/** The data of all events of an environment. */
export function environmentData({
  configId,
  name,
  region,
  branch,
  deployTrigger,
}: Pick<Environment, "configId" | "name" | "region" | "branch" | "deployTrigger">) {
  return { configId, name, region, branch, deployTrigger };
}

/** The data of all events of a service. */
export function serviceData({ configId, name, type }: Pick<Service, "configId" | "name" | "type">) {
  return { configId, name, type };
}
