/** What the caller may do. The server decides; this only says it before the click. */
import { useQuery } from "@tanstack/react-query";
import type { Caller } from "../../../sdk/src/generated/types.ts";
import { type Action, operationOf, reasonAgainst, type Target } from "./permission-words.ts";
import { read, useRead } from "./query.ts";

export type { Action, Target } from "./permission-words.ts";

/** Said until it is known, by those whose rights may be others in a project than in the organization. */
export const UNKNOWN_YET = "Looking up what you may do here…";

/** Whether the signed-in user may do something, and the reason if not, for `disabledReason`. */
export function useCan(
  action: Action,
  target: Target = {},
): { readonly may: boolean; readonly reason: string | null } {
  const { permissions } = useMe();
  const isGeneral = target.projectId === undefined;
  const operation = operationOf(action, target);
  const generally = reasonAgainst(permissions, operation, target);
  // Admins of the organization have all rights everywhere, and what is refused for the highest role is refused anywhere.
  const isKnown = isGeneral || generally !== null || permissions.role === "admin";
  const { data, isError } = useQuery({ ...read("me", "getPermissions", target), enabled: !isGeneral });
  const reason =
    data !== undefined && !isGeneral
      ? reasonAgainst(data, operation, target)
      : isKnown || isError
        ? generally
        : UNKNOWN_YET;
  return { may: reason === null, reason };
}

/** The signed-in user, with the organization, the cloud, and what they may do in the organization. */
export function useMe(): Caller {
  return useRead(read("me", "get"));
}
