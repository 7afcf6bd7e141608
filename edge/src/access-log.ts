/** What the edge writes down about one request. It has neither headers nor the query, which may hold secrets. */
export type AccessEntry = {
  readonly host: string;
  /** The visitor's IP address. */
  readonly client: string;
  readonly method: string;
  readonly path: string;
  /** As `HTTP/1.1`. */
  readonly protocol: string;
  /** Null if the visitor left before the answer. */
  readonly status: number | null;
  readonly durationMs: number;
};
