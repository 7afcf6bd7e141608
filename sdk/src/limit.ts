/** Ends one try: when a caller aborts, or nothing came in time. */
export class Limit {
  readonly #controller = new AbortController();
  readonly #callers: readonly AbortSignal[];
  #timer: ReturnType<typeof setTimeout> | undefined;
  isTimedOut = false;

  constructor(callers: readonly AbortSignal[]) {
    this.#callers = callers;
    if (this.abortedBy !== null) this.#abort();
    // Not AbortSignal.any: a signal that lives long would hold every try in Node 20.
    else for (const caller of callers) caller.addEventListener("abort", this.#abort);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** The caller's signal that has ended it, if one has. */
  get abortedBy(): AbortSignal | null {
    return this.#callers.find(({ aborted }) => aborted) ?? null;
  }

  /** From now on, the try ends after `ms`. */
  arm(ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.isTimedOut = true;
      this.#abort();
    }, ms);
  }

  /** Called when the try has ended. */
  release(): void {
    clearTimeout(this.#timer);
    for (const caller of this.#callers) caller.removeEventListener("abort", this.#abort);
  }

  /** Also ends what is still being read. */
  abort(): void {
    this.release();
    this.#abort();
  }

  readonly #abort = (): void => this.#controller.abort(this.abortedBy?.reason);
}
