import type { CreateProjectRequest, Project } from "../../../sdk/src/index.ts";
import type { Context } from "../context.ts";
import { PAGE, takeLimited } from "../find/limited.ts";
import { pick } from "../find/pick.ts";
import { providerName, providerOf } from "../find/providers.ts";
import { collect, findProject } from "../find/scope.ts";
import { readText } from "../input/values.ts";
import { UsageError } from "../output/failure.ts";
import type { Handler } from "../table/command.ts";
import type { Input } from "../table/input.ts";
import { untilGone, waiting } from "./wait.ts";

export const listProjects: Handler = async (context, input) => {
  const client = await context.client();
  const rows = await takeLimited(input, context.output, client.projects.list({ limit: PAGE }));
  context.output.list(rows, [
    { title: "name", of: ({ name }) => name },
    { title: "id", of: ({ id }) => id },
    { title: "status", of: ({ status }) => status },
    { title: "repository", of: ({ repoUrl }) => repoUrl },
  ]);
};

export const createProject: Handler = async (context, input) => {
  const { output, signal } = context;
  const repoUrl = input.text("repo");
  if (repoUrl === undefined) throw new UsageError("Which repository? Give --repo URL.");
  const codeSource = providerOf(repoUrl, input.text("provider"));
  const configuration = await readConfiguration(context, input);
  const client = await context.client();
  const project = await client.projects.create(
    {
      name: input.argument("NAME"),
      repoUrl,
      codeSource,
      awsAccountId: await chooseAccount(context, input.text("account")),
      ...configuration,
    },
    { signal },
  );
  const details = await readDetails(context, await client.projects.get(project.id, { signal }));
  output.progress("To deploy it: slipway deploy --wait. To add a domain: slipway domains add NAME --wait.");
  showDetails(context, details);
};

export const showProject: Handler = async (context, input) => {
  const project = await findProject(context, input.optionalArgument("PROJECT") ?? input.text("project"));
  showDetails(context, await readDetails(context, project));
};

export const deleteProject: Handler = async (context, input) => {
  const { output, signal } = context;
  const client = await context.client();
  const project = await findProject(context, input.argument("PROJECT"));
  await context.prompt.confirm(
    `Delete the project ${project.name}, with all that it has in the cloud account?`,
  );
  await deleteEmptyGroups(context, project);
  const answer = await client.projects.delete(project.id, { signal });
  const isGone = answer === undefined || answer === null;
  if (!isGone && input.isSet("wait")) {
    output.progress(`${project.name}: DELETING`);
    const resume = `slipway projects delete ${project.id} --wait --yes`;
    await waiting(context, input, resume, async (signal) =>
      untilGone(client.projects.watch(project.id, { signal }), () => {}),
    );
  } else if (!isGone) output.progress(`${project.name} is being deleted.`);
  const isDeleted = isGone || input.isSet("wait");
  output.item({ id: project.id, isDeleted }, [[isDeleted ? "deleted" : "deleting", project.id]]);
};

/** An empty group stays, and the command line does not show it. Groups with domains are the user's to delete. */
async function deleteEmptyGroups(context: Context, project: Project): Promise<void> {
  const client = await context.client();
  const { signal } = context;
  const { environments } = await readDetails(context, project);
  for (const { services } of environments)
    for (const service of services)
      for await (const group of client.domainGroups.list(service.id, { limit: PAGE }, { signal })) {
        const { domains } = await client.domainGroups.listDomains(group.id, { limit: 1 }, { signal });
        if (domains.length > 0) continue;
        const deleting = await client.domainGroups.delete(group.id, { signal });
        if (deleting !== undefined)
          await untilGone(client.domainGroups.watch(group.id, { signal }), () => {});
      }
}

async function readConfiguration(context: Context, input: Input) {
  const file = input.text("config-file");
  const [path, branch] = [input.text("config-path"), input.text("config-branch")];
  if (file === undefined)
    return {
      configType: "iac" as const,
      configFilePath: path ?? "slipway.json",
      configFileBranch: branch ?? "main",
    };
  if (path !== undefined || branch !== undefined)
    throw new UsageError(
      "--config-file is a local file; --config-path and --config-branch are the repository's.",
    );
  try {
    const config = JSON.parse(await readText(file, context.stdin)) as NonNullable<
      CreateProjectRequest["config"]
    >;
    return { configType: "gui" as const, config };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new UsageError(`${file} is not JSON: ${error.message}`);
  }
}

/** The path takes a givenId as well as an id. */
async function chooseAccount(context: Context, named: string | undefined): Promise<string> {
  if (named !== undefined) return named;
  const client = await context.client();
  const all = await collect(client.awsAccounts.list({ limit: PAGE }));
  const connected = all.filter(({ status }) => status === "CONNECTED");
  return pick(connected, undefined, {
    noun: "connected cloud account",
    flag: "--account",
    within: "",
    namesOf: ({ givenId }) => [givenId],
    idOf: ({ id }) => id,
  }).id;
}

async function readDetails(context: Context, project: Project) {
  const client = await context.client();
  const environments = await collect(client.environments.list(project.id, { limit: PAGE }));
  return {
    ...project,
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
    ["name", project.name],
    ["id", project.id],
    ["status", project.status],
    ["repository", project.repoUrl],
    ["git host", providerName(project.codeSource)],
    ["account", project.awsAccountId],
    ...project.environments.flatMap((environment) => [
      [
        `environment ${environment.configId}`,
        `${environment.id}, branch ${environment.source.branch}, ${environment.region}`,
      ] as const,
      ...environment.services.map(
        (service) => [`  service ${service.configId}`, `${service.id}, ${service.type}`] as const,
      ),
    ]),
  ]);
}
