/** Rows that PostgreSQL gives inside JSON, as lists of another row: their instants are text, for JSON has no other. */

export type JsonRow<Row> = {
  readonly [K in keyof Row]: Date extends Row[K] ? Exclude<Row[K], Date> | string : Row[K];
};

type InstantOf<Row> = { [K in keyof Row]-?: Date extends Row[K] ? K : never }[keyof Row];

/** The row as if it had come by itself. @param instants all its columns that hold one */
export function readJsonRow<Row extends object>(row: JsonRow<Row>, instants: readonly InstantOf<Row>[]): Row {
  const read: Record<PropertyKey, unknown> = { ...row };
  for (const column of instants) {
    const text = read[column];
    if (typeof text === "string") read[column] = new Date(text);
  }
  return read as Row;
}
