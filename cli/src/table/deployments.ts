import { ALL, type Command, ENVIRONMENT, LIMIT, PROJECT, SERVICE, TIMEOUT, WAIT } from "./command.ts";

const ENVIRONMENT_ID = {
  name: "environment-id",
  value: "ID",
  says: "only in this environment (default: in every environment where it waits)",
};
const DEPLOYMENT = { name: "ID", says: "the deployment" };

export const DEPLOYMENTS: readonly Command[] = [
  {
    words: "deploy",
    says: "Deploy a branch; prints the deployment's id",
    more: [
      "With --wait, the log goes to stderr, and when the deployment has ended, the addresses of what serves HTTP follow",
      "the id. Where a second person has to approve it, it waits for that too; --timeout limits how long (exit code 8).",
    ],
    flags: [
      PROJECT,
      { ...ENVIRONMENT, says: "only this environment, by name or id (default: all that follow the branch)" },
      {
        name: "branch",
        value: "BRANCH",
        says: "the branch (default: the branch of the environment, or of all environments if they have the same)",
      },
      WAIT,
      TIMEOUT,
    ],
    examples: ["slipway deploy -p shop --branch main --wait", "slipway deploy -p shop -e production"],
    load: async () => (await import("../commands/deployments/deploy.ts")).deploy,
  },
  {
    words: "deployments list",
    says: "List deployments, newest first",
    flags: [
      PROJECT,
      ENVIRONMENT,
      SERVICE,
      { name: "branch", value: "BRANCH", says: "only of this branch" },
      { name: "status", value: "STATUS", says: "only with this status, such as SUCCESS" },
      LIMIT,
      ALL,
    ],
    examples: ["slipway deployments list -p shop --limit 10"],
    load: async () => (await import("../commands/deployments/deployments.ts")).listDeployments,
  },
  {
    words: "deployments show",
    says: "Show a deployment with its environments and services",
    arguments: [DEPLOYMENT],
    examples: ["slipway deployments show depl_01kahy9f5h3x6b2s8e4v7w1qzt"],
    load: async () => (await import("../commands/deployments/deployments.ts")).showDeployment,
  },
  {
    words: "deployments cancel",
    says: "Cancel a deployment; what was already released stays",
    arguments: [DEPLOYMENT],
    flags: [WAIT, TIMEOUT],
    examples: ["slipway deployments cancel depl_01kahy9f5h3x6b2s8e4v7w1qzt --wait"],
    load: async () => (await import("../commands/deployments/deployments.ts")).cancelDeployment,
  },
  {
    words: "deployments approve",
    says: "Approve a deployment that waits for approval",
    more: ["It takes a person who may deploy there and did not start it."],
    arguments: [DEPLOYMENT],
    flags: [
      ENVIRONMENT_ID,
      { name: "comment", value: "TEXT", says: "a comment, shown with the deployment" },
      { name: "bypass", says: "deploy without approval in an emergency; requires an admin and --comment" },
    ],
    examples: ["slipway deployments approve depl_01kahy9f5h3x6b2s8e4v7w1qzt --comment 'Read, and tried.'"],
    load: async () => (await import("../commands/deployments/decide.ts")).approveDeployment,
  },
  {
    words: "deployments reject",
    says: "Reject a deployment that waits for approval; it ends in that environment",
    arguments: [DEPLOYMENT],
    flags: [ENVIRONMENT_ID, { name: "comment", value: "TEXT", says: "a comment, shown with the deployment" }],
    examples: ["slipway deployments reject depl_01kahy9f5h3x6b2s8e4v7w1qzt --comment 'Not on a Friday.'"],
    load: async () => (await import("../commands/deployments/decide.ts")).rejectDeployment,
  },
  {
    words: "deployments redeploy",
    says: "Build and release the commit of a deployment again; prints the new deployment's id",
    arguments: [DEPLOYMENT],
    flags: [WAIT, TIMEOUT],
    examples: ["slipway deployments redeploy depl_01kahy9f5h3x6b2s8e4v7w1qzt --wait"],
    load: async () => (await import("../commands/deployments/deploy.ts")).redeploy,
  },
  {
    words: "deployments rollback",
    says: "Roll back to an earlier deployment; prints the new deployment's id",
    arguments: [DEPLOYMENT],
    flags: [WAIT, TIMEOUT],
    examples: ["slipway deployments rollback depl_01kahy9f5h3x6b2s8e4v7w1qzt --wait"],
    load: async () => (await import("../commands/deployments/deploy.ts")).rollBack,
  },
  {
    words: "logs",
    says: "Print the log of a deployment",
    arguments: [
      { ...DEPLOYMENT, optional: true, says: "the deployment (default: the newest of the project)" },
    ],
    flags: [
      PROJECT,
      ENVIRONMENT,
      { name: "service", short: "s", value: "SERVICE", says: "only lines about this service" },
      { name: "follow", short: "f", says: "follow the log until the deployment has ended" },
    ],
    streams: true,
    examples: ["slipway logs depl_01kahy9f5h3x6b2s8e4v7w1qzt --follow", "slipway logs -p shop -s web"],
    load: async () => (await import("../commands/deployments/logs.ts")).showLogs,
  },
];
