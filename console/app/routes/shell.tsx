/** What all routes are below, and what several of them read. */
import { createRootRouteWithContext, createRoute, Outlet, redirect } from "@tanstack/react-router";
import { ApiError } from "../../../sdk/src/errors.ts";
import type { Place } from "../../../sdk/src/generated/types.ts";
import { type Read, type ReadPages, queryClient, read, readAll, readPages } from "../api/query.ts";
import { Shell } from "../components/shell.tsx";
import { paths } from "../paths.ts";

export type Context = {
  /** Reads what a page needs. Data in the cache is not read again. */
  readonly load: (
    ...reads: readonly (Read<unknown> | ReadPages<{ readonly nextCursor: string | null }>)[]
  ) => Promise<void>;
  /** Begins to read what a part of the page shows later: the page does not wait for it, nor fail with it. */
  readonly begin: (
    ...reads: readonly (Read<unknown> | ReadPages<{ readonly nextCursor: string | null }>)[]
  ) => void;
  /** As `load`, for one read whose answer says what else is needed. */
  readonly get: <T>(read: Read<T>) => Promise<T>;
};

export const root = createRootRouteWithContext<Context>()({ component: Outlet });

/**
 * All pages except the sign-in: they need a session. The signed-in user is read in parallel with what the page reads,
 * not before it. Without a session the server refuses all these reads, and the redirect takes precedence.
 */
export const shell = createRoute({
  getParentRoute: () => root,
  id: "shell",
  loader: async ({ location }) => {
    try {
      await queryClient.ensureQueryData(read("me", "get"));
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 401) throw error;
      throw redirect({ to: paths.signIn(), search: { to: location.href } as never });
    }
  },
  component: Shell,
});

/** What a page shows above itself, and needs to know what its caller may do: asked for at once, not one by one. */
async function loadPlace({ get }: Context, place: Read<Place>): Promise<void> {
  const { project, environment, service } = await get(place);
  const at = queryClient.getQueryState(place.queryKey)?.dataUpdatedAt;
  for (const [resource, one] of [
    ["projects", project],
    ["environments", environment],
    ["services", service],
  ] as const) {
    if (one === null) continue;
    const { queryKey } = read(resource, "get", one.id);
    // Data in the cache is refreshed automatically, so it is not replaced.
    if (queryClient.getQueryData(queryKey) === undefined)
      queryClient.setQueryData(queryKey, one, at === undefined ? {} : { updatedAt: at });
  }
}

/** What every page of an environment shows: its project too, and its services, which decide whether it has a map. */
export async function loadEnvironment(context: Context, environmentId: string): Promise<void> {
  await Promise.all([
    loadPlace(context, read("environments", "getPlace", environmentId)),
    context.load(readAll("services", "list", environmentId, {})),
  ]);
  const { projectId, templateId } = await context.get(read("environments", "get", environmentId));
  if (templateId !== null) await context.load(readAll("previews", "list", { projectId }));
}

/** What every page of a service shows: its environment and its project too. */
export async function loadService(context: Context, serviceId: string): Promise<void> {
  await loadPlace(context, read("services", "getPlace", serviceId));
}

/** What every page of a domain group shows: its domains and what is above it. */
export async function loadGroup(context: Context, groupId: string): Promise<void> {
  await Promise.all([
    context.load(read("domainGroups", "get", groupId), readPages("domainGroups", "listDomains", groupId, {})),
    loadPlace(context, read("domainGroups", "getPlace", groupId)),
  ]);
}

/** What the page of a deployment shows above it. */
export async function loadPlaceOfDeployment(context: Context, deploymentId: string): Promise<void> {
  await loadPlace(context, read("deployments", "getPlace", deploymentId));
}

/** What the page of an execution shows above it. */
export async function loadPlaceOfExecution(context: Context, executionId: string): Promise<void> {
  await loadPlace(context, read("executions", "getPlace", executionId));
}

/** What an address says of these names, without what is empty. The API refuses what it does not know. */
export function textsOf(search: Readonly<Record<string, unknown>>, names: readonly string[]): object {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = search[name];
      // The router reads what looks like a number or a word of JSON as one.
      const text = typeof value === "number" || typeof value === "boolean" ? String(value) : value;
      return typeof text === "string" && text !== "" ? [[name, text]] : [];
    }),
  );
}
