import { ALL, type Command, LIMIT, PROJECT, TIMEOUT, WAIT } from "./command.ts";

const ACCOUNT = { name: "ACCOUNT", says: "a connection, by givenId or id" };
const PROJECT_ARGUMENT = { name: "PROJECT", says: "a project, by name or id" };

export const PROJECTS: readonly Command[] = [
  {
    words: "accounts list",
    says: "List the connections to cloud accounts",
    flags: [LIMIT, ALL],
    examples: ["slipway accounts list"],
    load: async () => (await import("../commands/accounts.ts")).listAccounts,
  },
  {
    words: "accounts add",
    says: "Create a connection, and show the page where its stack is created",
    arguments: [{ name: "GIVEN_ID", says: "your own identifier, such as acme-production" }],
    flags: [
      { name: "name", value: "NAME", says: "a display name (default: the GIVEN_ID)" },
      {
        name: "expected-account",
        value: "NUMBER",
        says: "the only AWS account that may connect (12 digits)",
      },
      { name: "in-sandbox", says: "create the stack, too; only in the sandbox cloud" },
      WAIT,
      TIMEOUT,
    ],
    examples: ["slipway accounts add acme --wait", "slipway accounts add acme --in-sandbox --wait"],
    load: async () => (await import("../commands/accounts.ts")).addAccount,
  },
  {
    words: "accounts show",
    says: "Show a connection",
    arguments: [ACCOUNT],
    examples: ["slipway accounts show acme"],
    load: async () => (await import("../commands/accounts.ts")).showAccount,
  },
  {
    words: "accounts check",
    says: "Verify the role of a connection",
    arguments: [ACCOUNT],
    flags: [WAIT, TIMEOUT],
    examples: ["slipway accounts check acme --wait"],
    load: async () => (await import("../commands/accounts.ts")).checkAccount,
  },
  {
    words: "accounts remove",
    says: "Delete a connection that no project uses",
    arguments: [ACCOUNT],
    examples: ["slipway accounts remove acme"],
    load: async () => (await import("../commands/accounts.ts")).removeAccount,
  },
  {
    words: "projects list",
    says: "List the projects",
    flags: [LIMIT, ALL],
    examples: ["slipway projects list"],
    load: async () => (await import("../commands/projects.ts")).listProjects,
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
      { name: "repo", value: "URL", says: "the git repository" },
      { name: "account", value: "ACCOUNT", says: "the connection (default: the only connected one)" },
      {
        name: "provider",
        value: "PROVIDER",
        choices: ["github", "gitlab", "gitlab-self-hosted"],
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
    load: async () => (await import("../commands/projects.ts")).createProject,
  },
  {
    words: "projects show",
    says: "Show a project with its environments and services",
    arguments: [{ ...PROJECT_ARGUMENT, optional: true }],
    flags: [PROJECT],
    examples: ["slipway projects show shop"],
    load: async () => (await import("../commands/projects.ts")).showProject,
  },
  {
    words: "projects delete",
    says: "Delete a project and its resources in the cloud account",
    arguments: [PROJECT_ARGUMENT],
    flags: [WAIT, TIMEOUT],
    examples: ["slipway projects delete shop --wait --yes"],
    load: async () => (await import("../commands/projects.ts")).deleteProject,
  },
];
