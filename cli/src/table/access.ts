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
    says: "List the users that are programs",
    flags: [LIMIT, ALL],
    examples: ["slipway service-accounts list"],
    load: async () => (await import("../commands/users.ts")).listServiceAccounts,
  },
  {
    words: "service-accounts create",
    says: "Create a user that is a program: it has keys and a role, and does not sign in",
    arguments: [{ name: "NAME", says: "shown to people" }],
    flags: [{ name: "role", value: "ROLE", choices: ROLES, says: "what it may do (viewer)" }],
    examples: ["slipway service-accounts create CI --role developer"],
    load: async () => (await import("../commands/users.ts")).createServiceAccount,
  },
  {
    words: "workload-trusts list",
    says: "List which jobs of CI may act without a key",
    flags: [LIMIT, ALL],
    examples: ["slipway workload-trusts list"],
    load: async () => (await import("../commands/workload-trusts.ts")).listTrusts,
  },
  {
    words: "workload-trusts create",
    says: "Let jobs of CI act as a service account, by what their platform signs",
    more: [
      "Anybody gets tokens of GitHub's issuer, so a condition must name the repository: --condition repository=acme/shop.",
      "Name the branch too (ref=refs/heads/main), or the environment. A * at the end stands for any ending.",
    ],
    arguments: [{ name: "NAME", says: "what it is for; audit entries show it" }],
    flags: [
      { name: "service-account", value: "USER", says: "as whom the jobs act, by name or id" },
      { name: "condition", value: "CLAIM=VALUE", many: true, says: "what a claim of their token must be" },
      { name: "scope", value: "SCOPE", choices: SCOPES, many: true, says: "what they may do" },
      { ...PROJECT, many: true, says: "a project that they are limited to; otherwise all" },
      { name: "on", value: "PLATFORM", choices: ["github", "gitlab"], says: "where they run (github)" },
      { name: "issuer", value: "URL", says: "who signs their tokens, in place of --on" },
      { name: "audience", value: "TEXT", says: "for whom they are signed; otherwise the server's address" },
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
    says: "Make a user a member of a project, or give a member another role",
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
    says: "Show who may change what runs in an environment",
    flags: [PROJECT, ENVIRONMENT],
    examples: ["slipway protection show -p shop -e production"],
    load: async () => (await import("../commands/members.ts")).showProtection,
  },
  {
    words: "protection set",
    says: "Say who may change what runs in an environment",
    more: ["With admin, only admins of the project deploy there, and change its variables and domains."],
    arguments: [{ name: "DEPLOYERS", choices: ["developer", "admin"], says: "the least role that may" }],
    flags: [PROJECT, ENVIRONMENT],
    examples: ["slipway protection set admin -p shop -e production"],
    load: async () => (await import("../commands/members.ts")).setProtection,
  },
  {
    words: "sessions list",
    says: "List the sessions of a user: sign-ins in browsers",
    flags: [
      { name: "user", value: "USER", says: "whose, by email address or id; otherwise yours" },
      LIMIT,
      ALL,
    ],
    examples: ["slipway sessions list --user ada@acme.example"],
    load: async () => (await import("../commands/sessions.ts")).listSessions,
  },
  {
    words: "sessions revoke",
    says: "End a session; it is refused everywhere within five seconds",
    arguments: [{ name: "SESSION_ID", says: "the session's id" }],
    examples: ["slipway sessions revoke ses_01kahz5c8m2v6x9b3n7q1w4t8e --yes"],
    load: async () => (await import("../commands/sessions.ts")).revokeSession,
  },
];
