/** What CloudFormation's events of a stack say. Pure. */
import type { StackEvent } from "@aws-sdk/client-cloudformation";
import { type Outcome, outcomeOf } from "./decide-stack.ts";

const REASON_CHARACTERS = 400;

/** @param events newest first */
export function outcomeIn(events: readonly StackEvent[], token: string): Outcome | null {
  const newest = events.find((event) => event.ClientRequestToken === token && isOfStack(event));
  return newest === undefined ? null : outcomeOf(newest.ResourceStatus ?? "");
}

/** Why an operation failed: its first failure, for what CloudFormation broke off because of it says nothing. */
export function reasonIn(events: readonly StackEvent[]): string | null {
  const failed = events.findLast(
    (event) =>
      event.ResourceStatus?.endsWith("_FAILED") === true &&
      !isOfStack(event) &&
      !/cancelled/i.test(event.ResourceStatusReason ?? ""),
  );
  if (failed === undefined) return null;
  const { LogicalResourceId, ResourceType, ResourceStatusReason } = failed;
  return `${LogicalResourceId} (${ResourceType}): ${shorten(ResourceStatusReason ?? "it failed")}`;
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
