/**
 * Releases: `preDeployCommand`, updates of a service's stack, then of its distributions' origin. Each call of
 * `describe` takes the next step.
 *
 * | status     | when                                                                                |
 * |------------|-------------------------------------------------------------------------------------|
 * | FAILED     | recorded: an obstacle, a stack that was rolled back, or a cancellation              |
 * | LIVE       | the service's document names it as live                                             |
 * | STARTING   | the service's document names it as desired                                          |
 * | SUPERSEDED | neither: a later release was requested                                              |
 */
import { isDeepStrictEqual } from "node:util";
import { CloudError, type CloudAccount } from "../../../cloud.ts";
import type { Platform, PlatformService, ObservedRelease } from "../../../platform.ts";
import { cloudError } from "../../calls/errors.ts";
import { tokenDigest } from "../../calls/tags.ts";
import { ignoreWritten } from "../builds/builds.ts";
import { NoRoomError } from "../balancers/routing.ts";
import { bringStacks } from "./bring-stacks.ts";
import { commandBefore, prepare, tokenBefore } from "./prepare.ts";
import type { Executions } from "../executions/executions.ts";
import { readLogPage } from "../logs.ts";
import { findInstanceFailure } from "./instance-failure.ts";
import { namesOf, networkOf } from "../stacks/names.ts";
import type { Target } from "../../domains/service-origin.ts";
import { pointTo } from "../origins.ts";
import { findObstacle } from "../stacks/preconditions.ts";
import {
  memberKey,
  releaseKey,
  type ReleaseRecord,
  serviceKey,
  type ServiceRecord,
  type Stored,
} from "../records.ts";
import { stackFailure } from "../stacks/stack-events.ts";
import type { ObservedStack, PlatformParts, StackFailed } from "../stacks/stacks.ts";

export function createReleases(parts: PlatformParts, executions: Executions): Platform["releases"] {
  const { call, records, stacks } = parts;

  const read = (account: CloudAccount, token: string) =>
    records.read<ReleaseRecord>(account, releaseKey(token));
  const readService = (account: CloudAccount, { serviceId }: PlatformService) =>
    records.read<ServiceRecord>(account, serviceKey(serviceId));
  async function change(
    account: CloudAccount,
    { value, etag }: Stored<ReleaseRecord>,
    changed: Partial<ReleaseRecord>,
  ): Promise<Stored<ReleaseRecord>> {
    return await records.write(account, releaseKey(value.token), { ...value, ...changed }, etag);
  }

  /** A service stays in its network: its containers cannot move to another without being created again. */
  async function inNetwork(account: CloudAccount, service: PlatformService): Promise<PlatformService> {
    const present = (await readService(account, service))?.value;
    return present === undefined ? service : { ...service, networkId: networkOf(present.service) };
  }

  async function want(account: CloudAccount, service: PlatformService, digest: string): Promise<void> {
    const present = await readService(account, service);
    const { live = null, target = null, domain = null } = present?.value ?? {};
    const record: ServiceRecord = { service, wanted: digest, live, target, domain };
    await records.write(account, serviceKey(service.serviceId), record, present?.etag ?? null);
  }

  async function bringUp(account: CloudAccount, stored: Stored<ReleaseRecord>): Promise<ObservedRelease> {
    const { value: record } = stored;
    if (isToPrepare(record)) {
      const preparation = await prepare(parts, executions, account, record);
      if (preparation.kind === "waiting") return view(record, "STARTING", preparation.for);
      if (preparation.kind === "done")
        return await bringUp(account, await change(account, stored, { isPrepared: true }));
      return view((await change(account, stored, { failure: preparation.failure })).value, "FAILED");
    }
    const progress = await bringStacks(parts, account, record).catch((error: unknown) => {
      if (error instanceof NoRoomError) return error;
      throw error;
    });
    if (progress instanceof NoRoomError) {
      const failure = { code: "LOAD_BALANCER_FULL", message: progress.message };
      return view((await change(account, stored, { failure })).value, "FAILED");
    }
    if (progress.kind === "waiting") return view(record, "STARTING", progress.for);
    if (progress.kind === "failed") {
      const failure = await failureOf(account, record, progress);
      return view((await change(account, stored, { failure })).value, "FAILED");
    }
    return await goLive(account, stored, progress.stack);
  }

  async function failureOf(
    account: CloudAccount,
    { service, workload, requestedAtMs }: ReleaseRecord,
    failed: StackFailed,
  ): Promise<NonNullable<ObservedRelease["failure"]>> {
    const names = namesOf(account, service);
    if (failed.name === names.networkStack)
      return stackFailure("prepare the network of the environment", failed, true);
    if (failed.isStuck || !/circuit breaker/i.test(failed.reason)) {
      return stackFailure("update the service to this release", failed);
    }
    const { region } = service;
    const environment = await stacks.describe(account, { region, name: names.networkStack });
    const cluster = environment?.outputs["Cluster"];
    const place = { region, family: names.project, service: failed.ecsService };
    const why =
      cluster === undefined
        ? null
        : await findInstanceFailure(call, account, { ...place, cluster }, new Date(requestedAtMs));
    const did = workload.type === "web" ? "answered the health check" : "stayed up";
    const words = why === null ? "" : ` ECS reports about the last one: ${why}.`;
    const message = `No new instance ${did}, so ECS went back to the previous release.${words} The release's log has the output of the instances.`;
    return { code: "UNHEALTHY", message };
  }

  /** Null if the release is no longer desired. */
  async function changeService(
    account: CloudAccount,
    { service, token }: ReleaseRecord,
    changed: Partial<ServiceRecord>,
  ): Promise<ServiceRecord | null> {
    const present = await readService(account, service);
    if (present?.value.wanted !== tokenDigest(token)) return null;
    const record = { ...present.value, ...changed };
    if (isDeepStrictEqual(record, present.value)) return record;
    return (await records.write(account, serviceKey(service.serviceId), record, present.etag)).value;
  }

  async function goLive(
    account: CloudAccount,
    stored: Stored<ReleaseRecord>,
    stack: ObservedStack,
  ): Promise<ObservedRelease> {
    const { value: record } = stored;
    const { serviceId } = record.service;
    const target = targetIn(stack);
    let url = stack.outputs["Url"] ?? null;
    // Before listing the distributions: a distribution created meanwhile starts with the target, or is in the list.
    const service = await changeService(account, record, { target });
    if (service === null) return view(record, "SUPERSEDED");
    let { domain } = service;
    if (target !== null) {
      const pointing = await pointTo(call, account, serviceId, target);
      // The first distribution is created in the background, soon after the service, and that of a preview is enabled
      // when its gate is there.
      if (pointing.kind === "none" || (pointing.kind === "pointed" && !pointing.isEnabled))
        return view(record, "STARTING", "the service's distribution to be created");
      if (pointing.kind === "changing") {
        const pointed = record.isPointed ? stored : await change(account, stored, { isPointed: true });
        return view(pointed.value, "STARTING", CLOUDFRONT);
      }
      // If nothing had to be changed, all requests already go there.
      if (record.isPointed && !pointing.isDeployed) return view(record, "STARTING", CLOUDFRONT);
      if (domain === null || !pointing.domains.includes(domain)) domain = pointing.domains[0] ?? null;
      // A static service has only CloudFront's address, which redirects to HTTPS.
      url ??= domain === null ? null : `http://${domain}:80`;
    }
    const { value: known } = url === record.url ? stored : await change(account, stored, { url });
    const live = tokenDigest(record.token);
    const isCurrent = (await changeService(account, record, { live, domain })) !== null;
    return view(known, isCurrent ? "LIVE" : "SUPERSEDED");
  }

  async function step(account: CloudAccount, stored: Stored<ReleaseRecord>): Promise<ObservedRelease> {
    const { value: record } = stored;
    if (record.failure !== null) return view(record, "FAILED");
    const service = (await readService(account, record.service))?.value;
    const digest = tokenDigest(record.token);
    if (service?.live === digest) return view(record, "LIVE");
    if (service?.wanted !== digest) {
      if (isToPrepare(record)) await executions.cancel(account, tokenBefore(record.token));
      return view(record, "SUPERSEDED");
    }
    return await bringUp(account, stored);
  }

  return {
    async start(account, request) {
      const known = await read(account, request.token);
      if (known !== null) return await step(account, known);
      const { token } = request;
      const service = await inNetwork(account, request.service);
      const failure = await findObstacle(call, account, request);
      const key = releaseKey(token);
      await records.write(account, memberKey(service.serviceId, key), { service }, null).catch(ignoreWritten);
      // Before the release's own document: without it, an unwanted release would look superseded.
      if (failure === null) await want(account, service, tokenDigest(token));
      const fresh = { requestedAtMs: Date.now(), failure, isPointed: false, url: null };
      return await step(account, await records.write(account, key, { ...request, service, ...fresh }, null));
    },

    async describe(account, token) {
      const stored = await read(account, token);
      return stored === null ? null : await step(account, stored);
    },

    async cancel(account, token) {
      const stored = await read(account, token);
      if (stored === null || (await step(account, stored)).status !== "STARTING") return;
      // The step above may have changed it.
      const now = await read(account, token);
      if (now === null || now.value.failure !== null) return;
      const { service } = now.value;
      if (isToPrepare(now.value)) await executions.cancel(account, tokenBefore(token));
      const { stack: name } = namesOf(account, service);
      const place = { region: service.region, name };
      const stack = await stacks.describe(account, place);
      // An update that has just ended cannot be cancelled; the next step reads how it ended.
      if (stack?.status === "UPDATE_IN_PROGRESS" && !(await stacks.breakOff(account, place))) return;
      await change(account, now, { failure: CANCELLED });
    },

    // ECS knows, but is not asked: it would be one more call for each look at a service.
    health: () => Promise.resolve(null),

    async logs(account, token, cursor) {
      const stored = await read(account, token);
      if (stored === null) {
        const message = "There is no release with this token.";
        throw cloudError(["gone", "NOT_FOUND"], "s3:GetObject", { message });
      }
      const { service, workload } = stored.value;
      const place = {
        region: service.region,
        group: namesOf(account, service).runLog,
        streams: { logStreamNamePrefix: `${tokenDigest(token)}/` },
        // The log driver does not distinguish the two streams of a container.
        stream: "stdout" as const,
      };
      const readRun = (from: string | null) => readLogPage(call, account, place, from);
      if (commandBefore(workload) === null) return await readRun(cursor);
      // Two logs, so two cursors.
      const [before, run] = cursor?.split("_") ?? [];
      const pages = await Promise.all([
        executions.logs(account, tokenBefore(token), before ?? null).catch((error: unknown) => {
          if (!(error instanceof CloudError && error.kind === "gone")) throw error;
          // It has not begun.
          return { lines: [], next: before ?? "0.0" };
        }),
        readRun(run ?? null),
      ]);
      const lines = pages.flatMap((page) => page.lines).toSorted((a, b) => a.at.getTime() - b.at.getTime());
      return { lines, next: pages.map(({ next }) => next).join("_") };
    },
  };
}

function isToPrepare({ workload, isPrepared = false }: ReleaseRecord): boolean {
  return !isPrepared && commandBefore(workload) !== null;
}

const CLOUDFRONT = "CloudFront to deploy the service's distributions everywhere";
const CANCELLED = { code: "CANCELLED", message: "The release was cancelled." };

/** Where the distributions have to point; null for a worker. */
function targetIn({ outputs }: ObservedStack): Target | null {
  const { OriginDomain: domain, OriginPath: path, OriginAccess, OriginFunction, OriginVpc } = outputs;
  if (domain === undefined) return null;
  if (OriginVpc !== undefined) return { kind: "balancer", domain, vpcOriginId: OriginVpc };
  return {
    kind: "files",
    domain,
    path: path ?? "",
    access: OriginAccess ?? "",
    functionArn: OriginFunction ?? "",
  };
}

function view(
  { token, failure, url }: ReleaseRecord,
  status: ObservedRelease["status"],
  waitingFor: string | null = null,
): ObservedRelease {
  return {
    token,
    status,
    failure,
    url: status === "LIVE" || status === "SUPERSEDED" ? url : null,
    waitingFor,
  };
}
