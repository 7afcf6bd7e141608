/** What all routes are below, and what several of them read. */
import { createRootRouteWithContext, createRoute, Outlet, redirect } from "@tanstack/react-router";
import { ApiError } from "../../../sdk/src/errors.ts";
import { type Read, type ReadPages, queryClient, read } from "../api/query.ts";
import { Shell } from "../components/shell.tsx";
import { paths } from "../paths.ts";

export type Context = {
  /** Reads what a page needs. What is there already, and not old, is not read again. */
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
 * All pages but the sign-in: somebody is signed in. Who it is is read beside what the page reads, not before it: where
 * nobody is, all these reads are refused, and the redirect counts.
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

/** What every page of an environment shows: its project too. */
export async function loadEnvironment({ get, load }: Context, environmentId: string): Promise<void> {
  const { projectId } = await get(read("environments", "get", environmentId));
  await load(read("projects", "get", projectId));
}

/** What every page of a service shows: its environment and its project too. */
export async function loadService({ get, load }: Context, serviceId: string): Promise<void> {
  const { projectId, environmentId } = await get(read("services", "get", serviceId));
  await load(read("projects", "get", projectId), read("environments", "get", environmentId));
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
