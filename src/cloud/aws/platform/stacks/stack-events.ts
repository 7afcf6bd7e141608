/** What CloudFormation's events of a stack say. Pure. */
import type { StackEvent } from "@aws-sdk/client-cloudformation";
import { type Outcome, outcomeOf } from "./decide-stack.ts";

const REASON_CHARACTERS = 400;

/** @param events newest first */
export function outcomeIn(events: readonly StackEvent[], token: string): Outcome | null {
  const newest = events.find((event) => event.ClientRequestToken === token && isOfStack(event));
  return newest === undefined ? null : outcomeOf(newest.ResourceStatus ?? "");
}

/**
 * Why an operation failed: its first failure, for what follows from that says nothing. Where CloudFormation could
 * not go back either, its last one is what has to be fixed.
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

/** Those of the newest deletion alone. */
export function ofNewestDeletion(events: readonly StackEvent[]): readonly StackEvent[] {
  const begin = events.findIndex(
    (event) => isOfStack(event) && event.ResourceStatus === "DELETE_IN_PROGRESS",
  );
  return events.slice(0, begin + 1);
}

/** The resources that an operation is at. */
export function resourcesInProgress(events: readonly StackEvent[]): readonly string[] {
  const newest = new Map<string, string>();
  for (const event of events) {
    const { LogicalResourceId: name = "", ResourceStatus = "" } = event;
    if (!isOfStack(event) && !newest.has(name)) newest.set(name, ResourceStatus);
  }
  return [...newest].flatMap(([name, status]) => (status.endsWith("_IN_PROGRESS") ? [name] : [])).toSorted();
}

/** What a resource of the stack is called where it is; null while it was not made. */
export function physicalIdIn(events: readonly StackEvent[], logicalId: string): string | null {
  const made = events.find(
    ({ LogicalResourceId, PhysicalResourceId = "" }) =>
      LogicalResourceId === logicalId && PhysicalResourceId !== "",
  );
  return made?.PhysicalResourceId ?? null;
}

/** Words of AWS's, as a part of a sentence. */
export function shorten(words: string): string {
  return words.slice(0, REASON_CHARACTERS).replace(/[.\s]+$/, "");
}

function isOfStack({ PhysicalResourceId, StackId }: StackEvent): boolean {
  return PhysicalResourceId === StackId;
}
