/** Pictures of numbers: columns over time, and the same numbers as a table behind them. */
import { type ReactNode, useId } from "react";
import css from "./chart.module.css";
import { stackColumns } from "./columns.ts";
import { Hidden, type Tone } from "./layout.tsx";
import { Table } from "./table.tsx";

export type Series = {
  readonly label: string;
  /** Its colour, and the pattern that distinguishes it from the others without colour. */
  readonly tone: Tone;
};

export type Point = {
  /** When it was, such as `20 Nov 2026`. */
  readonly label: string;
  /** One for each series. */
  readonly values: readonly number[];
  /** What they say, if a part of a column is not what its series is about. */
  readonly said?: readonly string[];
};

type Props = {
  readonly title: string;
  /** What a column is of, such as `Day`. */
  readonly step: string;
  readonly series: readonly Series[];
  /** Null while they load: the picture has its size already. */
  readonly points: readonly Point[] | null;
  /** Said in place of columns if all are empty. */
  readonly empty: string;
  /** A value in words. */
  readonly tell?: Tell;
};

/** A few columns are not as broad as the picture. */
const COLUMNS_LEAST = 10;

/** Pictures side by side; on a narrow screen they are moved sideways, so that what follows is not far. */
export function Charts({ children }: { readonly children: ReactNode }) {
  return <div className={css["charts"]}>{children}</div>;
}

/** Columns of one or several series, stacked. */
export function ColumnChart({ title, step, series, points, empty, tell = String }: Props) {
  const id = useId();
  const shown = points ?? [];
  const parts = stackColumns(shown.map(({ values }) => values));
  const sums = shown.map(({ values }) => values.reduce((sum, value) => sum + value, 0));
  const most = Math.max(...sums, 0);
  const width = 100 / Math.max(shown.length, COLUMNS_LEAST);
  return (
    <figure className={css["chart"]} aria-busy={points === null}>
      <figcaption>{title}</figcaption>
      <ul className={css["legend"]}>
        {series.map(({ label, tone }) => (
          <li key={label}>
            <svg className={css["swatch"]} aria-hidden="true">
              <Pattern id={`${id}${tone}`} tone={tone} />
              <rect width="100%" height="100%" fill={`url(#${id}${tone})`} className={css[tone]} />
            </svg>
            {label}
          </li>
        ))}
      </ul>
      <p className={css["most"]}>{most === 0 ? "\u00a0" : tell(most)}</p>
      {points !== null && most === 0 ? (
        <p className={css["nothing"]}>{empty}</p>
      ) : (
        <svg className={css["plot"]} role="img" aria-label={`${title}. The numbers are in the table below.`}>
          {shown.map((point, index) => (
            <g key={point.label}>
              <title>{tellPoint(point, series, tell)}</title>
              {/* Answers the pointer where the column is low, too. */}
              <rect x={`${index * width}%`} width={`${width}%`} height="100%" fill="transparent" />
              {series.map(({ label, tone }, at) => {
                const { y = 100, height = 0 } = parts[index]?.[at] ?? {};
                return height === 0 ? null : (
                  <rect
                    key={label}
                    x={`${(index + 0.1) * width}%`}
                    width={`${0.8 * width}%`}
                    y={`${y}%`}
                    height={`${height}%`}
                    fill={`url(#${id}${tone})`}
                    className={css[tone]}
                  />
                );
              })}
            </g>
          ))}
        </svg>
      )}
      <p className={css["ends"]}>
        <span>{shown[0]?.label ?? "\u00a0"}</span>
        <span>{shown.length > 1 ? shown.at(-1)?.label : null}</span>
      </p>
      <details>
        <summary>
          As a table<Hidden>: {title}</Hidden>
        </summary>
        <Table
          caption={title}
          rows={shown.toReversed()}
          keyOf={({ label }) => label}
          columns={[
            { label: step, cell: ({ label }) => label },
            ...series.map(({ label }, at) => ({
              label,
              cell: (point: Point) => tellValue(point, at, tell),
            })),
          ]}
        />
      </details>
    </figure>
  );
}

type Tell = (value: number) => string;

function tellPoint(point: Point, series: readonly Series[], tell: Tell): string {
  const said = series.map(({ label }, at) => `${label}: ${tellValue(point, at, tell)}`);
  return `${point.label}\n${said.join("\n")}`;
}

function tellValue({ values, said }: Point, at: number, tell: Tell): string {
  return said?.[at] ?? tell(values[at] ?? 0);
}

/** Full, hatched, dotted, striped, or empty. */
function Pattern({ id, tone }: { readonly id: string; readonly tone: Tone }) {
  return (
    <defs>
      <pattern id={id} width="6" height="6" patternUnits="userSpaceOnUse" className={css[tone]}>
        <rect width="6" height="6" className={css["ground"]} />
        {tone === "good" ? <rect width="6" height="6" className={css["ink"]} /> : null}
        {tone === "bad" ? <path d="M-1 5 5 -1M1 7 7 1" className={css["line"]} /> : null}
        {tone === "todo" ? <circle cx="3" cy="3" r="1.8" className={css["ink"]} /> : null}
        {tone === "busy" ? <rect width="6" height="3" className={css["ink"]} /> : null}
      </pattern>
    </defs>
  );
}
