/**
 * Stacks of CloudFormation. Every operation carries a token of its own, which CloudFormation writes on each
 * of its events: what became of an operation is read there, also long after an answer was lost.
 */
import {
  CancelUpdateStackCommand,
  ContinueUpdateRollbackCommand,
  CreateStackCommand,
  DeleteStackCommand,
  DescribeStackEventsCommand,
  DescribeStacksCommand,
  type StackEvent,
  UpdateStackCommand,
} from "@aws-sdk/client-cloudformation";
import { CloudError, type CloudAccount } from "../../cloud.ts";
import { type Call, required } from "../calls.ts";
import { hasName } from "../errors.ts";
import { CONNECTION_TAG } from "../tags.ts";
import { decideExistence, decideStack, isDead, type Outcome, outcomeOf } from "./decide-stack.ts";
import { deployRoleOf } from "./names.ts";
import type { Records } from "./records.ts";
import type { Template } from "./template.ts";

export type StackPlace = { readonly region: string; readonly name: string };

export type StackSeen = {
  readonly id: string;
  readonly status: string;
  readonly outputs: Readonly<Record<string, string>>;
};

export type Wanted = StackPlace & {
  readonly template: Template;
  /** Hexadecimal; of the build or release that wants it. */
  readonly token: string;
  /** Nothing of the operation is older. */
  readonly since: Date;
};

export type StackProgress =
  | { readonly kind: "waiting" }
  | { readonly kind: "done"; readonly stack: StackSeen }
  | { readonly kind: "failed"; readonly reason: string };

export type Stacks = {
  describe(account: CloudAccount, place: StackPlace): Promise<StackSeen | null>;
  /** One step towards a stack with this very template. */
  bring(account: CloudAccount, wanted: Wanted): Promise<StackProgress>;
  /** One step towards a stack that exists; one that does is left as it is. */
  ensure(account: CloudAccount, wanted: Wanted): Promise<StackProgress>;
  /** Breaks off the update that is under way. False when there is none that can be. */
  breakOff(account: CloudAccount, place: StackPlace): Promise<boolean>;
  delete(account: CloudAccount, place: StackPlace): Promise<void>;
};

/** Larger ones are read from a bucket (https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/cloudformation-limits.html). */
const BODY_MAX_BYTES = 51_200;
/** Clocks of machines may differ by so much. */
const CLOCKS_MS = 5 * 60_000;
const EVENT_PAGES = 20;
const WAITING = { kind: "waiting" } as const;
const NO_OPERATION = { outcome: null, reason: "" };

export function createStacks(call: Call, records: Pick<Records, "putTemplate">): Stacks {
  async function describe(account: CloudAccount, { region, name }: StackPlace): Promise<StackSeen | null> {
    const api = "cloudformation:DescribeStacks";
    const command = new DescribeStacksCommand({ StackName: name });
    try {
      const answer = await call(account, api, (cfn, options) => cfn.send(command, options), region);
      const stack = required(required(answer.Stacks, api)[0], api);
      const outputs = (stack.Outputs ?? []).flatMap(({ OutputKey, OutputValue }) =>
        OutputKey === undefined || OutputValue === undefined ? [] : [[OutputKey, OutputValue] as const],
      );
      return {
        id: required(stack.StackId, api),
        status: required(stack.StackStatus, api),
        outputs: Object.fromEntries(outputs),
      };
    } catch (error) {
      if (says(error, /does not exist/)) return null;
      throw error;
    }
  }

  async function eventsOf(
    account: CloudAccount,
    region: string,
    stackId: string,
    { token, since }: Pick<Wanted, "token" | "since">,
  ): Promise<readonly StackEvent[]> {
    const api = "cloudformation:DescribeStackEvents";
    const events: StackEvent[] = [];
    const fromMs = since.getTime() - CLOCKS_MS;
    let next: string | undefined;
    for (let page = 0; page < EVENT_PAGES; page += 1) {
      const command = new DescribeStackEventsCommand({ StackName: stackId, NextToken: next });
      const answer = await call(account, api, (cfn, options) => cfn.send(command, options), region);
      // Newest first.
      for (const event of required(answer.StackEvents, api)) {
        if ((event.Timestamp?.getTime() ?? 0) < fromMs) return events;
        if (event.ClientRequestToken === token) events.push(event);
      }
      next = answer.NextToken;
      if (next === undefined) break;
    }
    return events;
  }

  async function operationOf(
    account: CloudAccount,
    wanted: Wanted,
    stack: StackSeen,
  ): Promise<{ outcome: Outcome | null; reason: string }> {
    const events = await eventsOf(account, wanted.region, stack.id, wanted);
    const newest = events.find((event) => event.PhysicalResourceId === stack.id);
    const outcome = newest === undefined ? null : outcomeOf(newest.ResourceStatus ?? "");
    return { outcome, reason: reasonIn(events, stack) };
  }

  /** What both kinds of changes take. */
  async function input(account: CloudAccount, { name, template, token }: Wanted) {
    const text = JSON.stringify(template);
    const isLarge = Buffer.byteLength(text) > BODY_MAX_BYTES;
    return {
      StackName: name,
      ClientRequestToken: token,
      RoleARN: deployRoleOf(account),
      // The role of the builds.
      Capabilities: ["CAPABILITY_IAM" as const],
      Tags: [{ Key: CONNECTION_TAG, Value: account.connectionId }],
      ...(isLarge ? { TemplateURL: await records.putTemplate(account, text) } : { TemplateBody: text }),
    };
  }

  async function create(account: CloudAccount, wanted: Wanted): Promise<void> {
    const command = new CreateStackCommand(await input(account, wanted));
    try {
      await call(
        account,
        "cloudformation:CreateStack",
        (cfn, options) => cfn.send(command, options),
        wanted.region,
      );
    } catch (error) {
      // Another worker, or the call whose answer was lost.
      if (!hasName(error, "AlreadyExistsException", "TokenAlreadyExistsException")) throw error;
    }
  }

  async function update(account: CloudAccount, wanted: Wanted): Promise<void> {
    const command = new UpdateStackCommand(await input(account, wanted));
    try {
      await call(
        account,
        "cloudformation:UpdateStack",
        (cfn, options) => cfn.send(command, options),
        wanted.region,
      );
    } catch (error) {
      if (hasName(error, "TokenAlreadyExistsException") || says(error, /_IN_PROGRESS state/)) return;
      throw error;
    }
  }

  async function breakOff(account: CloudAccount, { region, name }: StackPlace): Promise<boolean> {
    const command = new CancelUpdateStackCommand({ StackName: name });
    try {
      await call(
        account,
        "cloudformation:CancelUpdateStack",
        (cfn, options) => cfn.send(command, options),
        region,
      );
      return true;
    } catch (error) {
      if (says(error, /CancelUpdateStack cannot be called|does not exist/)) return false;
      throw error;
    }
  }

  async function continueRollback(account: CloudAccount, { region, name }: StackPlace): Promise<void> {
    const command = new ContinueUpdateRollbackCommand({ StackName: name, RoleARN: deployRoleOf(account) });
    await call(
      account,
      "cloudformation:ContinueUpdateRollback",
      (cfn, options) => cfn.send(command, options),
      region,
    );
  }

  async function remove(account: CloudAccount, { region, name }: StackPlace): Promise<void> {
    const command = new DeleteStackCommand({ StackName: name, RoleARN: deployRoleOf(account) });
    await call(account, "cloudformation:DeleteStack", (cfn, options) => cfn.send(command, options), region);
  }

  async function step(
    account: CloudAccount,
    wanted: Wanted,
    decide: typeof decideStack,
  ): Promise<StackProgress> {
    const stack = await describe(account, wanted);
    // Of a stack that only has to exist, the events matter where it does not work.
    const hasOperation = stack !== null && (decide === decideStack || isDead(stack.status));
    const operation = hasOperation ? await operationOf(account, wanted, stack) : NO_OPERATION;
    switch (decide(stack?.status ?? null, operation.outcome)) {
      case "create":
        await create(account, wanted);
        return WAITING;
      case "update":
        await update(account, wanted);
        return WAITING;
      case "breakOff":
        await breakOff(account, wanted);
        return WAITING;
      case "continueRollback":
        await continueRollback(account, wanted);
        return WAITING;
      case "delete":
        await remove(account, wanted);
        return WAITING;
      case "wait":
        return WAITING;
      case "done":
        return stack === null ? WAITING : { kind: "done", stack };
      case "failed":
        return { kind: "failed", reason: operation.reason };
    }
  }

  return {
    describe,
    breakOff,
    delete: remove,
    bring: (account, wanted) => step(account, wanted, decideStack),
    ensure: (account, wanted) => step(account, wanted, decideExistence),
  };
}

const REASON_CHARACTERS = 400;

/** The first that failed; what CloudFormation broke off because of it says nothing. */
function reasonIn(events: readonly StackEvent[], { status }: StackSeen): string {
  const failed = events.findLast(
    ({ ResourceStatus, ResourceStatusReason, PhysicalResourceId, StackId }) =>
      ResourceStatus?.endsWith("_FAILED") === true &&
      PhysicalResourceId !== StackId &&
      !/cancelled/i.test(ResourceStatusReason ?? ""),
  );
  const { LogicalResourceId, ResourceType, ResourceStatusReason } = failed ?? {};
  if (failed === undefined) return `CloudFormation left the stack as ${status}`;
  const words = (ResourceStatusReason ?? "it failed").slice(0, REASON_CHARACTERS).replace(/[.\s]+$/, "");
  return `${LogicalResourceId} (${ResourceType}): ${words}`;
}

/** CloudFormation has one error for many refusals; its words tell them apart. */
function says(error: unknown, words: RegExp): boolean {
  if (!(error instanceof CloudError) || !hasName(error, "ValidationError")) return false;
  return error.cause instanceof Error && words.test(error.cause.message);
}
