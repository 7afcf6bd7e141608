import type { EnvironmentType, ServiceType } from "../../../sdk/src/index.ts";
import { type Command, ENVIRONMENT, LIMITS, ONLY_PROJECT, PROJECT, SERVICE, WAITING } from "../command.ts";
import { endedBadly, UsageError } from "../failure.ts";
import { findNamedProject, findService, PAGE } from "../lookup.ts";
import { printList } from "../print.ts";
import { firstOf, waiting } from "../wait.ts";
import { finish } from "./deployments.ts";

const TYPES: readonly ServiceType[] = [
  "static",
  "web",
  "web-private",
  "worker",
  "scheduler",
  "external",
  "postgres",
  "mysql",
  "redis",
  "bucket",
];
const ENVIRONMENT_TYPES: readonly EnvironmentType[] = ["preview", "standard"];

export const SERVICES: readonly Command[] = [
  {
    words: "services list",
    says: "List the services of all projects",
    flags: [
      ONLY_PROJECT,
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
    words: "services show",
    says: "Show a service, with the state of a data store",
    arguments: [{ name: "SERVICE", says: "the service, by name or id" }],
    flags: [PROJECT, ENVIRONMENT],
    examples: ["slipway services show db -p shop"],
    async run(context, input) {
      const { id } = await findService(context, input, input.argument("SERVICE"));
      const service = await context.client.services.get(id);
      const { configId, cdnDomainName, dataStore, pendingRedeploy } = service;
      context.output.item(service, [
        "id",
        "name",
        ["id in the configuration", configId],
        "type",
        ["project", service.projectId],
        ["environment", service.environmentId],
        ["address", cdnDomainName],
        ...(dataStore === null
          ? []
          : ([
              ["data store", dataStore.status],
              ["version", dataStore.version],
              ["waits for", dataStore.waitingFor],
              ["reason", dataStore.failure?.message ?? null],
            ] as const)),
        ["newer variables", pendingRedeploy?.variables.map(({ name }) => name).join(", ") ?? null],
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
  {
    words: "services instances",
    says: "Show how many instances of a web or worker service run",
    flags: [PROJECT, ENVIRONMENT, SERVICE],
    examples: ["slipway services instances -p shop -s web"],
    async run(context, input) {
      const { id, name } = await findService(context, input);
      const found = await context.client.services.getInstances(id);
      const { runningInstances, desiredInstances, minInstances, maxInstances, problem } = found;
      const lines =
        desiredInstances === null
          ? [`${name}: not known`]
          : [
              `${name}: ${runningInstances} of ${desiredInstances} run, between ${minInstances} and ${maxInstances}`,
            ];
      context.output.data(found, lines);
      if (problem !== null) context.output.note(problem);
    },
  },
  {
    words: "services scale",
    says: "Set the number of instances of a web or worker service, on AWS",
    more: [
      "The number is between minInstances and maxInstances of the live release. Later releases keep it.",
      "If the two differ, autoscaling continues to change it.",
    ],
    arguments: [{ name: "COUNT", says: "the number of instances, or how many to add or remove" }],
    flags: [
      PROJECT,
      ENVIRONMENT,
      SERVICE,
      { name: "add", says: "add COUNT instances" },
      { name: "remove", says: "remove COUNT instances" },
    ],
    examples: ["slipway services scale 3 -p shop -s web", "slipway services scale 1 --add -p shop -s web"],
    async run(context, input) {
      const count = Number(input.argument("COUNT"));
      if (!/^\d+$/.test(input.argument("COUNT"))) throw new UsageError("COUNT must be a whole number.");
      const [add, remove] = [input.isSet("add"), input.isSet("remove")];
      if (add && remove) throw new UsageError("Use either --add or --remove.");
      const { id, name } = await findService(context, input);
      const operation = add ? "add" : remove ? "remove" : "set";
      const scaling = await context.client.services.scale(id, { operation, count });
      const { previousDesiredCount, newDesiredCount } = scaling;
      context.output.data(scaling, [
        `${name} is to have ${newDesiredCount} instances. Before: ${previousDesiredCount}`,
      ]);
      context.output.progress(`To see how many run: slipway services instances -s ${id}`);
    },
  },
  {
    words: "services invalidate",
    says: "Remove responses of a service from the caches of its distributions",
    more: ["Only CloudFront caches responses, and only after you set a cache policy that does."],
    arguments: [
      { name: "PATH", many: true, says: "such as /index.html; * as the last character stands for any text" },
    ],
    flags: [PROJECT, ENVIRONMENT, SERVICE, ...WAITING],
    examples: ["slipway services invalidate '/*' -p shop -s web --wait"],
    async run(context, input) {
      const { id } = await findService(context, input);
      const { services } = context.client;
      const started = await services.invalidate(id, { paths: [...input.all("PATH")] });
      const { message, invalidationId } = started;
      if (!input.isSet("wait")) return context.output.data(started, [message, invalidationId]);
      context.output.progress(message);
      // Another command would request another one.
      const ended = await waiting(context, input, `slipway events list --subject ${id}`, (signal) =>
        firstOf(services.watchInvalidation(invalidationId, { signal }), ({ endedAt }) => endedAt !== null),
      );
      if (ended.error !== null) throw endedBadly("The invalidation failed.", ended.error.message);
      context.output.data(ended, [`${ended.id} is complete.`]);
    },
  },
];
