import type { Deployment, DeploymentDetails } from "../../../sdk/src/index.ts";
import {
  type Argument,
  type Command,
  ENVIRONMENT,
  type Flag,
  type Input,
  LIMITS,
  ONLY_ENVIRONMENT,
  ONLY_PROJECT,
  ONLY_SERVICE,
  PROJECT,
  SERVICE,
  WAITING,
} from "../command.ts";
import type { Context } from "../context.ts";
import { findEnvironmentNamed, findProject, findScope, PAGE } from "../lookup.ts";
import { printList } from "../print.ts";
import { firstOf, waiting } from "../wait.ts";
import { explainAddresses, listAddresses } from "./addresses.ts";
import { followDeployment, hasEnded, requireSuccess, showLogs } from "./logs.ts";

const DEPLOYMENT: Argument = { name: "ID", says: "the deployment" };
const ID_EXAMPLE = "depl_01kahy9f5h3x6b2s8e4v7w1qzt";
const DECISION: readonly Flag[] = [
  {
    name: "environment-id",
    value: "ID",
    says: "only in this environment (default: in every environment where it waits)",
  },
  { name: "comment", value: "TEXT", says: "a comment, shown with the deployment" },
];

export const DEPLOYMENTS: readonly Command[] = [
  {
    words: "deploy",
    says: "Deploy a branch; prints the deployment's id",
    more: [
      "With --wait, the log goes to stderr. After a success, the public addresses of the services follow the id.",
      "The command also waits for a required approval; --timeout limits how long (exit code 8).",
    ],
    flags: [
      PROJECT,
      { ...ENVIRONMENT, says: "only this environment, by name or id (default: all that follow the branch)" },
      {
        name: "branch",
        value: "BRANCH",
        says: "the branch (default: the branch of the environment, or of all environments if they have the same)",
      },
      ...WAITING,
    ],
    examples: ["slipway deploy -p shop --branch main --wait", "slipway deploy -p shop -e production"],
    async run(context, input) {
      const { client, output } = context;
      const [named, projectNamed] = [input.text("environment"), input.text("project")];
      const project = await findProject(context, projectNamed);
      const environment =
        named === undefined ? undefined : await findEnvironmentNamed(context, named, projectNamed);
      const deployment = await client.deployments.create({
        repoUrl: project.repoUrl,
        filter: { projectId: project.id, environmentId: environment?.id },
        branch: input.text("branch"),
      });
      output.progress(`${project.name}: ${deployment.branch} at ${deployment.commit}`);
      await finish(context, input, deployment);
    },
  },
  {
    words: "deployments list",
    says: "List deployments, newest first",
    flags: [
      { ...ONLY_PROJECT, says: `${ONLY_PROJECT.says} (default: the linked one, or all)` },
      ONLY_ENVIRONMENT,
      ONLY_SERVICE,
      { name: "branch", value: "BRANCH", says: "only of this branch" },
      { name: "status", value: "STATUS", says: "only with this status, such as SUCCESS" },
      ...LIMITS,
    ],
    examples: ["slipway deployments list -p shop --limit 10"],
    async run(context, input) {
      const scope = await findScope(context, input);
      const isLinked = Object.keys(scope).length === 0 && context.link !== null;
      const query = {
        limit: PAGE,
        order: "desc",
        ...(isLinked ? { projectId: (await findProject(context, undefined)).id } : scope),
        branch: input.text("branch"),
        status: input.text("status") as Deployment["status"] | undefined,
      } as const;
      await printList(context, input, context.client.deployments.list(query), [
        "id",
        "status",
        "branch",
        "commit",
        { title: "message", of: ({ commitMessage }) => commitMessage?.split("\n")[0], isProse: true },
        { title: "started by", of: ({ trigger }) => trigger },
        "createdAt",
        { title: "reason", of: reasonOf, isProse: true },
      ]);
    },
  },
  {
    words: "deployments show",
    says: "Show a deployment with its environments and services",
    arguments: [DEPLOYMENT],
    examples: [`slipway deployments show ${ID_EXAMPLE}`],
    run: async (context, input) =>
      showDetails(context, await context.client.deployments.get(input.argument("ID"))),
  },
  {
    words: "deployments cancel",
    says: "Cancel a deployment; services that it has released stay live",
    arguments: [DEPLOYMENT],
    flags: WAITING,
    examples: [`slipway deployments cancel ${ID_EXAMPLE} --wait`],
    async run(context, input) {
      const { client, output } = context;
      let last: Deployment = await client.deployments.cancel(input.argument("ID"));
      const { id } = last;
      const report = ({ status }: Deployment): void => output.progress(`${id}: ${status}`);
      if (input.isSet("wait"))
        last = await waiting(context, input, `slipway deployments show ${id}`, (signal) =>
          firstOf(client.deployments.watch(id, { signal }), hasEnded, report),
        );
      output.item(last, ["id", "status"]);
    },
  },
  {
    words: "deployments approve",
    says: "Approve a deployment that waits for approval",
    more: ["The approver must be a person who may deploy there and did not start the deployment."],
    arguments: [DEPLOYMENT],
    flags: [
      ...DECISION,
      { name: "bypass", says: "deploy without approval in an emergency; requires an admin and --comment" },
    ],
    examples: [`slipway deployments approve ${ID_EXAMPLE} --comment 'Read, and tried.'`],
    async run(context, input) {
      const { client, output } = context;
      const id = input.argument("ID");
      const isBypass = input.isSet("bypass") ? true : undefined;
      showApprovals(context, await client.deployments.approve(id, { ...decisionOf(input), isBypass }));
      output.progress(`The deployment continues. To follow it: slipway logs ${id} --follow`);
    },
  },
  {
    words: "deployments reject",
    says: "Reject a deployment that waits for approval; it ends in that environment",
    arguments: [DEPLOYMENT],
    flags: DECISION,
    examples: [`slipway deployments reject ${ID_EXAMPLE} --comment 'Not on a Friday.'`],
    async run(context, input) {
      const { deployments } = context.client;
      showApprovals(context, await deployments.reject(input.argument("ID"), decisionOf(input)));
    },
  },
  {
    words: "deployments redeploy",
    says: "Build and release the commit of a deployment again; prints the new deployment's id",
    arguments: [DEPLOYMENT],
    flags: WAITING,
    examples: [`slipway deployments redeploy ${ID_EXAMPLE} --wait`],
    async run(context, input) {
      const deployment = await context.client.deployments.redeploy(input.argument("ID"));
      context.output.progress(`Deploys ${deployment.commit} of ${deployment.branch} again.`);
      await finish(context, input, deployment);
    },
  },
  {
    words: "deployments rollback",
    says: "Roll back to an earlier deployment; prints the new deployment's id",
    arguments: [DEPLOYMENT],
    flags: WAITING,
    examples: [`slipway deployments rollback ${ID_EXAMPLE} --wait`],
    async run(context, input) {
      const { client, output } = context;
      const { deployment, notRestored } = await client.deployments.rollback(input.argument("ID"));
      output.progress(`Rolls back to ${deployment.commit} of ${deployment.branch}. Not rolled back:`);
      for (const text of notRestored) output.progress(`  ${text}`);
      await finish(context, input, deployment);
    },
  },
  {
    words: "logs",
    says: "Print the log of a deployment",
    arguments: [
      {
        ...DEPLOYMENT,
        optional: true,
        says: "the deployment (default: the newest of the project or environment)",
      },
    ],
    flags: [
      PROJECT,
      { ...ONLY_ENVIRONMENT, says: `${ONLY_ENVIRONMENT.says} (default: the linked one, or all)` },
      { ...SERVICE, says: "only lines about this service" },
      { name: "follow", short: "f", says: "follow the log until the deployment has ended" },
    ],
    streams: true,
    examples: [`slipway logs ${ID_EXAMPLE} --follow`, "slipway logs -p shop -s web"],
    run: showLogs,
  },
];

/** The data is the id, and the addresses after a success. */
export async function finish(context: Context, input: Input, deployment: Deployment): Promise<void> {
  const { output } = context;
  if (!input.isSet("wait")) {
    output.progress(`To follow it: slipway logs ${deployment.id} --follow`);
    output.data(deployment, [deployment.id]);
    return;
  }
  const ended = await followDeployment(context, input, deployment.id);
  const isLive = ended.status === "SUCCESS";
  const urls = isLive ? await listAddresses(context, ended.services) : [];
  output.data(ended, [ended.id, ...urls]);
  requireSuccess(ended);
  await explainAddresses(context, urls);
}

const decisionOf = (input: Input) => ({
  environmentId: input.text("environment-id"),
  comment: input.text("comment"),
});

function showApprovals({ output }: Context, deployment: DeploymentDetails): void {
  const approvals = deployment.approvals.map(
    ({ configId, status }) => [`approval ${configId}`, status] as const,
  );
  output.item(deployment, ["id", "status", ...approvals]);
}

function showDetails({ output }: Context, deployment: DeploymentDetails): void {
  output.item(deployment, [
    "id",
    "status",
    "branch",
    ["commit", deployment.commitHash],
    ["message", deployment.commitMessage],
    ["author", deployment.commitAuthor],
    ["started by", deployment.trigger],
    ["project", deployment.projectId],
    "createdAt",
    "endedAt",
    ["reason", reasonOf(deployment)],
    ...deployment.environments.map(
      ({ configId, status, error }) => [`environment ${configId}`, joined(status, error?.message)] as const,
    ),
    ...deployment.approvals.map(
      ({ configId, status, decidedBy, comment }) =>
        [`approval ${configId}`, joined([status, decidedBy].filter(Boolean).join(" by "), comment)] as const,
    ),
    ...deployment.services.map(
      ({ configId, status, error }) => [`service ${configId}`, joined(status, error?.message)] as const,
    ),
    ...deployment.services.flatMap(({ configId, postDeploy }) =>
      postDeploy === null
        ? []
        : [
            [
              `after ${configId}`,
              joined(`${postDeploy.status} ${postDeploy.executionId}`, postDeploy.error?.message),
            ] as const,
          ],
    ),
    ...deployment.environments
      .flatMap(({ plan }) => plan?.kept ?? [])
      .map(
        ({ service, commitHash }) =>
          [`service ${service}`, `not built: no file of it changed. It runs ${commitHash}`] as const,
      ),
  ]);
}

const reasonOf = ({ error, statusReason }: Pick<Deployment, "error" | "statusReason">) =>
  error?.message ?? statusReason;

const joined = (status: string, more: string | null | undefined): string =>
  more === null || more === undefined ? status : `${status}: ${more}`;
