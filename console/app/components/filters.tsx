import type { ReactNode } from "react";
import css from "./filters.module.css";

/** The fields that choose what of a list is shown; what they hold is in the address. */
export function Filters({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    <search className={css["filters"]} aria-label={label}>
      {children}
    </search>
  );
}

/** Without what is empty, for an address that names only what is chosen. */
export function onlySet(
  search: Readonly<Record<string, string | number | undefined>>,
): Readonly<Record<string, string | number>> {
  return Object.fromEntries(
    Object.entries(search).filter(
      (entry): entry is [string, string | number] => entry[1] !== undefined && entry[1] !== "",
    ),
  );
}
