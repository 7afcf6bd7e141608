/** CloudFormation's refusals: it has one error for many, and its words tell them apart. */
import { CloudError } from "../../../cloud.ts";
import { hasName } from "../../calls/errors.ts";
import { shorten } from "./stack-events.ts";

/** A fixing is ordered once; what another worker has begun, or what is gone by now, is no failure. */
export async function ignoreBegun(order: Promise<unknown>): Promise<void> {
  try {
    await order;
  } catch (error) {
    const isBegun =
      hasName(error, "TokenAlreadyExistsException") || says(error, /_IN_PROGRESS|_COMPLETE|does not exist/);
    if (!isBegun) throw error;
  }
}

/** What AWS says to a change that it does not begin, whoever asks; another error is thrown on. */
export function refusalIn(error: unknown): string {
  if (!(error instanceof CloudError) || (error.kind !== "invalid" && error.kind !== "limit")) throw error;
  return shorten(error.cause instanceof Error ? error.cause.message : error.message);
}

/** Whether it is a refusal in such words. */
export function says(error: unknown, words: RegExp): boolean {
  if (!(error instanceof CloudError) || !hasName(error, "ValidationError")) return false;
  return error.cause instanceof Error && words.test(error.cause.message);
}
