/** CloudFormation's refusals: many share one error name, and only the text distinguishes them. */
import { CloudError } from "../../../cloud.ts";
import { hasName } from "../../calls/errors.ts";
import { shorten } from "./stack-events.ts";

/** A fix is started once. If another worker has already started it, or the stack was deleted, this is not a failure. */
export async function ignoreBegun(order: Promise<unknown>): Promise<void> {
  try {
    await order;
  } catch (error) {
    const isBegun =
      hasName(error, "TokenAlreadyExistsException") ||
      isRefusedWith(error, /_IN_PROGRESS|_COMPLETE|does not exist/);
    if (!isBegun) throw error;
  }
}

/** AWS's message if it refuses a change for every caller; throws any other error. */
export function refusalIn(error: unknown): string {
  if (!(error instanceof CloudError) || (error.kind !== "invalid" && error.kind !== "limit")) throw error;
  return shorten(error.cause instanceof Error ? error.cause.message : error.message);
}

/** Whether it is a refusal with such a message. */
export function isRefusedWith(error: unknown, words: RegExp): boolean {
  if (!(error instanceof CloudError) || !hasName(error, "ValidationError")) return false;
  return error.cause instanceof Error && words.test(error.cause.message);
}
