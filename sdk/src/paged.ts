import type { Answer } from "./transport.ts";

/**
 * A list. `for await` iterates over its items, `pages()` over its pages, and `await` returns the first page. No request is
 * sent until then.
 */
export class Paged<Item, Page> implements PromiseLike<Page>, AsyncIterable<Item> {
  readonly #read: (cursor: string | null) => Promise<Answer<Page>>;
  readonly #itemsOf: (page: Page) => readonly Item[];
  readonly #cursorOf: (page: Page) => string | null;

  /**
   * @param read reads a page
   * @param itemsOf the items of a page
   * @param cursorOf the cursor of the next page; null after the last one
   */
  constructor(
    read: (cursor: string | null) => Promise<Answer<Page>>,
    itemsOf: (page: Page) => readonly Item[],
    cursorOf: (page: Page) => string | null,
  ) {
    this.#read = read;
    this.#itemsOf = itemsOf;
    this.#cursorOf = cursorOf;
  }

  /** All pages. An empty page may be followed by others. */
  async *pages(): AsyncGenerator<Page, void> {
    let cursor: string | null = null;
    do {
      const { data }: Answer<Page> = await this.#read(cursor);
      yield data;
      cursor = this.#cursorOf(data);
    } while (cursor !== null);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void> {
    for await (const page of this.pages()) yield* this.#itemsOf(page);
  }

  /** The first page with its ETag and the request's id. */
  async withResponse(): Promise<Answer<Page>> {
    return await this.#read(null);
  }

  // oxlint-disable-next-line unicorn/no-thenable -- it is awaited for its first page
  then<A = Page, B = never>(
    onPage?: ((page: Page) => A | PromiseLike<A>) | null,
    onError?: ((error: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return this.#read(null)
      .then(({ data }) => data)
      .then(onPage, onError);
  }
}
