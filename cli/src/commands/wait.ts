/** Waiting for background work, for any command with `--wait`. */
import { ApiError } from "../../../sdk/src/index.ts";
import type { Context } from "../context.ts";
import { readDuration } from "../input/duration.ts";
import { CommandError, EXIT } from "../output/failure.ts";
import type { Input } from "../table/input.ts";

/**
 * Runs work that may be ended by Ctrl-C or `--timeout`. Neither cancels anything on the server.
 * @param resume how to come back to it
 * @throws CommandError `STILL_PENDING` when `--timeout` has passed
 */
export async function waiting<T>(
  context: Context,
  input: Input,
  resume: string,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  context.resumeBy(`The work goes on. To wait for it again: ${resume}`);
  const text = input.text("timeout");
  const over = text === undefined ? null : AbortSignal.timeout(readDuration("timeout", text));
  try {
    return await work(over === null ? context.signal : AbortSignal.any([context.signal, over]));
  } catch (error) {
    if (over?.aborted !== true || context.signal.aborted) throw error;
    throw new CommandError(`The time of --timeout ${text ?? ""} is over.`, {
      code: "STILL_PENDING",
      exitCode: EXIT.PENDING,
      cause: error,
    });
  }
}

/** Follows a resource until it no longer exists (404). */
export async function untilGone<T>(resource: AsyncIterable<T>, onChange: (one: T) => void): Promise<void> {
  try {
    for await (const one of resource) onChange(one);
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 404) throw error;
  }
}
