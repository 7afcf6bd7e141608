import { ArrowDown, ArrowUp, Search } from "lucide-react";
import { type CSSProperties, Fragment, type ReactNode, useState } from "react";
import { Button } from "./button.tsx";
import { Icon } from "./icon.tsx";
import { Hidden } from "./layout.tsx";
import css from "./table.module.css";

export type Column<T> = {
  /** Empty for the column of actions. */
  readonly label: string;
  readonly cell: (row: T) => ReactNode;
  /** Its part of the width, in percent, if cells filled later would move the other columns. For all columns with a label, or none. */
  readonly share?: number;
  /** Its text takes several lines: sentences, which are read whole. Otherwise it is cut to one, and shown whole on hover. */
  readonly wraps?: boolean;
  /** It has the room that the other columns leave: a sentence that is cut to one line. */
  readonly isRest?: boolean;
  /** Its content is short and never cut: a status, a time, a number. */
  readonly isShort?: boolean;
  /** It is a number: to the right, its digits below each other. */
  readonly isNumber?: boolean;
  /** What its cells are sorted by. With it, a list of more than ten rows can be sorted by this column. */
  readonly sortBy?: (row: T) => string | number;
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
  /** The text that a row is found by. With it, a list of more than ten rows has a filter. */
  readonly filterBy?: (row: T) => string;
};

/** A list of fewer rows is seen at once. It is neither sorted nor filtered while rows are still to be loaded. */
const LONG = 10;

/** A table whose rows become cards where its columns have no room; then each cell is labelled with its column. */
export function Table<T>({ caption, columns, rows, keyOf, note, more = null, filterBy }: Props<T>) {
  const [text, setText] = useState("");
  const [order, setOrder] = useState<Order | null>(null);
  const isLong = rows.length > LONG && more === null;
  const shown = isLong ? sorted(filtered(rows, text, filterBy), columns, order) : rows;
  return (
    <div
      className={css["box"]}
      style={{ "--columns": columns.length, "--tracks": columns.map(trackOf).join(" ") } as CSSProperties}
      onPointerOver={({ target }) => showWhole(target)}
    >
      {isLong && filterBy !== undefined ? (
        <label className={css["filter"]}>
          <Icon of={Search} />
          <input
            type="search"
            aria-label={`Filter ${caption}`}
            placeholder={`Filter ${rows.length} rows`}
            value={text}
            onChange={({ target }) => setText(target.value)}
          />
        </label>
      ) : null}
      {/* The roles stay when a narrow screen shows the parts as blocks. */}
      <table className={css["table"]} role="table">
        <caption>{caption}</caption>
        <thead role="rowgroup">
          <tr role="row">
            {columns.map((column) => (
              <Heading key={column.label} {...column} {...{ order, setOrder }} canSort={isLong} />
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {shown.map((row) => {
            const below = note?.(row) ?? null;
            return (
              <Fragment key={keyOf(row)}>
                <tr role="row" className={below === null ? undefined : css["noted"]}>
                  {columns.map(({ label, cell, wraps = false, isNumber = false }, index) =>
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
                        className={label === "" ? css["end"] : isNumber ? css["number"] : undefined}
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
          {shown.length === 0 && rows.length > 0 ? (
            <tr role="row" className={css["note"]}>
              <td role="cell" colSpan={columns.length}>
                No row has “{text}”.
              </td>
            </tr>
          ) : null}
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

type Order = { readonly label: string; readonly isDown: boolean };

function Heading({
  label,
  isNumber = false,
  sortBy,
  order,
  setOrder,
  canSort,
}: Omit<Column<never>, "cell"> & {
  readonly order: Order | null;
  readonly setOrder: (order: Order) => void;
  readonly canSort: boolean;
}) {
  const mine = canSort && order?.label === label ? order : null;
  return (
    <th
      scope="col"
      role="columnheader"
      className={isNumber ? css["number"] : undefined}
      aria-sort={mine === null ? undefined : mine.isDown ? "descending" : "ascending"}
    >
      {label === "" ? <Hidden>Actions</Hidden> : null}
      {canSort && sortBy !== undefined ? (
        <button
          type="button"
          className={css["sort"]}
          onClick={() => setOrder({ label, isDown: mine !== null && !mine.isDown })}
        >
          {label}
          {mine === null ? null : <Icon of={mine.isDown ? ArrowDown : ArrowUp} size={13} />}
        </button>
      ) : (
        label
      )}
    </th>
  );
}

function filtered<T>(rows: readonly T[], text: string, textOf: Props<T>["filterBy"]): readonly T[] {
  const sought = text.trim().toLowerCase();
  if (textOf === undefined || sought === "") return rows;
  return rows.filter((row) => textOf(row).toLowerCase().includes(sought));
}

const collator = new Intl.Collator("en", { numeric: true });

function sorted<T>(rows: readonly T[], columns: readonly Column<T>[], order: Order | null): readonly T[] {
  const sortBy = columns.find(({ label }) => label === order?.label)?.sortBy;
  if (order === null || sortBy === undefined) return rows;
  const up = rows.toSorted((one, other) => {
    const [left, right] = [sortBy(one), sortBy(other)];
    return typeof left === "number" && typeof right === "number"
      ? left - right
      : collator.compare(String(left), String(right));
  });
  return order.isDown ? up.toReversed() : up;
}

/** How wide a column is: by its content, less where there is no room for all. Sentences take the rest. */
function trackOf({
  label,
  share,
  wraps = false,
  isShort = false,
  isNumber = false,
  isRest = false,
}: Omit<Column<never>, "cell">): string {
  const isWhole = label === "" || isShort || isNumber;
  if (share !== undefined) return `minmax(${isWhole ? "max-content" : 0}, ${share}fr)`;
  if (isWhole) return "max-content";
  if (isRest) return "minmax(6rem, 1fr)";
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
