import type { QueryClient, QueryFilters } from "@tanstack/react-query";

/**
 * Reads again after a change made the data old. A read that is under way is not cancelled: changes that come faster
 * than the answers would cancel every read, also the next page of a list that the user asked for. That read may have
 * begun before the change, so another read follows it.
 */
export async function readAgain(client: QueryClient, what: QueryFilters): Promise<void> {
  const isUnderWay = client.isFetching(what) > 0;
  await client.invalidateQueries(what, { cancelRefetch: false });
  if (isUnderWay) await client.invalidateQueries(what, { cancelRefetch: false });
}
