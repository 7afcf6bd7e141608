/** Where the parts of columns are, in percent of the picture's height. Pure. */

export type Part = {
  /** From the top. */
  readonly y: number;
  readonly height: number;
};

/** The least height of a part in percent, so that even a small value is visible. */
const LEAST = 4;

/**
 * The parts of each column, the first at the bottom.
 * @param columns values of one unit, none negative
 */
export function stackColumns(columns: readonly (readonly number[])[]): readonly (readonly Part[])[] {
  const sums = columns.map((values) => values.reduce((sum, value) => sum + value, 0));
  const most = Math.max(...sums, 0);
  const heights = columns.map((values) =>
    values.map((value) => (value === 0 ? 0 : Math.max((value / most) * 100, LEAST))),
  );
  const tallest = Math.max(100, ...heights.map((parts) => parts.reduce((sum, height) => sum + height, 0)));
  return heights.map((parts) => {
    let top = 100;
    return parts.map((part) => {
      const height = (part / tallest) * 100;
      top -= height;
      return { y: top, height };
    });
  });
}
