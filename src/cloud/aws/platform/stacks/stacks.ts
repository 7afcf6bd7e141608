/**
 * CloudFormation stacks. Every operation has its own token, which CloudFormation writes on each of its
 * events. So the outcome of an operation can be read there, even long after an answer was lost.
 */
import {
  CancelUpdateStackCommand,
  ContinueUpdateRollbackCommand,
  CreateStackCommand,
  DeleteStackCommand,
  DescribeStackEventsCommand,
  DescribeStacksCommand,
  type StackEvent,
  type Tag,
  UpdateStackCommand,
} from "@aws-sdk/client-cloudformation";
import type { CloudAccount } from "../../../cloud.ts";
import type { PlatformService } from "../../../platform.ts";
import { type Call, required } from "../../calls/calls.ts";
import { hasName } from "../../calls/errors.ts";
import { CONNECTION_TAG, ENVIRONMENT_TAG } from "../../calls/tags.ts";
import { decideAddition, decideExistence, decideStack, isDead } from "./decide-stack.ts";
import { pointTo } from "../origins.ts";
import { emptyBucket, type Records } from "../records.ts";
import { deployRoleOf, namesOf } from "./names.ts";
import type { Roles } from "./roles.ts";
import {
  ignoreBegun,
  isRefusedWith,
  ofNewestDeletion,
  outcomeIn,
  physicalIdIn,
  reasonIn,
  refusalIn,
  resourcesInProgress,
} from "./stack-events.ts";
import type { Template } from "./templates/template.ts";

export type StackPlace = { readonly region: string; readonly name: string };

export type ObservedStack = {
  readonly id: string;
  readonly status: string;
  readonly outputs: Readonly<Record<string, string>>;
  readonly tags: readonly Tag[];
};

export type Change = {
  readonly template: Template;
  /** The role that CloudFormation works with. */
  readonly roleArn: string;
  /** Which updates the stack refuses, from its creation on. */
  readonly policy?: object;
};

export type DesiredStack = StackPlace & {
  /** The service of the stack; null for the stack of an environment or of a data store. */
  readonly service: Pick<PlatformService, "serviceId" | "region"> | null;
  /** Whose tag all its resources get. */
  readonly environmentId: string;
  /** Called when there is something to change. */
  readonly prepare: () => Promise<Change>;
  /** The token of the build or release that needs the stack; hexadecimal. */
  readonly token: string;
  /** No event of the operation is older. */
  readonly since: Date;
};

export type StackProgress =
  /** `for`: the end of a sentence for users. */
  | { readonly kind: "waiting"; readonly for: string }
  | { readonly kind: "done"; readonly stack: ObservedStack }
  | StackFailed;

export type StackFailed = {
  readonly kind: "failed";
  /** Of the stack. */
  readonly name: string;
  /** The next operation would also fail, until the customer fixes the stack. */
  readonly isStuck: boolean;
  readonly reason: string;
  /** The ARN of the stack's ECS service; null if it has none. */
  readonly ecsService: string | null;
};

export type Stacks = {
  describe(account: CloudAccount, place: StackPlace): Promise<ObservedStack | null>;
  /** Takes one step towards a stack with exactly this template. */
  bring(account: CloudAccount, desired: DesiredStack): Promise<StackProgress>;
  /** Takes one step towards an existing stack. An existing stack is not changed. */
  ensure(account: CloudAccount, desired: DesiredStack): Promise<StackProgress>;
  /** Takes one step towards a stack that has this output. A stack that has it is not changed. */
  add(account: CloudAccount, desired: DesiredStack, output: string): Promise<StackProgress>;
  /** Cancels the running update. False if there is none that can be cancelled. */
  breakOff(account: CloudAccount, place: StackPlace): Promise<boolean>;
  delete(account: CloudAccount, place: StackPlace): Promise<void>;
  /** Why its last deletion failed; null if no event says so. */
  findDeletionFailure(
    account: CloudAccount,
    place: StackPlace & Pick<ObservedStack, "id">,
  ): Promise<string | null>;
};

/** What builds, releases and removals of a platform share. */
export type PlatformParts = {
  readonly call: Call;
  readonly records: Records;
  readonly stacks: Stacks;
  readonly roles: Roles;
};

/** Larger ones are read from a bucket (https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/cloudformation-limits.html). */
const BODY_MAX_BYTES = 51_200;
/** Machines' clocks may differ by this much. */
const CLOCKS_MS = 5 * 60_000;
const EVENT_PAGES = 20;
const LONG_AGO = new Date(0);

export function createStacks(call: Call, records: Pick<Records, "putTemplate">): Stacks {
  async function describe(
    account: CloudAccount,
    { region, name }: StackPlace,
  ): Promise<ObservedStack | null> {
    const api = "cloudformation:DescribeStacks";
    const command = new DescribeStacksCommand({ StackName: name });
    try {
      const answer = await call(account, api, command, region);
      const stack = required(required(answer.Stacks, api)[0], api);
      const outputs = (stack.Outputs ?? []).flatMap(({ OutputKey, OutputValue }) =>
        OutputKey === undefined || OutputValue === undefined ? [] : [[OutputKey, OutputValue] as const],
      );
      return {
        id: required(stack.StackId, api),
        status: required(stack.StackStatus, api),
        outputs: Object.fromEntries(outputs),
        tags: stack.Tags ?? [],
      };
    } catch (error) {
      if (isRefusedWith(error, /does not exist/)) return null;
      throw error;
    }
  }

  /** Newest first. @param tokens null: events of all operations */
  async function eventsOf(
    account: CloudAccount,
    { region, id }: Pick<StackPlace, "region"> & Pick<ObservedStack, "id">,
    tokens: readonly string[] | null,
    since: Date,
  ): Promise<readonly StackEvent[]> {
    const api = "cloudformation:DescribeStackEvents";
    const events: StackEvent[] = [];
    const fromMs = since.getTime() - CLOCKS_MS;
    let next: string | undefined;
    for (let page = 0; page < EVENT_PAGES; page += 1) {
      const command = new DescribeStackEventsCommand({ StackName: id, NextToken: next });
      const answer = await call(account, api, command, region);
      for (const event of required(answer.StackEvents, api)) {
        if ((event.Timestamp?.getTime() ?? 0) < fromMs) return events;
        if (tokens === null || tokens.includes(event.ClientRequestToken ?? "")) events.push(event);
      }
      next = answer.NextToken;
      if (next === undefined) break;
    }
    return events;
  }

  /** The common input of both kinds of changes. */
  async function input(
    account: CloudAccount,
    { name, prepare, token, environmentId }: DesiredStack,
    present: ObservedStack | null,
  ) {
    const { template, roleArn, policy } = await prepare();
    const text = JSON.stringify(template);
    const isLarge = Buffer.byteLength(text) > BODY_MAX_BYTES;
    return {
      StackName: name,
      ClientRequestToken: token,
      RoleARN: roleArn,
      // For the role of the builds, in stacks of version 1.
      Capabilities: ["CAPABILITY_IAM" as const],
      // A change keeps the tags that a stack has: it must not need the permission to tag each resource again.
      Tags:
        present === null
          ? [
              { Key: CONNECTION_TAG, Value: account.connectionId },
              { Key: ENVIRONMENT_TAG, Value: environmentId },
            ]
          : [...present.tags],
      ...(policy === undefined || present !== null ? {} : { StackPolicyBody: JSON.stringify(policy) }),
      ...(isLarge ? { TemplateURL: await records.putTemplate(account, text) } : { TemplateBody: text }),
    };
  }

  /** @returns why CloudFormation refused; null if the operation has begun */
  async function begin(
    account: CloudAccount,
    desired: DesiredStack,
    present: ObservedStack | null,
  ): Promise<string | null> {
    const values = await input(account, desired, present);
    try {
      if (present === null)
        await call(account, "cloudformation:CreateStack", new CreateStackCommand(values), desired.region);
      else await call(account, "cloudformation:UpdateStack", new UpdateStackCommand(values), desired.region);
    } catch (error) {
      // Another worker was first, or this repeats a call whose answer was lost.
      const isBegun =
        hasName(error, "AlreadyExistsException", "TokenAlreadyExistsException") ||
        isRefusedWith(error, /_IN_PROGRESS state/);
      if (!isBegun) return refusalIn(error);
    }
    return null;
  }

  async function breakOff(account: CloudAccount, { region, name }: StackPlace): Promise<boolean> {
    const command = new CancelUpdateStackCommand({ StackName: name });
    try {
      await call(account, "cloudformation:CancelUpdateStack", command, region);
      return true;
    } catch (error) {
      if (isRefusedWith(error, /CancelUpdateStack cannot be called|does not exist/)) return false;
      throw error;
    }
  }

  async function continueRollback(
    account: CloudAccount,
    { region, name, prepare }: DesiredStack,
    token: string,
  ): Promise<void> {
    const { roleArn } = await prepare();
    const command = new ContinueUpdateRollbackCommand({
      StackName: name,
      RoleARN: roleArn,
      ClientRequestToken: token,
    });
    const api = "cloudformation:ContinueUpdateRollback";
    await ignoreBegun(call(account, api, command, region));
  }

  async function remove(account: CloudAccount, { region, name }: StackPlace, token?: string): Promise<void> {
    const command = new DeleteStackCommand({
      StackName: name,
      RoleARN: deployRoleOf(account),
      ClientRequestToken: token,
    });
    const api = "cloudformation:DeleteStack";
    await ignoreBegun(call(account, api, command, region));
  }

  async function step(
    account: CloudAccount,
    desired: DesiredStack,
    decide: typeof decideStack,
    output: string | null = null,
  ): Promise<StackProgress> {
    const { name, token, service } = desired;
    const waiting = (what: string) =>
      ({ kind: "waiting", for: `CloudFormation to ${what} the stack ${name}` }) as const;
    const begun = (refusal: string | null, what: string): StackProgress =>
      refusal === null
        ? waiting(what)
        : { kind: "failed", name, isStuck: false, reason: refusal, ecsService: null };
    const stack = await describe(account, desired);
    // Earlier releases sent this token; keep it, so that a fix that one of them began is found.
    const fixToken = `mend-${token}`;
    const hasOutput = output !== null && stack?.outputs[output] !== undefined;
    // If a stack only has to exist, its events only matter when it does not work.
    const isExistence = decide === decideExistence || hasOutput;
    const hasEvents = stack !== null && (!isExistence || isDead(stack.status));
    const events = hasEvents
      ? await eventsOf(account, { ...desired, id: stack.id }, [token, fixToken], desired.since)
      : [];
    const outcomes = { desired: outcomeIn(events, token), fixing: outcomeIn(events, fixToken) };
    const fail = (isStuck: boolean): StackFailed => {
      const own = events.filter((event) => outcomes.desired === null || event.ClientRequestToken === token);
      const words = reasonIn(own, isStuck ? "last" : "first");
      const reason = words ?? `CloudFormation left the stack as ${stack?.status}`;
      return { kind: "failed", name, isStuck, reason, ecsService: physicalIdIn(own, "Service") };
    };
    switch ((isExistence ? decideExistence : decide)(stack?.status ?? null, outcomes)) {
      case "create":
        return begun(await begin(account, desired, null), "make");
      case "update":
        return begun(await begin(account, desired, stack), "change");
      case "breakOff":
        await breakOff(account, desired);
        return waiting("cancel another change of");
      case "continueRollback":
        await continueRollback(account, desired, fixToken);
        return waiting("roll back an earlier change of");
      case "delete":
        if (service !== null && !(await clearService(call, account, service))) {
          return { kind: "waiting", for: "CloudFront to release what has to be created again" };
        }
        await remove(account, desired, fixToken);
        return waiting("delete the remains of");
      case "wait": {
        const resources = resourcesInProgress(events);
        const detail = resources.length === 0 ? "" : `, which is at ${resources.join(", ")}`;
        const { for: what } = waiting(stack?.status === "DELETE_IN_PROGRESS" ? "delete" : "finish");
        return { kind: "waiting", for: `${what}${detail}` };
      }
      case "done":
        return stack === null ? waiting("finish") : { kind: "done", stack };
      case "failed":
        return fail(stack?.status === "UPDATE_ROLLBACK_FAILED");
      case "stuck":
        return fail(true);
    }
  }

  return {
    describe,
    breakOff,
    delete: (account, place) => remove(account, place),
    async findDeletionFailure(account, place) {
      return reasonIn(ofNewestDeletion(await eventsOf(account, place, null, LONG_AGO)), "first");
    },
    bring: (account, desired) => step(account, desired, decideStack),
    ensure: (account, desired) => step(account, desired, decideExistence),
    add: (account, desired, output) => step(account, desired, decideAddition, output),
  };
}

/**
 * Takes one step towards a deletable service stack: CloudFormation cannot delete what a distribution still
 * uses, nor a bucket with files.
 * @returns whether the stack can be deleted now
 */
export async function clearService(
  call: Call,
  account: CloudAccount,
  { serviceId, region }: Pick<PlatformService, "serviceId" | "region">,
): Promise<boolean> {
  const pointing = await pointTo(call, account, serviceId, { kind: "nothing" });
  if (pointing.kind === "changing" || (pointing.kind === "pointed" && !pointing.isDeployed)) return false;
  // The names of the service's own resources do not contain the environment.
  const { files: bucket } = namesOf(account, { serviceId, environmentId: "" });
  await emptyBucket(call, account, { bucket, region });
  return true;
}
