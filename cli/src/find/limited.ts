import type { Output } from "../output/output.ts";
import type { Input } from "../table/input.ts";
import { collect } from "./scope.ts";

const DEFAULT_LIMIT = 100;
/** The API's largest page. */
export const PAGE = 100;

/** As many of a list as `--limit` and `--all` say. Says on stderr if there are more. */
export async function takeLimited<T>(
  input: Input,
  output: Output,
  items: AsyncIterable<T>,
): Promise<readonly T[]> {
  if (input.isSet("all")) return await collect(items);
  const limit = input.number("limit") ?? DEFAULT_LIMIT;
  const taken = await collect(items, limit + 1);
  if (taken.length > limit) output.note(`These are the first ${limit}. There are more: --limit N or --all.`);
  return taken.slice(0, limit);
}
