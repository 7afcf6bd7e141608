/** The form of instants in file names: sortable as text, and without characters that a file system refuses. */
export const TIMESTAMP_PATTERN = String.raw`\d{8}T\d{9}Z`;

/** `20260131T235959123Z`: ISO 8601's basic format in UTC, to the millisecond. */
export function formatTimestamp(instant: Date): string {
  return instant.toISOString().replaceAll(/[-:.]/g, "");
}

/** Milliseconds since 1970 for a text that matches `TIMESTAMP_PATTERN`; NaN for an impossible date. */
export function parseTimestampMs(text: string): number {
  return Date.parse(
    text.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)(\d{3})Z$/, "$1-$2-$3T$4:$5:$6.$7Z"),
  );
}
