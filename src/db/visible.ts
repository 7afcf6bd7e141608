/**
 * Which projects a list shows, as a condition of its statement. A null array shows all, and costs nothing. @param place
 * of the parameter, such as `$4`
 */
export function visibleProject(column: string, place: string): string {
  return `(${place}::text[] IS NULL OR ${column} = ANY (${place}))`;
}
