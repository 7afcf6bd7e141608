/** What a table's "Show more" needs of a list. Null: there is no more. */
export function moreOf(list: {
  readonly hasMore: boolean;
  readonly isLoadingMore: boolean;
  readonly loadMore: () => void;
}): { readonly load: () => void; readonly isLoading: boolean } | null {
  return list.hasMore ? { load: list.loadMore, isLoading: list.isLoadingMore } : null;
}
