/**
 * Combines the requests of many callers. Requests in one turn of the event loop, or while the previous batch is under
 * way, form one batch. So a single caller does not wait, and many callers share the cost of one request.
 * @param run gets the items in the order of their calls, and answers each in that order. If it throws, all of them fail.
 */
export function createBatches<Item, Result>(
  run: (items: readonly Item[]) => Promise<readonly Result[]>,
): (item: Item) => Promise<Result> {
  let waiting: Asked<Item, Result>[] = [];
  let isBusy = false;
  const flush = async (): Promise<void> => {
    const batch = waiting;
    waiting = [];
    try {
      const results = await run(batch.map(({ item }) => item));
      for (const [index, { resolve }] of batch.entries()) resolve(results[index] as Result);
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
    isBusy = false;
    if (waiting.length > 0) begin();
  };
  const begin = (): void => {
    isBusy = true;
    setImmediate(() => void flush());
  };
  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      if (!isBusy) begin();
    });
}

/** Batches of one key do not wait for those of another. A key takes no memory while nothing is asked for it. */
export function createBatchesBy<Item, Result>(
  keyOf: (item: Item) => string,
  run: (items: readonly Item[]) => Promise<readonly Result[]>,
): (item: Item) => Promise<Result> {
  const batches = new Map<string, { readonly ask: (item: Item) => Promise<Result>; waiting: number }>();
  return async (item) => {
    const key = keyOf(item);
    const own = batches.get(key) ?? { ask: createBatches(run), waiting: 0 };
    batches.set(key, own);
    own.waiting += 1;
    try {
      return await own.ask(item);
    } finally {
      own.waiting -= 1;
      if (own.waiting === 0) batches.delete(key);
    }
  };
}

type Asked<Item, Result> = {
  readonly item: Item;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
};
