/** Fields that choose one of the organization's resources by its name. */
import { useEffect } from "react";
import { readPages, type ReadPages, useList } from "../api/query.ts";
import { type Control, SelectField } from "../ui/field.tsx";

const PAGE = 100;
/** A browser finds what is typed in a field of so many; it is ten requests. */
const MOST = 1_000;

/** All items of a list, up to `MOST`: page after page is read as long as there are more. */
export function useAll<P extends { readonly nextCursor: string | null }, K extends keyof P>(
  pages: ReadPages<P>,
  field: K,
) {
  const { items = [], hasMore, isLoadingMore, loadMore } = useList(pages, field);
  useEffect(() => {
    if (hasMore && !isLoadingMore && items.length < MOST) loadMore();
  }, [hasMore, isLoadingMore, loadMore, items.length]);
  return items;
}

/** The users of the organization. */
export function useUsers() {
  return useAll(readPages("users", "list", { limit: PAGE }), "users");
}

/** A project, or all. */
export function ProjectChoice(control: Control<string>) {
  const projects = useAll(readPages("projects", "list", { limit: PAGE }), "projects");
  const { value } = control;
  const isKnown = value === "" || projects.some(({ id }) => id === value);
  return (
    <SelectField
      label="Project"
      options={[
        ["", "All projects"],
        ...projects.map(({ id, name }) => [id, name] as const),
        // One that is gone, or beyond what was read.
        ...(isKnown ? [] : [[value, value] as const]),
      ]}
      {...control}
    />
  );
}
