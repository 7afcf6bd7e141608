import type { Visible } from "../lib/access.ts";

/**
 * Which projects a list shows, as a condition of its statement. Null for an array shows all, and costs nothing.
 * @param only place of the parameter with the only projects to show, such as `$4`
 * @param but place of the parameter with the projects to hide
 */
export function visibleProject(column: string, only: string, but: string): string {
  return `(${only}::text[] IS NULL OR ${column} = ANY (${only}))
      AND (${but}::text[] IS NULL OR ${column} IS NULL OR ${column} <> ALL (${but}))`;
}

/** The values of the two parameters. */
export function visibleValues(
  visible: Visible,
): readonly [readonly string[] | null, readonly string[] | null] {
  return [visible?.only ?? null, visible?.but ?? null];
}
