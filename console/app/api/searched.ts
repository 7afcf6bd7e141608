import { useState } from "react";
import { useSettled } from "../ui/use-settled.ts";
import { type Read, useLater } from "./query.ts";

const SEARCH_AFTER_MS = 250;

/**
 * The choices of a `ComboField`, of which there may be more than one answer has. The first are read at once; if there
 * are others, the server searches for what the user types.
 * @param readOf the read for a searched text; for all of them without one
 */
export function useSearched<T>(
  readOf: (search: string | undefined) => Read<T>,
  {
    hasMore,
    isWanted = true,
    isSearchable = () => true,
  }: {
    readonly hasMore: (first: T) => boolean;
    readonly isWanted?: boolean;
    /** Whether the server can search for a text. */
    readonly isSearchable?: (text: string) => boolean;
  },
) {
  const start = readOf(undefined);
  const key = JSON.stringify(start.queryKey);
  // A text that was typed for other choices, such as the branches of another repository, does not search in these.
  const [typed, setTyped] = useState({ key, text: "" });
  const text = typed.key === key ? typed.text : "";
  const wanted = isSearchable(text) ? text.trim() : "";
  const search = useSettled(wanted, SEARCH_AFTER_MS);
  const first = useLater(start, { isWanted, keepsPrevious: false });
  const isLong = first.data !== undefined && hasMore(first.data);
  const isSearched = isLong && search !== "" && wanted !== "";
  const found = useLater(readOf(search), { isWanted: isWanted && isSearched });
  const { data, error, isFetching } = isSearched ? found : first;
  return {
    first: first.data,
    data,
    error,
    text,
    setText: (next: string) => setTyped({ key, text: next }),
    /** `data` has only what matches. */
    isSearched,
    isLoading:
      isWanted && ((data === undefined && error === null) || isFetching || (isLong && wanted !== search)),
    isLong,
  };
}
