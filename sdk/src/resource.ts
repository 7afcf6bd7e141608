import { ApiPromise } from "./api-promise.ts";
import { stream, type StreamOptions } from "./event-stream.ts";
import { Paged } from "./paged.ts";
import type { Call, CallOptions, ChangeOptions, Transport } from "./transport.ts";
import { watch, type WatchOptions } from "./watch.ts";

/** What the generated classes are made of. */
export abstract class Resource {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  protected callAt<T>(call: Call, options: ChangeOptions | undefined): ApiPromise<T> {
    return new ApiPromise(this.#transport.call<T>(call, options));
  }

  /** @param of.items the field with the items; `of.cursor` the parameter that says where a page begins */
  protected listAt<Item, Page>(
    path: string,
    query: object,
    of: { readonly items: keyof Page; readonly cursor: string },
    options: CallOptions | undefined,
  ): Paged<Item, Page> {
    return new Paged<Item, Page>(
      async (cursor) => {
        const at = cursor === null ? query : { ...query, [of.cursor]: cursor };
        return await this.#transport.call({ method: "GET", path, query: at }, options);
      },
      (page) => page[of.items] as readonly Item[],
      (page) => {
        const { nextCursor, hasMore } = page as { nextCursor: string | null; hasMore?: boolean };
        return hasMore === false ? null : nextCursor;
      },
    );
  }

  protected watchAt<T>(
    path: string,
    query: object | undefined,
    options: WatchOptions | undefined,
  ): AsyncGenerator<T, never> {
    return watch(this.#transport, { method: "GET", path, query }, options);
  }

  protected streamAt<E extends { readonly event: string }>(
    path: string,
    query: object | undefined,
    options: StreamOptions = {},
    batched: ReadonlySet<string> = new Set(),
  ): AsyncGenerator<E, void> {
    return stream(this.#transport, { method: "GET", path, query }, options, batched);
  }
}
