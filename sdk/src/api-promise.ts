import type { Answer } from "./transport.ts";

/** The answer of a call: awaited, its data; `withResponse()` also has what the headers say. */
export class ApiPromise<T> implements Promise<T> {
  readonly [Symbol.toStringTag] = "ApiPromise";
  readonly #answer: Promise<Answer<T>>;

  constructor(answer: Promise<Answer<T>>) {
    this.#answer = answer;
  }

  /** The data with its ETag, the request's id, and whether it is an earlier answer again. */
  withResponse(): Promise<Answer<T>> {
    return this.#answer;
  }

  // oxlint-disable-next-line unicorn/no-thenable -- it is awaited like any promise
  then<A = T, B = never>(
    onData?: ((data: T) => A | PromiseLike<A>) | null,
    onError?: ((error: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return this.#answer.then(({ data }) => data).then(onData, onError);
  }

  catch<B = never>(onError?: ((error: unknown) => B | PromiseLike<B>) | null): Promise<T | B> {
    return this.then(null, onError);
  }

  finally(onEnd?: (() => void) | null): Promise<T> {
    return this.then(null).finally(onEnd);
  }
}
