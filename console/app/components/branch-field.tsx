import { type ReactNode, useMemo } from "react";
import { useSearched } from "../api/searched.ts";
import type { Read } from "../api/query.ts";
import { ComboField, type Control } from "../ui/field.tsx";

type Found = {
  readonly branches: readonly { readonly name: string; readonly commitHash: string }[];
  readonly hasMore: boolean;
};
export type Branches<T extends Found = Found> = ReturnType<typeof useSearched<T>>;

/** The branches of a repository. @param readOf the read for a part of the name; for all of them without one */
export function useBranches<T extends Found>(
  readOf: (search: string | undefined) => Read<T>,
  isWanted = true,
): Branches<T> {
  return useSearched(readOf, { isWanted, hasMore: ({ hasMore }) => hasMore });
}

/** One of the branches of a repository. */
export function BranchField({
  branches: { data, text, setText, isSearched, isLoading },
  hint,
  ...control
}: Control<string> & { readonly branches: Branches; readonly hint?: ReactNode }) {
  const { value } = control;
  // The same array while nothing changes: the list starts again with a new one.
  const options = useMemo(() => {
    const found = (data?.branches ?? []).map(({ name, commitHash }) => ({
      value: name,
      label: name,
      detail: commitHash.slice(0, 7),
    }));
    const isMissing = value !== "" && !isSearched && !found.some((one) => one.value === value);
    return isMissing ? [{ value, label: value }, ...found] : found;
  }, [data, isSearched, value]);
  return (
    <ComboField
      label="Branch"
      hint={hint}
      placeholder={data === undefined ? "Asking the git host…" : "Choose a branch"}
      options={options}
      empty={isLoading ? "Asking the git host…" : "The repository has no such branch."}
      note={
        data?.hasMore === true
          ? text.trim() === ""
            ? "There are more. Type a part of the name."
            : "There are more. Type more of the name."
          : null
      }
      onSearch={setText}
      isFiltered={isSearched}
      {...control}
    />
  );
}
