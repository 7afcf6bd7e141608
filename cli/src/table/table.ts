/** The one table of commands. */
import { ACCESS } from "./access.ts";
import type { Command, Group } from "./command.ts";
import { DEPLOYMENTS } from "./deployments.ts";
import { DOMAINS } from "./domains.ts";
import { EVENTS } from "./events.ts";
import { ORGANIZATION } from "./organization.ts";
import { PROJECTS } from "./projects.ts";
import { SESSION } from "./session.ts";
import { TOOLS } from "./tools.ts";
import { VARIABLES } from "./variables.ts";
import { WEBHOOKS } from "./webhooks.ts";

export const COMMANDS: readonly Command[] = [
  ...SESSION,
  ...PROJECTS,
  ...VARIABLES,
  ...DOMAINS,
  ...DEPLOYMENTS,
  ...EVENTS,
  ...WEBHOOKS,
  ...ORGANIZATION,
  ...ACCESS,
  ...TOOLS,
];

export const GROUPS: readonly Group[] = [
  { word: "profile", says: "Stored keys and their servers" },
  { word: "accounts", says: "Connections to cloud accounts" },
  { word: "projects", says: "Repositories and what is deployed from them" },
  { word: "env", says: "Variables of environments and services" },
  { word: "domains", says: "Custom domains, their DNS records and problems" },
  { word: "deployments", says: "Deployments and their logs" },
  { word: "events", says: "List and stream events" },
  { word: "webhooks", says: "Endpoints that receive events" },
  { word: "organization", says: "The organization and its retention of records" },
  { word: "users", says: "Users of the organization" },
  { word: "keys", says: "API keys" },
  { word: "service-accounts", says: "Service accounts" },
  { word: "members", says: "Members of a project, and their roles in it" },
  { word: "protection", says: "Protection of environments" },
  { word: "sessions", says: "Sign-ins in browsers" },
  { word: "workload-trusts", says: "CI jobs that act without a stored key" },
  { word: "git", says: "Access to git hosts" },
  { word: "audit", says: "The audit log" },
];

export const groupOf = ({ words }: Command): string => words.split(" ")[0] ?? "";
