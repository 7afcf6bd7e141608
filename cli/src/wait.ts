/** Waiting for background work, for any command with `--wait`. */
import { ApiError } from "../../sdk/src/index.ts";
import type { Input } from "./command.ts";
import type { Context } from "./context.ts";
import { CommandError, EXIT } from "./failure.ts";
import { readDuration } from "./input.ts";

/**
 * Runs work that may be ended by Ctrl-C or `--timeout`. Neither cancels anything on the server.
 * @param resume how to come back to it
 * @throws CommandError `STILL_PENDING` when `--timeout` has passed
 */
export async function waiting<T>(
  { signal, resumeBy }: Context,
  input: Input,
  resume: string,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  resumeBy(`The work continues. To wait again: ${resume}`);
  const text = input.text("timeout");
  const timeout = text === undefined ? null : AbortSignal.timeout(readDuration("timeout", text));
  try {
    return await work(timeout === null ? signal : AbortSignal.any([signal, timeout]));
  } catch (error) {
    if (timeout?.aborted !== true || signal.aborted) throw error;
    throw new CommandError(`The time of --timeout ${text ?? ""} has passed.`, {
      code: "STILL_PENDING",
      exitCode: EXIT.PENDING,
      cause: error,
    });
  }
}

/** Follows a resource until it is as awaited. */
export async function firstOf<T>(
  watched: AsyncIterable<T>,
  isAwaited: (one: T) => boolean,
  onChange: (one: T) => void = () => {},
): Promise<T> {
  for await (const one of watched) {
    onChange(one);
    if (isAwaited(one)) return one;
  }
  throw new Error("A watch does not end.");
}

/** Follows a resource until it no longer exists (404). */
export async function untilGone<T>(watched: AsyncIterable<T>, onChange?: (one: T) => void): Promise<void> {
  try {
    await firstOf(watched, () => false, onChange);
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 404) throw error;
  }
}
