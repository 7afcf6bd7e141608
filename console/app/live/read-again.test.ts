import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { InfiniteQueryObserver, QueryClient, QueryObserver } from "@tanstack/react-query";
import { until } from "../../../test/helpers/until.ts";
import { readAgain } from "./read-again.ts";
import { resourcesOf } from "./subjects.ts";

/** Reads that are answered one by one, when the test says so. */
function createReads() {
  const waiting: { answer: (value: string) => void; signal: AbortSignal; page: string }[] = [];
  const read = async (signal: AbortSignal, page: string): Promise<string> =>
    await new Promise((answer) => waiting.push({ answer, signal, page }));
  const next = async () => {
    await until(() => waiting.length > 0, "something is read");
    const one = waiting.shift();
    assert.ok(one !== undefined);
    return one;
  };
  return { read, next, count: () => waiting.length };
}

describe("what news made old", () => {
  it("is read to its end, and once more, however fast more news come", async () => {
    const { read, next, count } = createReads();
    const client = new QueryClient();
    const key = ["domains"];
    const observer = new QueryObserver(client, {
      queryKey: key,
      queryFn: async ({ signal }) => await read(signal, ""),
    });
    const end = observer.subscribe(() => undefined);
    const first = await next();
    const all = Array.from({ length: 5 }, () => readAgain(client, { queryKey: key }));
    assert.equal(first.signal.aborted, false);
    first.answer("old");
    (await next()).answer("new");
    await Promise.all(all);
    assert.equal(observer.getCurrentResult().data, "new");
    assert.equal(count(), 0, "five news are one read");
    end();
    client.clear();
  });

  it("does not end the loading of more", async () => {
    const { read, next } = createReads();
    const client = new QueryClient();
    const key = ["domains"];
    const observer = new InfiniteQueryObserver(client, {
      queryKey: key,
      queryFn: async ({ signal, pageParam }) => await read(signal, pageParam),
      initialPageParam: "1",
      getNextPageParam: (_last, pages) => `${pages.length + 1}`,
    });
    const end = observer.subscribe(() => undefined);
    (await next()).answer("one");
    await until(() => observer.getCurrentResult().data !== undefined, "the first page is there");
    void observer.fetchNextPage();
    const more = await next();
    const again = readAgain(client, { queryKey: key });
    assert.deepEqual([more.page, more.signal.aborted], ["2", false]);
    more.answer("two");
    (await next()).answer("one again");
    (await next()).answer("two again");
    await again;
    assert.deepEqual(observer.getCurrentResult().data?.pages, ["one again", "two again"]);
    end();
    client.clear();
  });

  it("is the list of previews too, where an environment or a deployment changed", () => {
    for (const subject of ["environment", "deployment", "preview"])
      assert.ok(resourcesOf(subject).includes("previews"), subject);
  });
});
