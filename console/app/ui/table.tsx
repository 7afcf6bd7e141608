import { type CSSProperties, Fragment, type ReactNode } from "react";
import { Button } from "./button.tsx";
import { Hidden } from "./layout.tsx";
import css from "./table.module.css";

export type Column<T> = {
  /** Empty for the column of actions. */
  readonly label: string;
  readonly cell: (row: T) => ReactNode;
  /** Its part of the width, in percent, if cells filled later would move the other columns. For all columns or none. */
  readonly share?: number;
  /** Its text takes several lines: sentences, which are read whole. Otherwise it is cut to one, and shown whole on hover. */
  readonly wraps?: boolean;
  /** Its content is short and never cut: a status, a time, a number. */
  readonly isShort?: boolean;
};

type Props<T> = {
  /** What the rows are, for screen readers. */
  readonly caption: string;
  /** The first names the row. */
  readonly columns: readonly Column<T>[];
  readonly rows: readonly T[];
  readonly keyOf: (row: T) => string;
  /** Shown below a row, across its whole width; null: nothing. */
  readonly note?: (row: T) => ReactNode;
  /** What loads more rows; null: there are no more. */
  readonly more?: { readonly load: () => void; readonly isLoading: boolean } | null;
};

/** A table whose rows become cards where its columns have no room; then each cell is labelled with its column. */
export function Table<T>({ caption, columns, rows, keyOf, note, more = null }: Props<T>) {
  return (
    <div
      className={css["box"]}
      style={{ "--columns": columns.length, "--tracks": columns.map(trackOf).join(" ") } as CSSProperties}
      onPointerOver={({ target }) => showWhole(target)}
    >
      {/* The roles stay when a narrow screen shows the parts as blocks. */}
      <table className={css["table"]} role="table">
        <caption>{caption}</caption>
        <thead role="rowgroup">
          <tr role="row">
            {columns.map(({ label }) => (
              <th key={label} scope="col" role="columnheader">
                {label === "" ? <Hidden>Actions</Hidden> : label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {rows.map((row) => {
            const below = note?.(row) ?? null;
            return (
              <Fragment key={keyOf(row)}>
                <tr role="row" className={below === null ? undefined : css["noted"]}>
                  {columns.map(({ label, cell, wraps = false }, index) =>
                    index === 0 ? (
                      <th key={label} scope="row" role="rowheader" data-label={label} data-wraps={wraps}>
                        {cell(row)}
                      </th>
                    ) : (
                      <td
                        key={label}
                        role="cell"
                        data-label={label}
                        data-wraps={wraps}
                        className={label === "" ? css["end"] : undefined}
                      >
                        {cell(row)}
                      </td>
                    ),
                  )}
                </tr>
                {below === null ? null : (
                  <tr role="row" className={css["note"]}>
                    <td role="cell" colSpan={columns.length}>
                      {below}
                    </td>
                  </tr>
                )}
              </Fragment>
            );
          })}
        </tbody>
      </table>
      {more === null ? null : (
        <div className={css["more"]}>
          <Button size="small" isPending={more.isLoading} onClick={more.load}>
            {more.isLoading ? "Loading…" : "Show more"}
          </Button>
        </div>
      )}
    </div>
  );
}

/** How wide a column is: by its content, less where there is no room for all. Sentences take the rest. */
function trackOf({ label, share, wraps = false, isShort = false }: Omit<Column<never>, "cell">): string {
  if (share !== undefined) return `minmax(0, ${share}fr)`;
  if (label === "" || isShort) return "max-content";
  // The badge above a sentence has no place to break at.
  return wraps ? "minmax(min-content, 1fr)" : "minmax(4rem, auto)";
}

/** Gives a cell whose text is cut the whole of it as its title. */
function showWhole(target: EventTarget): void {
  const cell = target instanceof Element ? target.closest<HTMLElement>("td, th") : null;
  if (cell === null) return;
  const isCut = [cell, ...cell.querySelectorAll("*")].some(
    ({ scrollWidth, clientWidth }) => clientWidth > 0 && scrollWidth > clientWidth,
  );
  if (isCut) cell.title = cell.innerText;
  else cell.removeAttribute("title");
}
