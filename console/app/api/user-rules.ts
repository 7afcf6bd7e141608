/** Users, keys and sessions: what is permitted, and words. Pure. */
import type { ApiKey, Role, Scope, SignInMethod, User } from "../../../sdk/src/generated/types.ts";
import { formatIssuer } from "./workload-words.ts";

const ROLES: Readonly<Record<Role, readonly [string, string]>> = {
  viewer: ["Viewer", "sees everything but secrets, and changes nothing"],
  developer: ["Developer", "deploys, and manages projects, variables and domains"],
  admin: ["Admin", "also manages users, keys, webhooks, cloud accounts and git integrations"],
};

/** The roles with what they mean, for a choice. */
export const ROLE_CHOICES = Object.entries(ROLES).map(
  ([role, [name, meaning]]) => [role, `${name}: ${meaning}`] as const,
);

/** A role's name. */
export function formatRole(role: Role): string {
  return ROLES[role][0];
}

export function describeRole(role: Role): string {
  const meaning = ROLES[role][1];
  return `${meaning.charAt(0).toUpperCase()}${meaning.slice(1)}.`;
}

/** What lets a user in, in words; null: nothing does yet. */
export function formatSignIn({ signInMethods }: Pick<User, "signInMethods">): string | null {
  return signInMethods.length === 0 ? null : signInMethods.map(tellMethod).join(", ");
}

function tellMethod({ kind, issuer, label }: SignInMethod): string {
  if (kind === "api-key") return "API key";
  if (kind === "workload") return `Jobs of ${formatIssuer(issuer ?? "")}`;
  return label ?? issuer ?? "An identity provider";
}

/**
 * Why a user must not be deleted or lose the role admin (the server's `LAST_ADMIN`); null: they may.
 * @param users all of the organization
 */
export function reasonAgainstLosing(user: Pick<User, "id" | "role">, users: readonly User[]): string | null {
  if (user.role !== "admin") return null;
  const others = users.filter(({ id, role }) => role === "admin" && id !== user.id);
  return others.length > 0 ? null : "The organization needs an admin. Give another user this role first.";
}

/** The scopes of keys, with what they permit, for a choice. */
export const SCOPE_CHOICES: readonly (readonly [Scope, string])[] = [
  ["read", "Read what viewers read"],
  ["deploy", "Deploy, cancel and roll back"],
  ["domains", "Manage domains"],
  ["variables", "Set variables"],
  ["admin", "All else, such as projects, users and keys"],
];

const SCOPES: Readonly<Record<Scope, string>> = {
  read: "reads",
  deploy: "deploys",
  domains: "manages domains",
  variables: "sets variables",
  admin: "manages all else",
};

/** What a key may be used for, in words. */
export function formatScopes({ scopes }: Pick<ApiKey, "scopes">): string {
  return scopes === null ? "All that its user may do" : scopes.map((scope) => SCOPES[scope]).join(", ");
}

/** The projects that a key is limited to. @param ids null: it is not limited @param names of projects, by id */
export function formatProjects(ids: readonly string[] | null, names: ReadonlyMap<string, string>): string {
  return ids === null ? "All" : ids.map((id) => names.get(id) ?? "a deleted project").join(", ");
}

const DAY_MS = 24 * 3_600_000;

/** For how long a new key is valid, for a choice: days, or nothing. */
export const EXPIRY_CHOICES: readonly (readonly [string, string])[] = [
  ["", "Until it is deleted"],
  ["7", "A week"],
  ["30", "30 days"],
  ["90", "90 days"],
  ["365", "A year"],
];

/** When a key that is valid for `days` expires; undefined for never. @param now in milliseconds since 1970 */
export function expiryIn(days: string, now: number): string | undefined {
  return days === "" ? undefined : new Date(now + Number(days) * DAY_MS).toISOString();
}

/** Whether a key is refused because it has expired. @param now in milliseconds since 1970 */
export function isExpired({ expiresAt }: Pick<ApiKey, "expiresAt">, now: number): boolean {
  return expiresAt !== null && Date.parse(expiresAt) <= now;
}

const BROWSERS: readonly (readonly [RegExp, string])[] = [
  [/\bEdg(?:e|A|iOS)?\//, "Edge"],
  [/\bOPR\//, "Opera"],
  [/\bFirefox\/|\bFxiOS\//, "Firefox"],
  [/\bChrome\/|\bCriOS\/|\bHeadlessChrome\//, "Chrome"],
  [/\bSafari\//, "Safari"],
];
const SYSTEMS: readonly (readonly [RegExp, string])[] = [
  [/\biPhone\b|\biPad\b/, "iOS"],
  [/\bAndroid\b/, "Android"],
  [/\bWindows\b/, "Windows"],
  [/\bMac OS X\b/, "macOS"],
  [/\bLinux\b/, "Linux"],
];

/** A browser as its person knows it. @param userAgent its header; null if it sent none */
export function formatBrowser(userAgent: string | null): string {
  if (userAgent === null || userAgent === "") return "Unknown browser";
  const find = (known: readonly (readonly [RegExp, string])[]) =>
    known.find(([form]) => form.test(userAgent))?.[1];
  const browser = find(BROWSERS);
  const system = find(SYSTEMS);
  if (browser === undefined) return userAgent.split(/[ /]/)[0] ?? "Unknown browser";
  return system === undefined ? browser : `${browser} on ${system}`;
}
