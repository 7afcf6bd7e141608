/**
 * Spans of what a request or a turn of work does, as OpenTelemetry means them. Without a collector there is none of this:
 * `src/start/tracing` makes it, and only there it is known how spans are sent.
 *
 * A span holds names that the program chose, ids and codes, and nothing else: no text of a client, no value, no header.
 */
export type Tracing = {
  /** Whether the running work belongs to a sampled trace. */
  readonly isTraced: () => boolean;
  /** Runs work in a span below the one it belongs to; in none if it belongs to none. */
  readonly within: <T>(name: string, kind: SpanKind, work: () => Promise<T>) => Promise<T>;
  /**
   * Begins a span below the running work's span, for work that is not waited for; null if the running work has none.
   */
  readonly begin: (name: string, kind: SpanKind) => OpenSpan | null;
  /**
   * Runs work in a span of its own trace, or of the given one. If it is not sampled, work runs in no span.
   * @param trace from `currentTrace`, of another process or from earlier
   */
  readonly root: <T>(options: RootSpan, work: () => Promise<T>) => Promise<T>;
  /** What `root` continues from: the trace of the running work. Null if it belongs to none. */
  readonly currentTrace: () => string | null;
};

export type SpanKind = "internal" | "server" | "client" | "consumer";

/** Ids, codes, and names that the program chose. */
export type SpanFacts = Readonly<Record<string, string | number>>;

export type RootSpan = {
  readonly name: string;
  readonly kind: SpanKind;
  readonly trace: string | null;
  readonly facts: SpanFacts;
};

export type OpenSpan = {
  /** @param error what it failed with, if it did: only its class and code are recorded */
  readonly end: (error?: unknown) => void;
};
