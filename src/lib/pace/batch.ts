import DataLoader from "dataloader";

/**
 * Combines the requests of many callers. Requests in one turn of the event loop, or while the previous batch is under
 * way, form one batch. So a single caller does not wait, and many callers share the cost of one request.
 * @param run gets the items in the order of their calls, and answers each in that order. If it throws, all of them fail.
 */
export function createBatches<Item, Result>(
  run: (items: readonly Item[]) => Promise<readonly Result[]>,
): (item: Item) => Promise<Result> {
  let previous: Promise<unknown> = Promise.resolve();
  const loader = new DataLoader<Item, Result>(
    (items) => {
      const results = run(items);
      previous = results.catch(() => null);
      return results;
    },
    { cache: false, batchScheduleFn: (begin) => void previous.then(() => setImmediate(begin)) },
  );
  return (item) => loader.load(item);
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
