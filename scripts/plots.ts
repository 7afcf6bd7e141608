/**
 * Draws the figures of runs as SVG. A plot is a file of data in `docs/measurements/data`, which says where its figures
 * are from; nothing of a drawing is made by hand. Colours follow the reader's choice of light or dark.
 */

export type Plot = {
  readonly title: string;
  /** The record of the runs, beside the data. */
  readonly source: string;
  readonly y: { readonly label: string; readonly max: number };
} & (
  | {
      readonly kind: "lines";
      readonly x: { readonly label: string; readonly isLogarithmic: boolean };
      readonly series: readonly {
        readonly name: string;
        readonly points: readonly (readonly [x: number, y: number])[];
      }[];
    }
  | { readonly kind: "bars"; readonly bars: readonly { readonly name: string; readonly value: number }[] }
);

const WIDTH = 640;
const HEIGHT = 340;
/** The area of the figures. */
const AREA = { left: 64, right: WIDTH - 150, top: 48, bottom: HEIGHT - 56 };
const GRID_LINES = 5;

const STYLE = `
    text { font: 12px sans-serif; fill: #24292f; }
    .title { font-size: 14px; font-weight: bold; }
    .back { fill: #ffffff; }
    .grid { stroke: #d0d7de; }
    .s0 { --c: #0550ae; } .s1 { --c: #bc4c00; } .s2 { --c: #1a7f37; } .s3 { --c: #8250df; }
    polyline { fill: none; stroke: var(--c); stroke-width: 2; }
    circle, rect.bar, text.name { fill: var(--c); }
    @media (prefers-color-scheme: dark) {
      text { fill: #e6edf3; }
      .back { fill: #0d1117; }
      .grid { stroke: #30363d; }
      .s0 { --c: #79c0ff; } .s1 { --c: #ffa657; } .s2 { --c: #7ee787; } .s3 { --c: #d2a8ff; }
    }`;

/** The whole file. Pure: the same data is always the same drawing. */
export function drawPlot(plot: Plot): string {
  const figures = plot.kind === "lines" ? drawLines(plot) : drawBars(plot);
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img">
  <title>${escapeText(plot.title)}</title>
  <style>${STYLE}
  </style>
  <rect class="back" width="${WIDTH}" height="${HEIGHT}"/>
  ${text(AREA.left, 24, plot.title, `class="title"`)}
  ${text(AREA.left, 40, plot.y.label)}
  ${[...drawGrid(plot), ...figures].join("\n  ")}
</svg>
`;
}

function drawGrid({ y: { max } }: Plot): readonly string[] {
  return Array.from({ length: GRID_LINES + 1 }, (_, index) => {
    const value = (max * index) / GRID_LINES;
    const at = heightOf(value, max);
    return `<line class="grid" x1="${AREA.left}" x2="${AREA.right}" y1="${at}" y2="${at}"/>${text(AREA.left - 8, at + 4, format(value), `text-anchor="end"`)}`;
  });
}

function drawLines({ series, x, y: { max } }: Plot & { kind: "lines" }): readonly string[] {
  const scale = (value: number): number => (x.isLogarithmic ? Math.log10(value) : value);
  const values = [...new Set(series.flatMap(({ points }) => points.map(([at]) => at)))];
  const least = x.isLogarithmic ? scale(Math.min(...values)) : 0;
  const width = scale(Math.max(...values)) - least;
  const placeOf = (value: number): number =>
    round(AREA.left + ((scale(value) - least) / width) * (AREA.right - AREA.left));
  const ticks = values.map((value) =>
    text(placeOf(value), AREA.bottom + 18, value.toLocaleString("en"), `text-anchor="middle"`),
  );
  const label = text((AREA.left + AREA.right) / 2, AREA.bottom + 40, x.label, `text-anchor="middle"`);
  const drawn = series.map(({ name, points }, index) => {
    const places = points.map(([at, value]) => [placeOf(at), heightOf(value, max)] as const);
    const dots = places.map(([cx, cy]) => `<circle cx="${cx}" cy="${cy}" r="4"/>`).join("");
    const [, lastY] = places.at(-1) ?? [0, 0];
    const line = `<polyline points="${places.map((place) => place.join(",")).join(" ")}"/>`;
    return `<g class="s${index}">${line}${dots}${text(AREA.right + 10, lastY + 4, name, `class="name"`)}</g>`;
  });
  return [...ticks, label, ...drawn];
}

function drawBars({ bars, y: { max } }: Plot & { kind: "bars" }): readonly string[] {
  const right = WIDTH - 24;
  const each = (right - AREA.left) / bars.length;
  return bars.map(({ name, value }, index) => {
    const left = round(AREA.left + index * each + each * 0.2);
    const top = heightOf(value, max);
    const middle = round(AREA.left + (index + 0.5) * each);
    const bar = `<rect class="bar" x="${left}" y="${top}" width="${round(each * 0.6)}" height="${round(AREA.bottom - top)}"/>`;
    const words = name
      .split("\n")
      .map((line, number) => text(middle, AREA.bottom + 18 + number * 15, line, `text-anchor="middle"`));
    return `<g class="s${index % 4}">${bar}${text(middle, top - 6, format(value), `text-anchor="middle"`)}${words.join("")}</g>`;
  });
}

function heightOf(value: number, max: number): number {
  return round(AREA.bottom - (value / max) * (AREA.bottom - AREA.top));
}

function text(x: number, y: number, content: string, attributes = ""): string {
  return `<text x="${round(x)}" y="${round(y)}"${attributes === "" ? "" : ` ${attributes}`}>${escapeText(content)}</text>`;
}

function format(value: number): string {
  return Number(value.toPrecision(3)).toLocaleString("en");
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

function escapeText(content: string): string {
  return content.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
