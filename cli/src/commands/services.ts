import type { EnvironmentType, ServiceType } from "../../../sdk/src/index.ts";
import { type Command, ENVIRONMENT, LIMITS, PROJECT, SERVICE, WAITING } from "../command.ts";
import { findNamedProject, findService, PAGE } from "../lookup.ts";
import { printList } from "../print.ts";
import { finish } from "./deployments.ts";

const TYPES: readonly ServiceType[] = ["static", "web", "worker", "external"];
const ENVIRONMENT_TYPES: readonly EnvironmentType[] = ["preview", "standard"];

export const SERVICES: readonly Command[] = [
  {
    words: "services list",
    says: "List the services of all projects",
    flags: [
      { ...PROJECT, says: "only of this project, by name or id" },
      { name: "type", value: "TYPE", choices: TYPES, says: "only of this type" },
      {
        name: "environment-type",
        value: "TYPE",
        choices: ENVIRONMENT_TYPES,
        says: "only of previews, or only of other environments",
      },
      ...LIMITS,
    ],
    examples: [
      "slipway services list --environment-type preview",
      "slipway services list -p shop --type web",
    ],
    async run(context, input) {
      const projectId = await findNamedProject(context, input);
      const type = input.text("type") as ServiceType | undefined;
      const environmentType = input.text("environment-type") as EnvironmentType | undefined;
      const services = context.client.services.listAll({ limit: PAGE, projectId, type, environmentType });
      await printList(context, input, services, [
        "name",
        "type",
        { title: "address", of: ({ cdnDomainName }) => cdnDomainName },
        { title: "environment", of: ({ environmentId }) => environmentId },
        { title: "project", of: (service) => service.projectId },
        "id",
      ]);
    },
  },
  {
    words: "services restart",
    says: "Restart a web or worker service, with its present variables; prints the deployment's id",
    more: [
      "Its live release starts again, without a build. The new processes replace the old ones when they are healthy.",
      "A variable that the build reads needs a deployment: slipway deploy",
    ],
    flags: [PROJECT, ENVIRONMENT, SERVICE, ...WAITING],
    examples: ["slipway services restart -p shop -s web --wait"],
    async run(context, input) {
      const { id, name } = await findService(context, input);
      const deployment = await context.client.services.restart(id);
      context.output.progress(`Restarts ${name}, which runs ${deployment.commit} of ${deployment.branch}.`);
      await finish(context, input, deployment);
    },
  },
];
