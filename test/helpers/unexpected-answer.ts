/** A request was answered otherwise than a test needs. */
export class UnexpectedAnswer extends Error {
  override readonly name = "UnexpectedAnswer";
  readonly status: number;
  constructor(message: string, status: number) {
    super(message);
    this.status = status;
  }
}

/** What a busy machine, or a part that starts again, may answer for a while. */
const PASSING: ReadonlySet<number> = new Set([429, 502, 503, 504]);

/** Whether the same request may be answered rightly a little later. */
export function isPassing(error: unknown): boolean {
  return error instanceof UnexpectedAnswer && PASSING.has(error.status);
}
