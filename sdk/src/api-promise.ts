import type { Answer } from "./transport.ts";

/** The response of a call. `await` returns its data; `withResponse()` also returns the values of its headers. */
export class ApiPromise<T> implements Promise<T> {
  readonly [Symbol.toStringTag] = "ApiPromise";
  readonly #answer: Promise<Answer<T>>;

  constructor(answer: Promise<Answer<T>>) {
    this.#answer = answer;
  }

  /** Returns the data with its ETag, the request's id, and whether it is the saved response of an earlier request. */
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
