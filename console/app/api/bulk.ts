/** Writes to several things of a list, of which some may fail. */

export type Failure<T> = { readonly item: T; readonly error: unknown };

/** How many requests are sent at once. */
const AT_ONCE = 4;

/** Does the same for each item, in their order. A failure does not stop the others. @returns the failures */
export async function forEachItem<T>(
  items: readonly T[],
  work: (item: T) => PromiseLike<unknown>,
): Promise<readonly Failure<T>[]> {
  const failures: Failure<T>[] = [];
  let next = 0;
  const run = async (): Promise<void> => {
    for (let item = items[next]; item !== undefined; item = items[next]) {
      next += 1;
      try {
        // oxlint-disable-next-line no-await-in-loop -- at most four at once
        await work(item);
      } catch (error) {
        failures.push({ item, error });
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, run));
  return failures;
}
