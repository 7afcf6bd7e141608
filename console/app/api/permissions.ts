/** What the caller may do. The server decides; this only says it before the click. */
import type { Caller, Role } from "../../../sdk/src/generated/types.ts";
import { read, useRead } from "./query.ts";

/** What people do in the console, as far as it needs more than reading. */
export type Action =
  | "deploy"
  | "manage projects"
  | "set variables"
  | "manage domains"
  | "manage accounts"
  | "manage git"
  | "manage users"
  | "manage keys"
  | "manage webhooks"
  | "read audit";

const ROLE_OF: Readonly<Record<Action, Role>> = {
  deploy: "developer",
  "manage projects": "developer",
  "set variables": "developer",
  "manage domains": "developer",
  "manage accounts": "admin",
  "manage git": "admin",
  "manage users": "admin",
  "manage keys": "admin",
  "manage webhooks": "admin",
  "read audit": "admin",
};
const RANK: readonly Role[] = ["viewer", "developer", "admin"];

/** What something is done to: narrower rights of a project or an environment count there. */
export type Target = { readonly projectId?: string; readonly environmentId?: string };

/** Why the caller must not do it, for people; null: they may. Pure. */
export function reasonAgainst({ user }: Caller, action: Action, _target?: Target): string | null {
  const needed = ROLE_OF[action];
  if (RANK.indexOf(user.role) >= RANK.indexOf(needed)) return null;
  return `Needs the role ${needed}; yours is ${user.role}. Ask an admin of your organization.`;
}

/** Whether the signed-in user may do something, and the reason if not, for `disabledReason`. */
export function useCan(
  action: Action,
  target: Target = {},
): { readonly may: boolean; readonly reason: string | null } {
  const reason = reasonAgainst(useMe(), action, target);
  return { may: reason === null, reason };
}

/** The signed-in user, with the organization and the cloud. */
export function useMe(): Caller {
  return useRead(read("me", "get"));
}
