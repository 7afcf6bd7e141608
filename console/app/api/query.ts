/**
 * Reads of the API, for loaders and components. Both name the same read and so share its answer:
 *
 *     loader: ({ context, params }) => context.load(read("projects", "get", params.projectId)),
 *     const project = useRead(read("projects", "get", projectId));
 *
 * The key of a read is its resource, its method and its parameters, so the name of a resource is enough to refresh all
 * reads of it.
 */
import {
  type InfiniteData,
  keepPreviousData,
  QueryClient,
  useInfiniteQuery,
  useQuery,
} from "@tanstack/react-query";
import type { Resources } from "../../../sdk/src/generated/client.ts";
import { ApiError } from "../../../sdk/src/errors.ts";
import { slipway } from "./client.ts";
import { withSession } from "./session.ts";

/** A resource of the SDK, such as `projects`. */
export type ResourceName = keyof Resources;

// oxlint-disable-next-line typescript/no-explicit-any -- each method has parameters of its own
type Method = (...parameters: any[]) => PromiseLike<unknown>;
type MethodName<R extends ResourceName> = {
  [M in keyof Resources[R]]: Resources[R][M] extends Method ? M : never;
}[keyof Resources[R]] &
  string;
type AsMethod<F> = F extends Method ? F : never;
/** What a method takes before its options. All of it has to be given, an empty query too. */
type Given<F> =
  Required<Parameters<AsMethod<F>>> extends readonly [...infer Before, unknown] ? Before : never;
type AnswerOf<F> = Awaited<ReturnType<AsMethod<F>>>;

export type Read<T> = {
  readonly queryKey: readonly unknown[];
  readonly queryFn: (context: { readonly signal: AbortSignal }) => Promise<T>;
};

type Page = { readonly nextCursor: string | null };

export type ReadPages<P> = {
  readonly queryKey: readonly unknown[];
  readonly queryFn: (context: {
    readonly signal: AbortSignal;
    readonly pageParam: string | null;
  }) => Promise<P>;
  readonly initialPageParam: string | null;
  getNextPageParam(last: P): string | null;
};

/** How many items a list shows per page. */
const SHOWN = 50;
/** The most items that the API returns per request. */
const PAGE = 100;
/** With this many choices in a field, the browser still finds what the user types. Reading them takes ten requests. */
const MOST = 1_000;
/** Events refresh what has changed. This limit is for changes that were missed while the page was not shown. */
const STALE_MS = 30_000;

/**
 * A read of one resource, or of the first page of a list.
 * @param resource of the SDK, such as `projects`
 * @param method such as `get`
 * @param given what the method takes before its options; a list without a filter takes `{}`
 */
export function read<R extends ResourceName, M extends MethodName<R>>(
  resource: R,
  method: M,
  ...given: Given<Resources[R][M]>
): Read<AnswerOf<Resources[R][M]>> {
  type Answer = AnswerOf<Resources[R][M]>;
  const parameters: readonly unknown[] = given;
  return {
    queryKey: [resource, method, ...parameters],
    queryFn: async ({ signal }): Promise<Answer> =>
      // oxlint-disable-next-line typescript/return-await -- TypeScript cannot know that an answer is not a promise
      withSession(() => call(resource, method, parameters, signal) as Promise<Answer>),
  };
}

/** A list that is read page by page: as `read`, whose last parameter is the list's query. See `useList`. */
export function readPages<R extends ResourceName, M extends MethodName<R>>(
  resource: R,
  method: M,
  ...given: Given<Resources[R][M]>
): ReadPages<AnswerOf<Resources[R][M]> & Page> {
  type Answer = AnswerOf<Resources[R][M]> & Page;
  const parameters: readonly unknown[] = given;
  return {
    queryKey: [resource, method, "pages", ...parameters],
    queryFn: async ({ signal, pageParam: cursor }) =>
      (await callPage(resource, method, parameters, { limit: SHOWN, cursor }, signal)) as Answer,
    initialPageParam: null,
    getNextPageParam: ({ nextCursor }: Page) => nextCursor,
  };
}

/**
 * A whole list, page after page, for choices of a form and names of a table: as `read`, up to `MOST` items. A list that
 * may be longer has pages and a filter instead.
 */
export function readAll<R extends ResourceName, M extends MethodName<R>>(
  resource: R,
  method: M,
  ...given: Given<Resources[R][M]>
): Read<AnswerOf<Resources[R][M]>> {
  type Answer = AnswerOf<Resources[R][M]> & Page;
  const parameters: readonly unknown[] = given;
  return {
    queryKey: [resource, method, "all", ...parameters],
    queryFn: async ({ signal }): Promise<AnswerOf<Resources[R][M]>> => {
      const next = async (cursor: string | null) =>
        (await callPage(resource, method, parameters, { limit: PAGE, cursor }, signal)) as Answer;
      let all = await next(null);
      for (let read = PAGE; all.nextCursor !== null && read < MOST; read += PAGE)
        all = join(all, await next(all.nextCursor));
      return all;
    },
  };
}

/** Two pages of a list as one. */
function join<P extends object>(one: P, next: P): P {
  const joined = Object.entries(next).map(([field, value]) => {
    const before: unknown = one[field as keyof P];
    return [field, Array.isArray(before) && Array.isArray(value) ? [...before, ...value] : value];
  });
  return Object.fromEntries(joined) as P;
}

/** @param given ends with the list's query, whose limit counts */
async function callPage(
  resource: ResourceName,
  method: string,
  given: readonly unknown[],
  { limit, cursor }: { readonly limit: number; readonly cursor: string | null },
  signal: AbortSignal,
): Promise<unknown> {
  const query = { limit, ...(given.at(-1) as object), ...(cursor === null ? {} : { cursor }) };
  return await withSession(() => call(resource, method, [...given.slice(0, -1), query], signal));
}

async function call(
  resource: ResourceName,
  method: string,
  given: readonly unknown[],
  signal: AbortSignal,
): Promise<unknown> {
  const methods = slipway[resource] as unknown as Readonly<Record<string, Method>>;
  // The query cache tries again.
  return await methods[method]?.call(methods, ...given, { signal, maxRetries: 0 });
}

/**
 * What the route's loader has read; kept up to date.
 * @throws if no loader has read it: add it to the loader of the route
 */
export function useRead<T>(read: Read<T>): T {
  const { data, error } = useQuery<T>(read);
  if (data !== undefined) return data;
  throw error ?? new Error(`No loader has read ${JSON.stringify(read.queryKey)}.`);
}

/** Reads data after the page is shown, for a part of the page that has its own skeleton and shows its own problem. */
export function useLater<T>(
  read: Read<T>,
  {
    isWanted = true,
    keepsPrevious = true,
  }: {
    readonly isWanted?: boolean;
    /** Whether the data of the previous read is given until that of the next is there. */
    readonly keepsPrevious?: boolean;
  } = {},
) {
  const { data, error, isFetching } = useQuery<T>({
    ...read,
    enabled: isWanted,
    ...(keepsPrevious ? { placeholderData: keepPreviousData } : {}),
  });
  return { data, error, isFetching };
}

/** The items of a list so far, and what loads more. @param items the field of a page that holds them */
export function useList<P extends Page, K extends keyof P>(
  pages: ReadPages<P>,
  items: K,
): {
  /** Undefined until the first page is there. */
  readonly items: readonly ItemOf<P[K]>[] | undefined;
  readonly error: Error | null;
  readonly hasMore: boolean;
  readonly isLoadingMore: boolean;
  readonly loadMore: () => void;
} {
  const { data, error, hasNextPage, isFetchingNextPage, fetchNextPage } = useInfiniteQuery<
    P,
    Error,
    InfiniteData<P>,
    readonly unknown[],
    string | null
  >({ ...pages, placeholderData: keepPreviousData });
  return {
    items: data?.pages.flatMap((page) => page[items] as readonly ItemOf<P[K]>[]),
    error: data === undefined ? error : null,
    hasMore: hasNextPage,
    isLoadingMore: isFetchingNextPage,
    loadMore: () => void fetchNextPage(),
  };
}
type ItemOf<L> = L extends readonly (infer I)[] ? I : never;

/** Reads what a page needs before it is shown. Data in the cache is not read again. */
export async function load(
  client: QueryClient,
  reads: readonly (Read<unknown> | ReadPages<Page>)[],
): Promise<void> {
  await Promise.all(
    reads.map(async (one) =>
      "initialPageParam" in one
        ? await client.ensureInfiniteQueryData(one)
        : await client.ensureQueryData(one),
    ),
  );
}

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: STALE_MS,
      retry: (failures, error) => failures < 3 && !(error instanceof ApiError && error.status < 500),
      // A page that lost its connection says so (`live/`), and its requests are answered or refused, not held.
      networkMode: "always",
    },
    mutations: { networkMode: "always" },
  },
});
