/** Reads of variables: all of a scope at once, and what a write would do. */
import { useQueries, useQuery } from "@tanstack/react-query";
import type {
  EnvVariable,
  EnvVariablesPlan,
  SetEnvVariablesRequest,
} from "../../../sdk/src/generated/types.ts";
import { slipway } from "./client.ts";
import type { Read } from "./query.ts";
import { withSession } from "./session.ts";
import { type Owner, ownerOf, type Scope } from "./variable-matrix.ts";

const PAGE = 100;

/** All variables of a scope, however many pages they are. */
export function readVariables(scope: Pick<Scope, "kind" | "id">): Read<readonly EnvVariable[]> {
  const owner = ownerOf(scope);
  return {
    queryKey: ["variables", "all", owner],
    queryFn: async ({ signal }) =>
      await withSession(async () => {
        const all: EnvVariable[] = [];
        for await (const one of slipway.variables.list(owner, { limit: PAGE }, { signal })) all.push(one);
        return all;
      }),
  };
}

/** The variables of several scopes; undefined until all are there. */
export function useScopes(scopes: readonly Scope[]): {
  readonly scopes:
    | readonly { readonly scope: Scope; readonly variables: readonly EnvVariable[] }[]
    | undefined;
  readonly error: Error | null;
} {
  const answers = useQueries({ queries: scopes.map((scope) => readVariables(scope)) });
  const read = scopes.flatMap((scope, index) => {
    const variables = answers[index]?.data;
    return variables === undefined ? [] : [{ scope, variables }];
  });
  const error = answers.find((answer) => answer.data === undefined && answer.error !== null)?.error ?? null;
  return { scopes: read.length === scopes.length ? read : undefined, error };
}

/** Whether a write leaves the other variables of the scope, or deletes them. */
export type WriteMode = "merge" | "replace";

/** Sends variables; `isDryRun`: asks what sending them would do. */
export function sendVariables(
  owner: Owner,
  mode: WriteMode,
  body: SetEnvVariablesRequest,
  { isDryRun = false, signal }: { readonly isDryRun?: boolean; readonly signal?: AbortSignal } = {},
) {
  const options = { query: { dryRun: isDryRun }, ...(signal === undefined ? {} : { signal }) };
  return mode === "merge"
    ? slipway.variables.set(owner, body, options)
    : slipway.variables.replace(owner, body, options);
}

/** The plan of a write: what it would change. The cache drops its values as soon as no component shows it. */
export function usePlan(
  owner: Owner,
  mode: WriteMode,
  body: SetEnvVariablesRequest,
  isWanted: boolean,
): { readonly plan: EnvVariablesPlan | undefined; readonly error: Error | null; readonly isAsking: boolean } {
  const { data, error, isFetching } = useQuery({
    queryKey: ["variables", "plan", owner, mode, body],
    queryFn: async ({ signal }) =>
      await withSession(async () => {
        const answer = await sendVariables(owner, mode, body, { isDryRun: true, signal });
        return "plan" in answer ? (answer.plan ?? null) : null;
      }),
    enabled: isWanted,
    gcTime: 0,
    retry: false,
  });
  return {
    plan: isWanted ? (data ?? undefined) : undefined,
    error: isWanted ? error : null,
    isAsking: isFetching,
  };
}
