/** Writes to the API: pending while they are under way, refreshed when they are done, and an error as it came. */
import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { ResourceName } from "./query.ts";
import { withSession } from "./session.ts";

export type WriteOptions<A> = {
  /** Resources of which the write changes something; all that is shown of them is read again. */
  readonly refreshes: readonly ResourceName[];
  readonly onDone?: (answer: A) => void | Promise<void>;
};

/**
 * A write, for a button or a form. A lost answer is asked for again with the same Idempotency-Key; an expired session is
 * renewed and the write sent once more.
 */
export function useWrite<I, A>(send: (input: I) => PromiseLike<A>, { refreshes, onDone }: WriteOptions<A>) {
  const client = useQueryClient();
  const { mutate, isPending, error, reset } = useMutation<A, Error, I>({
    mutationFn: async (input) => await withSession(() => send(input)),
    onSuccess: async (answer) => {
      for (const resource of refreshes) void client.invalidateQueries({ queryKey: [resource] });
      await onDone?.(answer);
    },
  });
  return { run: mutate, isPending, error, reset };
}
