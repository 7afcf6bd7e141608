/** Audit entries in words, and as files. Pure. */
import type { AuditEntry } from "../../../sdk/src/generated/types.ts";
import { paths } from "../paths.ts";

const NOUNS: Readonly<Record<string, string>> = {
  "api-key": "an API key",
  "aws-account": "a cloud account",
  deployment: "a deployment",
  domain: "a domain",
  "domain-certificate-group": "a group of domains",
  "env-variable": "a variable",
  "env-variables": "variables",
  environment: "an environment",
  "git-integration": "a git integration",
  "notification-channel": "a notification channel",
  organization: "the organization",
  project: "a project",
  service: "a service",
  session: "a session",
  "share-link": "a share link",
  user: "a user",
  "webhook-endpoint": "a webhook",
  "workload-token": "a token of a job",
  "workload-trust": "a workload trust",
};
/** Verbs that stand before what they are about. The others are said after it. */
const VERBS: Readonly<Record<string, string>> = {
  created: "Created",
  deleted: "Deleted",
  updated: "Changed",
  cancelled: "Cancelled",
  abandoned: "Abandoned",
  enabled: "Enabled",
  disabled: "Disabled",
  ended: "Ended",
  restored: "Restored",
  approved: "Approved",
  rejected: "Rejected",
  set: "Set",
};

/** An action such as `webhook-endpoint.disabled` in words. */
export function formatAction(action: string): string {
  const [noun = "", verb = ""] = action.split(".");
  const named = NOUNS[noun] ?? noun.replaceAll("-", " ");
  const before = VERBS[verb];
  if (before !== undefined) return `${before} ${named}`;
  const bare = named.replace(/^an? /, "");
  return `${bare.charAt(0).toUpperCase()}${bare.slice(1)}: ${verb.replaceAll("-", " ")}`;
}

const ACTORS: Readonly<Record<string, string>> = {
  operator: "The operator, by command line",
  slipway: "Slipway",
};

/** Who made a change, in words. @param names of users, by id */
export function formatActor(userId: string, names: ReadonlyMap<string, string>): string {
  const known = ACTORS[userId] ?? names.get(userId);
  return known ?? (userId.startsWith("git_") ? "A push" : "A deleted user");
}

/** By the beginnings of ids; what has no page is not there. */
const PAGES: Readonly<Record<string, (id: string) => string>> = {
  proj: paths.project,
  env: paths.environment,
  svc: paths.service,
  depl: paths.deployment,
  group: paths.group,
  aws: paths.account,
  git: paths.gitIntegration,
  whe: paths.webhook,
  nch: paths.notification,
  user: paths.user,
  trust: paths.trust,
};

/** The page of a resource; null if it has none. A variable is shown where it belongs. */
export function pageOf(resourceId: string): string | null {
  const id = resourceId.split("/")[0] ?? "";
  const page = PAGES[id.slice(0, id.lastIndexOf("_"))];
  return page === undefined ? null : page(id);
}

/** What the entry itself says its resource is called; null if it does not. */
export function nameInEntry({
  resourceId,
  details,
}: Pick<AuditEntry, "resourceId" | "details">): string | null {
  const slash = resourceId.indexOf("/");
  if (slash !== -1) return resourceId.slice(slash + 1);
  const { before = {}, after = {} } = details ?? {};
  const ofTrust = details?.workload?.trustId === resourceId ? details.workload.name : null;
  return after["name"] ?? before["name"] ?? ofTrust;
}

export type Change = {
  readonly field: string;
  /** Null: there was none. */
  readonly before: string | null;
  readonly after: string | null;
};

/** The fields that changed, each with its value before and after, and what was only named. */
export function changesOf(details: AuditEntry["details"]): {
  readonly names: readonly string[];
  readonly changes: readonly Change[];
} {
  const { names = [], before = {}, after = {} } = details ?? {};
  const fields = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return {
    names,
    // A field that was empty and stays empty has not changed.
    changes: fields
      .map((field) => ({ field, before: before[field] || null, after: after[field] || null }))
      .filter((change) => change.before !== null || change.after !== null),
  };
}

/** The job that made a change, with its repository, branch and run; null if none did. */
export function formatWorkload(details: AuditEntry["details"]): string | null {
  if (details?.workload === undefined) return null;
  const { name, subject, repository, ref, runId } = details.workload;
  const where = repository === null ? subject : [repository, ref].filter((text) => text !== null).join(" ");
  return `${name}: ${where}${runId === null ? "" : `, run ${runId}`}`;
}

const CSV_COLUMNS = [
  "at",
  "actor",
  "userId",
  "apiKeyId",
  "action",
  "resourceId",
  "sourceAddress",
  "requestId",
  "details",
];

/** Audit entries as CSV (RFC 4180), with a heading. @param names of users, by id */
export function auditCsv(entries: readonly AuditEntry[], names: ReadonlyMap<string, string>): string {
  const rows = entries.map(
    ({ at, userId, apiKeyId, action, resourceId, sourceAddress, requestId, details }) => [
      at,
      formatActor(userId, names),
      userId,
      apiKeyId,
      action,
      resourceId,
      sourceAddress ?? "",
      requestId,
      details === null ? "" : JSON.stringify(details),
    ],
  );
  return [CSV_COLUMNS, ...rows].map((row) => `${row.map(csvCell).join(",")}\r\n`).join("");
}

/** A spreadsheet would run a cell that begins like a formula, so such a one begins with an apostrophe. */
function csvCell(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
