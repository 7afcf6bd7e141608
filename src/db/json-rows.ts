import { readUtcInstant } from "../lib/instants.ts";

/**
 * Rows that PostgreSQL returns inside the JSON of another row. JSON has no type for instants, so they arrive as text.
 */

export type JsonRow<Row> = {
  readonly [K in keyof Row]: Date extends Row[K] ? Exclude<Row[K], Date> | string : Row[K];
};

type InstantOf<Row> = { [K in keyof Row]-?: Date extends Row[K] ? K : never }[keyof Row];

/** The row as a query would have returned it. @param instants all columns that hold an instant */
export function readJsonRow<Row extends object>(row: JsonRow<Row>, instants: readonly InstantOf<Row>[]): Row {
  const read: Record<PropertyKey, unknown> = { ...row };
  for (const column of instants) {
    const text = read[column];
    if (typeof text === "string") read[column] = readUtcInstant(text) ?? new Date(text);
  }
  return read as Row;
}
