/** Commands for access: programs, jobs of CI, members of projects, protection, sessions. */
import { ALL, type Command, ENVIRONMENT, LIMIT, PROJECT } from "./command.ts";

export const ROLES = ["viewer", "developer", "admin"];
export const SCOPES = ["read", "deploy", "domains", "variables", "admin"];
export const USER = {
  name: "USER",
  says: "a user, by email address or id; a service account, by name or id",
};

export const ACCESS: readonly Command[] = [
  {
    words: "service-accounts list",
    says: "List service accounts",
    flags: [LIMIT, ALL],
    examples: ["slipway service-accounts list"],
    load: async () => (await import("../commands/users.ts")).listServiceAccounts,
  },
  {
    words: "service-accounts create",
    says: "Create a service account: it has keys and a role, and does not sign in",
    arguments: [{ name: "NAME", says: "a display name" }],
    flags: [{ name: "role", value: "ROLE", choices: ROLES, says: "its role (default: viewer)" }],
    examples: ["slipway service-accounts create CI --role developer"],
    load: async () => (await import("../commands/users.ts")).createServiceAccount,
  },
  {
    words: "workload-trusts list",
    says: "List workload trusts",
    flags: [LIMIT, ALL],
    examples: ["slipway workload-trusts list"],
    load: async () => (await import("../commands/workload-trusts.ts")).listTrusts,
  },
  {
    words: "workload-trusts create",
    says: "Create a workload trust: CI jobs act as a service account with tokens of their platform",
    more: [
      "Anybody gets tokens of GitHub's issuer, so a condition must name the repository: --condition repository=acme/shop.",
      "Name the branch too (ref=refs/heads/main), or the environment. A * at the end stands for any ending.",
    ],
    arguments: [{ name: "NAME", says: "the reason, shown in audit entries" }],
    flags: [
      { name: "service-account", value: "USER", says: "the service account of the jobs, by name or id" },
      { name: "condition", value: "CLAIM=VALUE", many: true, says: "a required claim of their token" },
      { name: "scope", value: "SCOPE", choices: SCOPES, many: true, says: "the scopes of their keys" },
      { ...PROJECT, many: true, says: "limit to this project (default: all projects)" },
      {
        name: "on",
        value: "PLATFORM",
        choices: ["github", "gitlab"],
        says: "the CI platform (default: github)",
      },
      { name: "issuer", value: "URL", says: "the issuer of the tokens, instead of --on" },
      { name: "audience", value: "TEXT", says: "the audience of the tokens (default: the server's address)" },
    ],
    examples: [
      "slipway workload-trusts create 'deploy shop' --service-account CI --scope deploy -p shop --condition repository=acme/shop --condition ref=refs/heads/main",
    ],
    load: async () => (await import("../commands/workload-trusts.ts")).createTrust,
  },
  {
    words: "workload-trusts delete",
    says: "Delete a workload trust; its tokens stop working within five seconds",
    arguments: [{ name: "TRUST_ID", says: "the trust's id" }],
    examples: ["slipway workload-trusts delete trust_01kahz6d9n3w7y0c4p8r2x5v9f --yes"],
    load: async () => (await import("../commands/workload-trusts.ts")).deleteTrust,
  },
  {
    words: "members list",
    says: "List the members of a project, with their roles in it",
    flags: [PROJECT, LIMIT, ALL],
    examples: ["slipway members list -p shop"],
    load: async () => (await import("../commands/members.ts")).listMembers,
  },
  {
    words: "members set",
    says: "Add a member to a project, or change a member's role",
    arguments: [USER, { name: "ROLE", choices: ROLES, says: "the role in the project" }],
    flags: [PROJECT],
    examples: ["slipway members set ada@acme.example developer -p shop"],
    load: async () => (await import("../commands/members.ts")).setMember,
  },
  {
    words: "members remove",
    says: "Remove a member from a project",
    arguments: [USER],
    flags: [PROJECT],
    examples: ["slipway members remove ada@acme.example -p shop --yes"],
    load: async () => (await import("../commands/members.ts")).removeMember,
  },
  {
    words: "protection show",
    says: "Show the protection of an environment",
    flags: [PROJECT, ENVIRONMENT],
    examples: ["slipway protection show -p shop -e production"],
    load: async () => (await import("../commands/members.ts")).showProtection,
  },
  {
    words: "protection set",
    says: "Set the protection of an environment",
    more: ["With admin, only admins of the project deploy there, and change its variables and domains."],
    arguments: [
      {
        name: "DEPLOYERS",
        choices: ["developer", "admin"],
        says: "the lowest role that may deploy",
      },
    ],
    flags: [PROJECT, ENVIRONMENT],
    examples: ["slipway protection set admin -p shop -e production"],
    load: async () => (await import("../commands/members.ts")).setProtection,
  },
  {
    words: "sessions list",
    says: "List the browser sessions of a user",
    flags: [
      { name: "user", value: "USER", says: "the user, by email address or id (default: you)" },
      LIMIT,
      ALL,
    ],
    examples: ["slipway sessions list --user ada@acme.example"],
    load: async () => (await import("../commands/sessions.ts")).listSessions,
  },
  {
    words: "sessions revoke",
    says: "End a session; it stops working everywhere within five seconds",
    arguments: [{ name: "SESSION_ID", says: "the session's id" }],
    examples: ["slipway sessions revoke ses_01kahz5c8m2v6x9b3n7q1w4t8e --yes"],
    load: async () => (await import("../commands/sessions.ts")).revokeSession,
  },
];
