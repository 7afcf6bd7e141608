import { ALL, type Command, type Flag, LIMIT, PROJECT } from "./command.ts";
import { ROLES, SCOPES, USER } from "./access.ts";

const INTEGRATION = { name: "INTEGRATION_ID", says: "the git integration" };
const GIT_TOKEN: Flag = { name: "token-stdin", says: "read the git host's token from standard input" };

export const ORGANIZATION: readonly Command[] = [
  {
    words: "organization show",
    says: "Show the organization and its retention of records",
    examples: ["slipway organization show"],
    load: async () => (await import("../commands/organization.ts")).showOrganization,
  },
  {
    words: "organization rename",
    says: "Rename the organization",
    arguments: [{ name: "NAME", says: "a display name" }],
    examples: ["slipway organization rename Acme"],
    load: async () => (await import("../commands/organization.ts")).renameOrganization,
  },
  {
    words: "users list",
    says: "List the users of the organization",
    flags: [LIMIT, ALL],
    examples: ["slipway users list"],
    load: async () => (await import("../commands/users.ts")).listUsers,
  },
  {
    words: "users create",
    says: "Create a user",
    arguments: [{ name: "EMAIL", says: "the user's address" }],
    flags: [
      { name: "role", value: "ROLE", choices: ROLES, says: "the role of the user (default: viewer)" },
      { name: "name", value: "NAME", says: "a display name" },
      { name: "git-login", value: "LOGIN", says: "the user's login at the git host" },
    ],
    examples: ["slipway users create ada@acme.example --role developer"],
    load: async () => (await import("../commands/users.ts")).createUser,
  },
  {
    words: "users update",
    says: "Change a user",
    arguments: [USER],
    flags: [
      { name: "role", value: "ROLE", choices: ROLES, says: "the role of the user" },
      { name: "name", value: "NAME", says: "a display name" },
      { name: "git-login", value: "LOGIN", says: "the user's login at the git host" },
    ],
    examples: ["slipway users update ada@acme.example --role admin"],
    load: async () => (await import("../commands/users.ts")).updateUser,
  },
  {
    words: "users delete",
    says: "Delete a user and its keys",
    arguments: [USER],
    examples: ["slipway users delete ada@acme.example --yes"],
    load: async () => (await import("../commands/users.ts")).deleteUser,
  },
  {
    words: "keys list",
    says: "List the API keys of the organization, without the keys themselves",
    flags: [LIMIT, ALL],
    examples: ["slipway keys list"],
    load: async () => (await import("../commands/users.ts")).listKeys,
  },
  {
    words: "keys create",
    says: "Create an API key; it is printed once",
    arguments: [{ name: "NAME", says: "its purpose" }],
    flags: [
      {
        name: "user",
        value: "USER",
        says: "the owner of the key, by email address, name or id (default: you)",
      },
      {
        name: "scope",
        value: "SCOPE",
        choices: SCOPES,
        many: true,
        says: "the scope of the key (default: everything its user may do)",
      },
      { ...PROJECT, many: true, says: "limit to this project (default: all projects)" },
      {
        name: "expires",
        value: "WHEN",
        says: "the expiry: a time such as 12h or 90d, or an instant such as 2027-02-20T00:00:00Z",
      },
    ],
    examples: [
      "slipway keys create ci --user CI --scope deploy --project shop --expires 90d",
      "slipway keys create laptop",
    ],
    load: async () => (await import("../commands/users.ts")).createKey,
  },
  {
    words: "keys revoke",
    says: "Revoke an API key; it stops working everywhere within five seconds",
    arguments: [{ name: "KEY_ID", says: "the key's id" }],
    examples: ["slipway keys revoke key_01kahv2m4c8r1w6t3k9p5x7hbn --yes"],
    load: async () => (await import("../commands/users.ts")).revokeKey,
  },
  {
    words: "git list",
    says: "List the git integrations",
    flags: [LIMIT, ALL],
    examples: ["slipway git list"],
    load: async () => (await import("../commands/git.ts")).listIntegrations,
  },
  {
    words: "git add",
    says: "Connect a git host with an access token; prompts for it, or reads it with --token-stdin",
    arguments: [
      { name: "PROVIDER", says: "the git host", choices: ["github", "gitlab", "gitlab-self-hosted"] },
    ],
    flags: [{ name: "host", value: "HOST", says: "with gitlab-self-hosted: its host" }, GIT_TOKEN],
    examples: ["slipway git add github --token-stdin < token.txt"],
    load: async () => (await import("../commands/git.ts")).addIntegration,
  },
  {
    words: "git update",
    says: "Test a new token of a git integration and replace the old one",
    arguments: [INTEGRATION],
    flags: [GIT_TOKEN],
    examples: ["slipway git update git_01kahv2m4c8r1w6t3k9p5x7hbn --token-stdin < token.txt"],
    load: async () => (await import("../commands/git.ts")).updateIntegration,
  },
  {
    words: "git check",
    says: "Test the token of a git integration",
    arguments: [INTEGRATION],
    examples: ["slipway git check git_01kahv2m4c8r1w6t3k9p5x7hbn"],
    load: async () => (await import("../commands/git.ts")).checkIntegration,
  },
  {
    words: "git repositories",
    says: "List the repositories that the token of a git integration reaches, newest first",
    arguments: [INTEGRATION],
    flags: [LIMIT, ALL],
    examples: ["slipway git repositories git_01kahv2m4c8r1w6t3k9p5x7hbn"],
    load: async () => (await import("../commands/git.ts")).listRepositories,
  },
  {
    words: "git hook-secret",
    says: "Create the secret with which the git host signs pushes; it is printed once",
    arguments: [INTEGRATION],
    examples: ["slipway git hook-secret git_01kahv2m4c8r1w6t3k9p5x7hbn"],
    load: async () => (await import("../commands/git.ts")).createHookSecret,
  },
  {
    words: "git remove",
    says: "Delete a git integration that no project uses",
    arguments: [INTEGRATION],
    examples: ["slipway git remove git_01kahv2m4c8r1w6t3k9p5x7hbn --yes"],
    load: async () => (await import("../commands/git.ts")).removeIntegration,
  },
  {
    words: "audit list",
    says: "List audit entries, newest first",
    flags: [
      { name: "resource", value: "ID", says: "only changes of this resource" },
      { name: "user", value: "USER", says: "only changes by this user, by email address or id" },
      { name: "action", value: "ACTION", says: "only this action, such as domain.deleted" },
      { name: "from", value: "TIME", says: "only at this time or later, such as 2026-11-20T09:00:00Z" },
      { name: "to", value: "TIME", says: "only before this time" },
      LIMIT,
      ALL,
    ],
    examples: ["slipway audit list --resource dom_01kahv2m4c8r1w6t3k9p5x7hbn"],
    load: async () => (await import("../commands/users.ts")).listAudit,
  },
];
