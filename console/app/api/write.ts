/** Writes to the API: pending while they are under way, refreshed when they are done, and an error as it came. */
import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { ResourceName } from "./query.ts";
import { withSession } from "./session.ts";

export type WriteOptions<A> = {
  /** Resources that the write changes; all shown reads of them are repeated. */
  readonly refreshes: readonly ResourceName[];
  readonly onDone?: (answer: A) => void | Promise<void>;
};

/**
 * A write, for a button or a form. If the answer is lost, the request is sent again with the same Idempotency-Key. If
 * the session has expired, the user signs in again, and the write is sent once more.
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
