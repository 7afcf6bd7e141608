import type { Input } from "./command.ts";
import type { Context } from "./context.ts";
import { collect } from "./lookup.ts";
import type { Column } from "./text-table.ts";

const DEFAULT_LIMIT = 100;

/** Prints as many of a list as `--limit` and `--all` say. Says on stderr if there are more. */
export async function printList<T>(
  { output }: Context,
  input: Input,
  items: AsyncIterable<T>,
  columns: readonly Column<T>[],
): Promise<void> {
  const limit = input.isSet("all") ? Infinity : (input.number("limit") ?? DEFAULT_LIMIT);
  const taken = await collect(items, limit + 1);
  if (taken.length > limit) output.note(`These are the first ${limit}. There are more: --limit N or --all.`);
  output.list(taken.slice(0, limit), columns);
}

/**
 * Deletes something after the user has agreed.
 * @param of `label` is what people call it; `verb` is what was done, "deleted" unless given
 */
export async function deleteConfirmed(
  { output, prompt }: Context,
  question: string,
  {
    id,
    label = id,
    verb = "deleted",
  }: { readonly id: string; readonly label?: string; readonly verb?: string },
  work: () => PromiseLike<unknown>,
): Promise<void> {
  await prompt.confirm(question);
  await work();
  output.item({ id, isDeleted: true }, [[verb, label]]);
}
