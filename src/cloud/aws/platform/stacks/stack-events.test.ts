import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
  ofNewestDeletion,
  outcomeIn,
  physicalIdIn,
  reasonIn,
  resourcesInProgress,
  stackFailure,
} from "./stack-events.ts";

type StackEvent = Parameters<typeof outcomeIn>[0][number];
type ResourceStatus = NonNullable<StackEvent["ResourceStatus"]>;

const STACK = "arn:aws:cloudformation:us-west-2:123456789012:stack/slipway-svc-a/1";

function ofStack(status: ResourceStatus, ClientRequestToken = "t"): StackEvent {
  const id = {
    StackId: STACK,
    PhysicalResourceId: STACK,
    EventId: "e",
    StackName: "s",
    Timestamp: new Date(),
  };
  return { ...id, LogicalResourceId: "slipway-svc-a", ResourceStatus: status, ClientRequestToken };
}
function of(name: string, status: ResourceStatus, reason?: string, physicalId = ""): StackEvent {
  return {
    ...ofStack(status),
    LogicalResourceId: name,
    PhysicalResourceId: physicalId,
    ResourceType: `AWS::${name}`,
    ...(reason === undefined ? {} : { ResourceStatusReason: reason }),
  };
}

/** Newest first: an update that failed, and whose rollback failed as well. */
const EVENTS = [
  ofStack("UPDATE_ROLLBACK_FAILED"),
  of("Targets", "UPDATE_FAILED", "It was deleted."),
  ofStack("UPDATE_ROLLBACK_IN_PROGRESS"),
  of("Scaling", "UPDATE_FAILED", "Resource update cancelled"),
  of("Service", "UPDATE_FAILED", "Circuit breaker.", "arn:of-the-service"),
  of("Service", "UPDATE_IN_PROGRESS"),
  ofStack("UPDATE_IN_PROGRESS"),
];

describe("what the events of a stack say", () => {
  test("an operation's reason is its first failure; what has to be fixed is its last one", () => {
    assert.equal(reasonIn(EVENTS, "first"), "Service (AWS::Service): Circuit breaker");
    assert.equal(reasonIn(EVENTS, "last"), "Targets (AWS::Targets): It was deleted");
    assert.equal(reasonIn([ofStack("UPDATE_COMPLETE")], "first"), null);
  });

  test("an operation's outcome comes from its own newest event", () => {
    assert.equal(outcomeIn(EVENTS, "t"), "failed");
    assert.equal(outcomeIn(EVENTS, "other"), null);
    assert.equal(outcomeIn([ofStack("UPDATE_COMPLETE", "other"), ...EVENTS], "t"), "failed");
  });

  test("failures before a repeated deletion do not count", () => {
    const deletions = [
      of("Network", "DELETE_FAILED", "It has dependencies."),
      ofStack("DELETE_IN_PROGRESS"),
      of("Files", "DELETE_FAILED", "It is not empty."),
      ofStack("DELETE_IN_PROGRESS"),
    ];
    assert.equal(
      reasonIn(ofNewestDeletion(deletions), "first"),
      "Network (AWS::Network): It has dependencies",
    );
    assert.deepEqual(ofNewestDeletion(EVENTS), []);
  });

  test("the resources in progress, and a resource's physical id", () => {
    const events = [
      of("Targets", "CREATE_COMPLETE"),
      of("VpcOrigin", "CREATE_IN_PROGRESS"),
      of("Targets", "CREATE_IN_PROGRESS"),
    ];
    assert.deepEqual(resourcesInProgress(events), ["VpcOrigin"]);
    assert.equal(physicalIdIn(EVENTS, "Service"), "arn:of-the-service");
    assert.equal(physicalIdIn(EVENTS, "Targets"), null);
  });

  test("which stack a customer may delete", () => {
    const failed = { isStuck: true, reason: "It is not there" };
    const advice = (name: string, isOfNetwork: boolean) =>
      stackFailure("change it", { ...failed, name }, isOfNetwork).message;
    assert.match(advice("slipway-svc-a", false), /, or delete the stack slipway-svc-a in CloudFormation /);
    assert.match(
      advice("slipway-env-b", true),
      /, or delete the stacks of all services of the environment, then the stack slipway-env-b, in /,
    );
  });
});
