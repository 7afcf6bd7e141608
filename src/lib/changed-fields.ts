import { isDeepStrictEqual } from "node:util";

type Fields = Readonly<Record<string, unknown>>;

/** The names of the fields that two objects do not have in common, in order. */
export function changedFields(before: Fields, after: Fields): string[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].filter((name) => !isDeepStrictEqual(before[name], after[name])).toSorted();
}
