/** Reads what CloudFormation says of a stack: events, refusals, reasons. */
import type { StackEvent } from "@aws-sdk/client-cloudformation";
import { cutText } from "../../../../lib/cut-text.ts";
import { CloudError } from "../../../cloud.ts";
import { hasName } from "../../calls/errors.ts";
import { type Outcome, outcomeOf } from "./decide-stack.ts";

const REASON_CHARACTERS = 400;

/** @param events newest first */
export function outcomeIn(events: readonly StackEvent[], token: string): Outcome | null {
  const newest = events.find((event) => event.ClientRequestToken === token && isOfStack(event));
  return newest === undefined ? null : outcomeOf(newest.ResourceStatus ?? "");
}

/**
 * Why an operation failed: its first failure, because the others only follow from it. If CloudFormation could not
 * roll back either, its last failure is the one to fix.
 */
export function reasonIn(events: readonly StackEvent[], which: "first" | "last"): string | null {
  const failures = events.filter(
    (event) =>
      event.ResourceStatus?.endsWith("_FAILED") === true &&
      !isOfStack(event) &&
      !/cancelled/i.test(event.ResourceStatusReason ?? ""),
  );
  // Newest first.
  const failed = failures.at(which === "first" ? -1 : 0);
  if (failed === undefined) return null;
  const { LogicalResourceId, ResourceType, ResourceStatusReason } = failed;
  return `${LogicalResourceId} (${ResourceType}): ${shorten(ResourceStatusReason ?? "it failed")}`;
}

/** Only the events of the newest deletion. */
export function ofNewestDeletion(events: readonly StackEvent[]): readonly StackEvent[] {
  const begin = events.findIndex(
    (event) => isOfStack(event) && event.ResourceStatus === "DELETE_IN_PROGRESS",
  );
  return events.slice(0, begin + 1);
}

/** The resources that an operation is working on. */
export function resourcesInProgress(events: readonly StackEvent[]): readonly string[] {
  const newest = new Map<string, string>();
  for (const event of events) {
    const { LogicalResourceId: name = "", ResourceStatus = "" } = event;
    if (!isOfStack(event) && !newest.has(name)) newest.set(name, ResourceStatus);
  }
  return [...newest].flatMap(([name, status]) => (status.endsWith("_IN_PROGRESS") ? [name] : [])).toSorted();
}

/** The physical id of a resource of the stack; null until it is created. */
export function physicalIdIn(events: readonly StackEvent[], logicalId: string): string | null {
  const made = events.find(
    ({ LogicalResourceId, PhysicalResourceId = "" }) =>
      LogicalResourceId === logicalId && PhysicalResourceId !== "",
  );
  return made?.PhysicalResourceId ?? null;
}

/** AWS's words, as a part of a sentence. */
export function shorten(words: string): string {
  return cutText(words, REASON_CHARACTERS).replace(/[.\s]+$/, "");
}

function isOfStack({ PhysicalResourceId, StackId }: StackEvent): boolean {
  return PhysicalResourceId === StackId;
}

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

/** How AWS says that something no longer exists. */
const MISSING = /not ?found|does ?n[o']t exist|no longer exists/i;

/**
 * The failure of a stack change, and what to do about it. CloudFormation's own reason shows whether a
 * resource was changed by hand: Slipway does not check for drift (docs/reference/aws.md says why).
 * @param isOfNetwork whether services import what the stack exports
 */
export function stackFailure(
  task: string,
  { name, isStuck, reason }: { readonly name: string; readonly isStuck: boolean; readonly reason: string },
  isOfNetwork = false,
): { readonly code: string; readonly message: string } {
  // CloudFormation deletes no stack whose exports another imports.
  const stacks = isOfNetwork
    ? `the stacks of all services of the environment, then the stack ${name},`
    : `the stack ${name}`;
  const remedy = `delete ${stacks} in CloudFormation and deploy again: Slipway creates ${isOfNetwork ? "them" : "it"} again, and domains stay`;
  if (isStuck) {
    const message = `CloudFormation can neither ${task} nor roll back. ${reason}. Fix this in the account and deploy again, or ${remedy}.`;
    return { code: "STACK_STUCK", message };
  }
  const advice = MISSING.test(reason) ? ` If it was deleted by hand, ${remedy}.` : "";
  return { code: "STACK_FAILED", message: `CloudFormation could not ${task}. ${reason}.${advice}` };
}
