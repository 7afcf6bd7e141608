/**
 * Data stores in stacks of their own. Each call takes the next step, so nothing here waits. A document of the account's
 * bucket has what a store is to be, and what never changes of it.
 *
 * | state                                     | step                                                          |
 * |-------------------------------------------|---------------------------------------------------------------|
 * | the role knows no stacks of data stores   | none: the connection's stack has to be updated                |
 * | no network (databases and caches)         | create the environment's stack                                |
 * | the stack lacks the last change           | create or update it; its policy refuses to replace data       |
 * | the stack of a store with data is missing | none: an empty store must not take its place                  |
 * | removal                                   | the snapshot; a change that lets the data go; the deletion    |
 */
import { isDeepStrictEqual } from "node:util";
import { CloudError, type CloudAccount } from "../../../cloud.ts";
import type { ObservedStore, Platform, PlatformService, StoreRequest } from "../../../platform.ts";
import { cloudError } from "../../calls/errors.ts";
import { tokenDigest } from "../../calls/tags.ts";
import { storeKey, type Stored } from "../records.ts";
import { isDead } from "../stacks/decide-stack.ts";
import { deployRoleOf, environmentStackOf, networkOf, storeStackOf } from "../stacks/names.ts";
import { stackFailure } from "../stacks/stack-events.ts";
import type { DesiredStack, ObservedStack, PlatformParts, StackProgress } from "../stacks/stacks.ts";
import { environmentTemplate } from "../stacks/templates/environment-template.ts";
import {
  REMOVABLE_OUTPUT,
  STORE_POLICY,
  type StoreOrigin,
  type StoreShape,
  storeTemplate,
} from "../stacks/templates/store-template.ts";
import { createListDown } from "./down.ts";
import { findReplacement, findSmallGrowth, NEW_ORIGIN, shapeOf } from "./shapes.ts";
import { createSnapshots } from "./snapshots.ts";
import { valuesOf } from "./values.ts";

type Failure = NonNullable<ObservedStore["failure"]>;

type StoreRecord = {
  readonly service: PlatformService;
  /** As desired. */
  readonly shape: StoreShape;
  readonly origin: StoreOrigin;
  /** Whether the connection may have a stack for it. Without that, there is nothing to remove. */
  readonly isBegun: boolean;
  /** Counts the changes of the stack; the last one is under way, or has ended. */
  readonly change: number;
  readonly requestedAtMs: number;
  /** The outputs of the stack, and after which change; null before its creation has succeeded. */
  readonly done: {
    readonly change: number;
    readonly outputs: Readonly<Record<string, string>>;
    /** Earlier versions did not record it. */
    readonly shape?: StoreShape;
  } | null;
  /** Of the last change. */
  readonly failure: Failure | null;
  readonly isRemoved: boolean;
};

export function createStores(parts: PlatformParts): Platform["stores"] {
  const { records, stacks } = parts;
  const snapshots = createSnapshots(parts);
  const listDown = createListDown(parts);

  const read = (account: CloudAccount, { serviceId }: PlatformService) =>
    records.read<StoreRecord>(account, storeKey(serviceId));
  async function change(
    account: CloudAccount,
    { value, etag }: Stored<StoreRecord>,
    changed: Partial<StoreRecord>,
  ): Promise<Stored<StoreRecord>> {
    return await records.write(account, storeKey(value.service.serviceId), { ...value, ...changed }, etag);
  }
  /** The next change of its stack. */
  const begin = (account: CloudAccount, stored: Stored<StoreRecord>, changed: Partial<StoreRecord>) =>
    change(account, stored, {
      failure: null,
      isRemoved: false,
      ...changed,
      change: stored.value.change + 1,
      requestedAtMs: Date.now(),
    });
  const fail = async (account: CloudAccount, stored: Stored<StoreRecord>, failure: Failure) =>
    view((await change(account, stored, { failure, isRemoved: false })).value);

  function desired(record: StoreRecord, name: string, environmentId: string): Omit<DesiredStack, "prepare"> {
    const { service, change: count, requestedAtMs } = record;
    const token = `store-${tokenDigest(`${service.serviceId} ${count} ${name}`)}`;
    return {
      region: service.region,
      name,
      service: null,
      environmentId,
      token,
      since: new Date(requestedAtMs),
    };
  }

  async function bringNetwork(account: CloudAccount, record: StoreRecord): Promise<StackProgress> {
    const networkId = networkOf(record.service);
    return await stacks.ensure(account, {
      ...desired(record, environmentStackOf(networkId), networkId),
      prepare: () =>
        Promise.resolve({
          template: environmentTemplate(networkId, { hasBalancer: false }),
          roleArn: deployRoleOf(account),
        }),
    });
  }

  async function bringStore(account: CloudAccount, record: StoreRecord): Promise<StackProgress> {
    const { service, shape, origin, isRemoved } = record;
    const { serviceId: storeId, environmentId } = service;
    const template = storeTemplate({
      storeId,
      environmentId,
      networkId: networkOf(service),
      accountId: account.accountId,
      shape,
      origin,
      isRemovable: isRemoved,
    });
    return await stacks.bring(account, {
      ...desired(record, storeStackOf(storeId), environmentId),
      prepare: () => Promise.resolve({ template, roleArn: deployRoleOf(account), policy: STORE_POLICY }),
    });
  }

  const describeStack = (account: CloudAccount, { service }: StoreRecord) =>
    stacks.describe(account, { region: service.region, name: storeStackOf(service.serviceId) });

  /** Whether the connection's role knows stacks of data stores: stacks of its earlier versions do not. */
  const mayBegin = (account: CloudAccount, record: StoreRecord) =>
    describeStack(account, record).then(
      () => true,
      (error: unknown) => {
        if (error instanceof CloudError && error.kind === "denied") return false;
        throw error;
      },
    );

  async function step(account: CloudAccount, before: Stored<StoreRecord>): Promise<ObservedStore> {
    let stored = before;
    if (!before.value.isBegun && before.value.failure === null) {
      if (!(await mayBegin(account, before.value))) return await fail(account, before, STACK_OUTDATED);
      stored = await change(account, before, { isBegun: true });
    }
    const { value: record } = stored;
    if (record.isRemoved || record.failure !== null) return await viewRunning(account, record);
    if (record.done !== null) {
      const stack = await describeStack(account, record);
      const lost = lossOf(record, stack);
      if (lost !== null) return await fail(account, stored, lost);
      if (record.done.change === record.change) return await viewRunning(account, record);
    } else if (record.shape.type !== "bucket") {
      const network = await bringNetwork(account, record);
      if (network.kind === "waiting") return view(record, network.for);
      if (network.kind === "failed") {
        const task = "prepare the network of the environment";
        return await fail(account, stored, stackFailure(task, network, true));
      }
    }
    const progress = await bringStore(account, record);
    if (progress.kind === "waiting") return view(record, progress.for);
    // Such as after a change that failed, and was taken back.
    const isUnchanged =
      progress.kind === "failed" && record.done !== null && progress.reason.startsWith(NO_UPDATES);
    if (progress.kind === "failed" && !isUnchanged)
      return await fail(account, stored, failureOf(record, progress));
    const outputs = progress.kind === "done" ? progress.stack.outputs : (record.done?.outputs ?? {});
    const done = { change: record.change, outputs, shape: record.shape };
    return view((await change(account, stored, { done })).value);
  }

  /** Of a store that is not being changed. A connection of an earlier version cannot see whether it runs. */
  async function viewRunning(account: CloudAccount, record: StoreRecord): Promise<ObservedStore> {
    const seen = view(record);
    if (seen.status !== "AVAILABLE") return seen;
    const { service, shape } = record;
    const down = await listDown(account, [{ ...service, type: shape.type }]).catch((error: unknown) => {
      if (error instanceof CloudError && error.kind === "denied") return null;
      throw error;
    });
    const failure = down?.get(service.serviceId) ?? null;
    return failure === null ? seen : { ...seen, status: "CHANGING", failure, values: {} };
  }

  /** What a store that does not exist yet is to be. @returns what prevents its creation, if so */
  async function planStore(
    account: CloudAccount,
    { store, snapshot }: StoreRequest,
  ): Promise<Pick<StoreRecord, "shape" | "origin"> | ObservedStore> {
    const source = snapshot === null ? null : await snapshots.find(account, snapshot.token);
    if (snapshot !== null && source?.service.serviceId !== snapshot.serviceId) return failed(NO_SNAPSHOT);
    const shape = shapeOf(store, source?.shape ?? null);
    const obstacle = source === null ? null : findReplacement(source.shape, shape);
    if (obstacle !== null) {
      const message = `The data store cannot be created from the snapshot. ${obstacle}`;
      return failed({ code: "SNAPSHOT_DIFFERS", message });
    }
    if (source?.isBusy === true) return { ...NOTHING, status: "CREATING", waitingFor: "its snapshot" };
    return { shape, origin: source?.origin ?? NEW_ORIGIN };
  }

  /** Of a store that does not exist yet, although its creation may have failed before. */
  async function create(
    account: CloudAccount,
    request: StoreRequest,
    before: Stored<StoreRecord> | null,
  ): Promise<ObservedStore> {
    const planned = await planStore(account, request);
    if ("status" in planned) return planned;
    if (before !== null) return await step(account, await begin(account, before, planned));
    const { service } = request;
    const fresh = { isBegun: false, change: 1, done: null, failure: null, isRemoved: false };
    const record: StoreRecord = { service, ...planned, requestedAtMs: Date.now(), ...fresh };
    return await step(account, await records.write(account, storeKey(service.serviceId), record, null));
  }

  return {
    async ensure(account, request) {
      const stored = await read(account, request.service);
      if (stored === null || (stored.value.done === null && stored.value.failure !== null))
        return await create(account, request, stored);
      const { value: record } = stored;
      // A change that failed was taken back.
      const present = (record.failure === null ? undefined : record.done?.shape) ?? record.shape;
      const shape = shapeOf(request.store, present);
      const replacement = findReplacement(present, shape);
      if (replacement !== null) {
        const message = `The change would replace the data, so nothing was changed. ${replacement}`;
        throw cloudError(["invalid", "INVALID_REQUEST"], "cloudformation:UpdateStack", { message });
      }
      const tooLittle = findSmallGrowth(present, shape);
      if (tooLittle !== null) {
        const message = `The storage was not changed. ${tooLittle}`;
        throw cloudError(["invalid", "INVALID_REQUEST"], "cloudformation:UpdateStack", { message });
      }
      const isSettled = !record.isRemoved && record.failure === null;
      const isSame = isSettled && isDeepStrictEqual(record.shape, shape);
      return await step(account, isSame ? stored : await begin(account, stored, { shape }));
    },

    async describe(account, service) {
      const stored = await read(account, service);
      return stored === null ? null : await step(account, stored);
    },

    async remove(account, service, snapshot) {
      let stored = await read(account, service);
      if (stored === null) return null;
      const stack = stored.value.isBegun ? await describeStack(account, stored.value) : null;
      if (stack === null || stack.status === "DELETE_COMPLETE") {
        await records.delete(account, [storeKey(service.serviceId)]);
        return null;
      }
      if (!stored.value.isRemoved) stored = await begin(account, stored, { isRemoved: true });
      const { value: record } = stored;
      const place = { region: record.service.region, name: storeStackOf(service.serviceId) };
      if (["CREATE_IN_PROGRESS", "ROLLBACK_IN_PROGRESS", "DELETE_IN_PROGRESS"].includes(stack.status))
        return view(record, `CloudFormation to finish the stack ${place.name}`);
      const isReady = stack.outputs[REMOVABLE_OUTPUT] !== undefined || isDead(stack.status);
      if (snapshot !== null && record.shape.type !== "bucket" && !isReady) {
        const taken = await snapshots.create(account, record.service, snapshot);
        if (taken.status === "FAILED" && taken.failure !== null) {
          // The next call takes it again, because AWS keeps the name of what failed.
          await snapshots.remove(account, record.service, snapshot);
          return await fail(account, stored, taken.failure);
        }
        if (taken.status === "CREATING") return view(record, "the final snapshot");
      }
      if (!isReady) {
        const progress = await bringStore(account, record);
        if (progress.kind === "failed") return await fail(account, stored, failureOf(record, progress));
        if (progress.kind === "waiting") return view(record, progress.for);
      }
      const reason =
        stack.status === "DELETE_FAILED"
          ? await stacks.findDeletionFailure(account, { ...place, id: stack.id })
          : null;
      // Again, so that the next call finds it deleted if nothing prevents it then.
      await stacks.delete(account, place);
      if (reason === null) return view(record, `CloudFormation to delete the stack ${place.name}`);
      const message = `CloudFormation could not delete the data store. ${reason}.${record.shape.type === "bucket" ? " Delete all versions of its files, and remove it again." : ""}`;
      return await fail(account, stored, { code: "NOT_DELETED", message });
    },

    listDown,
    snapshots,
  };
}

/** How CloudFormation refuses a template that the stack has already. */
const NO_UPDATES = "No updates are to be performed";

const STACK_OUTDATED: Failure = {
  code: "STACK_OUTDATED",
  message:
    "The connection's stack is of an earlier version and cannot create data stores. Update it with the current template (docs/how-to/connect-aws.md).",
};
const NO_SNAPSHOT: Failure = {
  code: "SNAPSHOT_NOT_FOUND",
  message:
    "The account does not have the snapshot, or it has failed. Name another one in `snapshot`, or remove that field.",
};

/** Why the data may be lost: then, nothing is created in its place. */
function lossOf(record: StoreRecord, stack: ObservedStack | null): Failure | null {
  if (stack !== null && stack.status !== "DELETE_COMPLETE" && !isDead(stack.status)) return null;
  const message = `The stack ${storeStackOf(record.service.serviceId)} was deleted, or its deletion began, in CloudFormation. Slipway does not create an empty store in its place. Remove the data store; if there is a snapshot of it, add another data store from that.`;
  return { code: "STORE_DELETED", message };
}

function failureOf({ done }: StoreRecord, failed: Parameters<typeof stackFailure>[1]): Failure {
  // Its advice to delete the stack would delete data.
  if (done === null) return stackFailure("create the data store", failed);
  const task = failed.isStuck ? "neither change the data store nor roll back" : "not change the data store";
  const message = `CloudFormation could ${task}. ${failed.reason}. Its data is as it was before.`;
  return { code: failed.isStuck ? "STACK_STUCK" : "STACK_FAILED", message };
}

const NOTHING = { failure: null, waitingFor: null, version: null, values: {} };

function failed(failure: Failure): ObservedStore {
  return { ...NOTHING, status: "FAILED", failure };
}

function view(record: StoreRecord, waitingFor: string | null = null): ObservedStore {
  const { shape, origin, done, failure, isRemoved } = record;
  const version = "version" in shape && done !== null ? shape.version : null;
  if (isRemoved) return { status: "DELETING", failure: null, waitingFor, version, values: {} };
  if (done === null) {
    if (failure !== null) return failed(failure);
    return { status: "CREATING", failure, waitingFor, version, values: {} };
  }
  const isSettled = failure !== null || done.change === record.change;
  const values = valuesOf(shape, origin, done.outputs);
  return { status: isSettled ? "AVAILABLE" : "CHANGING", failure, waitingFor, version, values };
}
