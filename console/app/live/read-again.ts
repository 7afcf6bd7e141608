import type { QueryClient, QueryFilters } from "@tanstack/react-query";

/**
 * Reads again what something made old. A read that is under way is not ended, because news that come faster than the
 * answers would then end each of them, and with them a page of a list that somebody asked for. It may have begun before
 * the news, so it is followed by another.
 */
export async function readAgain(client: QueryClient, what: QueryFilters): Promise<void> {
  const isUnderWay = client.isFetching(what) > 0;
  await client.invalidateQueries(what, { cancelRefetch: false });
  if (isUnderWay) await client.invalidateQueries(what, { cancelRefetch: false });
}
