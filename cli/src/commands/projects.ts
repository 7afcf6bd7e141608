import type { CreateProjectRequest, Project } from "../../../sdk/src/index.ts";
import { type Command, type Input, LIMITS, PROJECT, WAITING } from "../command.ts";
import type { Context } from "../context.ts";
import { endedBadly, UsageError } from "../failure.ts";
import { collect, findProject, PAGE, pick } from "../lookup.ts";
import { printList } from "../print.ts";
import { readText } from "../read-text.ts";
import { untilGone, waiting } from "../wait.ts";
import { GIT_HOSTS, providerName, type ProviderFields, providerOf } from "./git-hosts.ts";

const PROJECT_ARGUMENT = { name: "PROJECT", says: "a project, by name or id" };

export const PROJECTS: readonly Command[] = [
  {
    words: "projects list",
    says: "List the projects",
    flags: LIMITS,
    run: async (context, input) =>
      printList(context, input, context.client.projects.list({ limit: PAGE }), [
        "name",
        "id",
        "status",
        { title: "repository", of: ({ repoUrl }) => repoUrl },
      ]),
  },
  {
    words: "projects create",
    says: "Create a project from a git repository and a connected cloud account",
    more: [
      "The configuration is a file of the repository (--config-path, --config-branch), or a local file (--config-file)",
      "that is stored with the project.",
    ],
    arguments: [{ name: "NAME", says: "a display name" }],
    flags: [
      { name: "repo", value: "URL", required: true, says: "the git repository" },
      { name: "account", value: "ACCOUNT", says: "the connection (default: the only connected one)" },
      {
        name: "provider",
        value: "PROVIDER",
        choices: GIT_HOSTS,
        says: "the git host (default: from the URL)",
      },
      {
        name: "config-path",
        value: "PATH",
        says: "the configuration file in the repository (default: slipway.json)",
      },
      {
        name: "config-branch",
        value: "BRANCH",
        says: "the branch with the configuration file (default: main)",
      },
      { name: "config-file", value: "FILE", says: "a local configuration to store with the project" },
    ],
    examples: ["slipway projects create shop --repo https://github.com/acme/shop --account acme"],
    async run(context, input) {
      const { client, output } = context;
      const repoUrl = input.requiredText("repo");
      const codeSource = providerOf(repoUrl, input.text("provider"));
      const configuration = await readConfiguration(context, input);
      const { id } = await client.projects.create({
        name: input.argument("NAME"),
        repoUrl,
        codeSource,
        awsAccountId: input.text("account") ?? (await findOnlyAccount(context)),
        ...configuration,
      });
      const details = await readDetails(context, await client.projects.get(id));
      output.progress(
        "To deploy it: slipway deploy --wait. To add a domain: slipway domains add NAME --wait.",
      );
      showDetails(context, details);
    },
  },
  {
    words: "projects detect",
    says: "Detect the framework of a repository and print a configuration for it",
    more: [
      "Prints a configuration with one environment and one service, to save as slipway.json and commit, or to pass to",
      "slipway projects create NAME --config-file -. Nothing is stored or run.",
    ],
    flags: [
      { name: "repo", value: "URL", required: true, says: "the git repository" },
      {
        name: "provider",
        value: "PROVIDER",
        choices: GIT_HOSTS,
        says: "the git host (default: from the URL)",
      },
      { name: "branch", value: "BRANCH", says: "the branch (default: main)" },
      { name: "region", value: "REGION", says: "the AWS region of the environment (default: us-west-2)" },
    ],
    examples: ["slipway projects detect --repo https://github.com/acme/shop > slipway.json"],
    async run(context, input) {
      const { client, output } = context;
      const repoUrl = input.requiredText("repo");
      const integrationId = await findIntegration(context, providerOf(repoUrl, input.text("provider")));
      const region = input.text("region");
      const { framework, reasons, hints, config, configFile } = await client.gitIntegrations.detectFramework(
        integrationId,
        { repoUrl, branch: input.text("branch") ?? "main", ...(region === undefined ? {} : { region }) },
      );
      output.progress(`Framework: ${framework?.name ?? "not recognized"}. ${reasons.join(" ")}`);
      for (const hint of hints) output.note(hint);
      if (configFile !== null) output.note(`The branch already has a ${configFile.path}.`);
      if (config === null) throw endedBadly("A setting is not known. Write the configuration by hand.");
      output.raw(`${JSON.stringify(config, null, 2)}\n`);
    },
  },
  {
    words: "projects show",
    says: "Show a project with its environments and services",
    arguments: [{ ...PROJECT_ARGUMENT, optional: true }],
    flags: [PROJECT],
    examples: ["slipway projects show shop"],
    async run(context, input) {
      const named = input.optionalArgument("PROJECT") ?? input.text("project");
      showDetails(context, await readDetails(context, await findProject(context, named)));
    },
  },
  {
    words: "projects delete",
    says: "Delete a project and its resources in the cloud account",
    arguments: [PROJECT_ARGUMENT],
    flags: WAITING,
    examples: ["slipway projects delete shop --wait --yes"],
    async run(context, input) {
      const { client, output, prompt } = context;
      const project = await findProject(context, input.argument("PROJECT"));
      const { id, name } = project;
      await prompt.confirm(`Delete the project ${name}, with all that it has in the cloud account?`);
      await deleteEmptyGroups(context, project);
      const deleting = await client.projects.delete(id);
      let isDeleted = deleting === undefined || deleting === null;
      if (!isDeleted && input.isSet("wait")) {
        output.progress(`${name}: DELETING`);
        await waiting(context, input, `slipway projects delete ${id} --wait --yes`, (signal) =>
          untilGone(client.projects.watch(id, { signal })),
        );
        isDeleted = true;
      } else if (!isDeleted) output.progress(`${name} is being deleted.`);
      output.item({ id, isDeleted }, [[isDeleted ? "deleted" : "deleting", id]]);
    },
  },
];

/** An empty group stays, and the command line does not show it. Groups with domains are the user's to delete. */
async function deleteEmptyGroups(context: Context, project: Project): Promise<void> {
  const { domainGroups } = context.client;
  const { environments } = await readDetails(context, project);
  for (const service of environments.flatMap(({ services }) => services))
    for await (const group of domainGroups.list(service.id, { limit: PAGE })) {
      const { domains } = await domainGroups.listDomains(group.id, { limit: 1 });
      if (domains.length > 0) continue;
      const deleting = await domainGroups.delete(group.id);
      if (deleting !== undefined) await untilGone(domainGroups.watch(group.id));
    }
}

async function readConfiguration({ stdin }: Context, input: Input) {
  const file = input.text("config-file");
  const [path, branch] = [input.text("config-path"), input.text("config-branch")];
  if (file === undefined)
    return {
      configType: "iac",
      configFilePath: path ?? "slipway.json",
      configFileBranch: branch ?? "main",
    } as const;
  if (path !== undefined || branch !== undefined)
    throw new UsageError(
      "--config-file is a local file; --config-path and --config-branch are the repository's.",
    );
  try {
    const config = JSON.parse(await readText(file, stdin)) as NonNullable<CreateProjectRequest["config"]>;
    return { configType: "gui", config } as const;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new UsageError(`${file} is not JSON: ${error.message}`);
  }
}

async function findIntegration({ client }: Context, { provider, host }: ProviderFields): Promise<string> {
  const integrations = await collect(client.gitIntegrations.list({ limit: PAGE }));
  const found = integrations.find((one) => one.provider === provider && one.host === (host ?? null));
  if (found !== undefined) return found.id;
  throw endedBadly("There is no git integration for this host. An admin adds one with: slipway git add.");
}

async function findOnlyAccount({ client }: Context): Promise<string> {
  const all = await collect(client.awsAccounts.list({ limit: PAGE }));
  const connected = all
    .filter(({ status }) => status === "CONNECTED")
    .map(({ id, givenId }) => ({ id, name: givenId }));
  return pick(connected, undefined, "connected cloud account", "", "--account").id;
}

async function readDetails({ client }: Context, project: Project) {
  const environments = await collect(client.environments.list(project.id, { limit: PAGE }));
  const { dataStoreDeletions } = await client.projects.listDataStoreDeletions(project.id);
  return {
    ...project,
    dataStoreDeletions,
    environments: await Promise.all(
      environments.map(async (environment) => ({
        ...environment,
        services: await collect(client.services.list(environment.id, { limit: PAGE })),
      })),
    ),
  };
}

function showDetails({ output }: Context, project: Awaited<ReturnType<typeof readDetails>>): void {
  output.item(project, [
    "name",
    "id",
    "status",
    ["repository", project.repoUrl],
    ["git host", providerName(project.codeSource)],
    ["account", project.awsAccountId],
    ...project.environments.flatMap(({ id, configId, isTemplate, templateId, source, region, services }) => [
      [
        `${isTemplate ? "template" : templateId === null ? "environment" : "preview"} ${configId}`,
        `${id}, branch ${source.branch}, ${region}`,
      ] as const,
      ...services.map(
        (service) => [`  service ${service.configId}`, `${service.id}, ${service.type}`] as const,
      ),
    ]),
    ...project.dataStoreDeletions.map(
      ({ serviceId, serviceConfigId, type, failure }) =>
        [
          `deleting ${serviceConfigId ?? serviceId}`,
          failure === null ? type : `${type}, fails: ${failure.message}`,
        ] as const,
    ),
  ]);
}
