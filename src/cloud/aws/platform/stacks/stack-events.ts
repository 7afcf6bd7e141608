/** Reads CloudFormation's events of a stack. Pure. */
import { cutText } from "../../../../lib/cut-text.ts";
import type { StackEvent } from "@aws-sdk/client-cloudformation";
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
