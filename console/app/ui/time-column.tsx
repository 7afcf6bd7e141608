import type { Column } from "./table.tsx";
import { When } from "./time.tsx";

/** A column that shows an instant of each row, and sorts by it. */
export function timeColumn<K extends string>(
  label: string,
  field: K,
): Column<{ readonly [F in K]: string | null }> {
  return {
    label,
    isShort: true,
    cell: (row) => <When at={row[field]} />,
    sortBy: (row) => row[field] ?? "",
  };
}
