/** Ends one try: when the caller aborts, or nothing came in time. */
export class Limit {
  readonly #controller = new AbortController();
  readonly #caller: AbortSignal | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  isTimedOut = false;

  constructor(caller: AbortSignal | undefined) {
    this.#caller = caller;
    if (caller?.aborted === true) this.#abort();
    // Not AbortSignal.any: one that lives long would hold every try in Node 20.
    else caller?.addEventListener("abort", this.#abort);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** From now on, the try ends after `ms`. */
  arm(ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.isTimedOut = true;
      this.#abort();
    }, ms);
  }

  /** The try is over. */
  release(): void {
    clearTimeout(this.#timer);
    this.#caller?.removeEventListener("abort", this.#abort);
  }

  /** Also ends what is still being read. */
  abort(): void {
    this.release();
    this.#abort();
  }

  readonly #abort = (): void => this.#controller.abort();
}
