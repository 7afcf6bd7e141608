/**
 * Takes a group one step further: read the desired state and what the cloud has → decide → one step → record. A step that
 * only changes our own records passes the cloud's answers on to the next step, which does not ask again.
 * No lock is held during calls to the cloud. Every record is guarded by what it was based on: the
 * distribution's ETag, the certificate's own row, or the status of a domain. So a worker that was overtaken
 * changes nothing.
 */
import { type ObservedCertificate, type Cloud, CloudError } from "../../../cloud/cloud.ts";
import type { EntityRef, Reconcile, ReconcileResult } from "../../../jobs/jobs.ts";
import { createFinder } from "../../../db/find-many.ts";
import type { Distribution } from "../../distributions/distribution.ts";
import type { DomainStatus, DomainWithRecords, Group } from "../custom-domain.ts";
import { applyStep, finishDeletion } from "./apply-step.ts";
import { type Context, type GroupDeps, type Memory, newMemory } from "./context.ts";
import { attachmentError } from "./attachment-error.ts";
import { decideGroup, keepServed } from "./decide-group.ts";
import type { DesiredGroup, ObservedGroup, GroupStep } from "./group-step.ts";
import { changeGroup, failDomains } from "./record-group.ts";
import { removeZoneRecords, setZoneRecords } from "./apply-zones.ts";
import { DOMAINS_AT_ONCE, zoneDueAt } from "./decide-zones.ts";
import { joinZoneCalls } from "./join-zone-calls.ts";
import { isZoneApex } from "../records/delegation.ts";
import { handleRefusal } from "./apply-refusal.ts";
import { type DesiredState, listDesired } from "./desired-store.ts";

const NOT_CONNECTED_MS = 30_000;
/** How often CAA records that could not be read are asked for again. */
const CAA_ASKED_AGAIN = 2;
/** A rest that is shorter lasts as long, though a zone could not be changed: that is tried again after it. */
const SOON_MS = 30_000;

export function reconcileGroup(given: GroupDeps): Reconcile {
  const { cloud } = given;
  const deps = { ...given, cloud: { ...cloud, zones: joinZoneCalls(cloud.zones) } };
  const find = createFinder<DesiredState>(
    deps.db,
    (organizationId, ids) => listDesired(deps.db, organizationId, ids),
    ({ group }) => group.id,
  );
  return (ref) => takeStep(deps, find, ref, newMemory());
}

async function takeStep(
  deps: GroupDeps,
  find: (organizationId: string, id: string) => Promise<DesiredState | null>,
  ref: EntityRef,
  memory: Memory,
): Promise<ReconcileResult> {
  const { clock } = deps;
  const state = await find(ref.organizationId, ref.id);
  if (state === null) return "done";
  memory.pokes ??= state.pokes;
  const { group, distribution } = state;
  if (distribution === null) return await finishDeletion(deps, group);
  const desired = desiredOf(state, distribution);
  if (distribution.connection === null) return await waitForAccount(deps, group, desired);
  const { connection, environmentId } = distribution;
  const account = { ...connection, purpose: group.id, environmentId };

  const context: Context = { group, desired, distribution, account, memory };
  const again = { next: () => takeStep(deps, find, ref, memory) };
  let step: GroupStep | null = null;
  try {
    const leaving = desired.domains.find(
      (domain) => hasRecordsToRemove(desired, domain) && !memory.delayed.has(domain.id),
    );
    // First of all: a name that still leads to a distribution that no longer serves it could be taken by others.
    if (leaving !== undefined) {
      await noteDelay(memory, [leaving], () => removeZoneRecords(deps, context, leaving));
      return again;
    }
    const [delay = null] = memory.delayed.values();
    if (delay !== null && desired.isDeleting) throw delay;
    const known = memory.answers.distributions.size;
    const observed = await observe(deps, context, memory.answers);
    step = decideGroup(keepServed(desired, observed, memory.delayed), observed, clock.now());
    // The ETag refuses an update if the distribution has changed since it was read. It says nothing of the
    // desired state: others may have put a name there since, if this worker stood still. So read that once more.
    if (step.kind === "updateDistribution" && memory.answers.distributions.size > known) return again;
    const due = isRest(step) ? dueRecords(context, clock.now()) : [];
    if (due.length > 0) {
      await noteDelay(memory, due, () => setZoneRecords(deps, context, due));
      return again;
    }
    const applied = await applyStep(deps, context, step);
    if (applied === "recorded") return again;
    if (delay !== null && isRest(step) && !isSoon(applied)) throw delay;
    const result = delay === null ? withinTime(applied, step, context, clock.now()) : applied;
    return typeof result === "object" && "runAfterMs" in result ? { ...result, pokes: memory.pokes } : result;
  } catch (error) {
    if (!(error instanceof CloudError)) throw error;
    return await handleRefusal(deps, context, step, error);
  }
}

function hasRecordsToRemove(
  { isDeleting }: DesiredGroup,
  { isDesired, zoneState }: DomainWithRecords,
): boolean {
  return (isDeleting || !isDesired) && zoneState !== null && zoneState.records.length > 0;
}

/** Steps after which a group waits for others. A group with work of its own does that first. */
function isRest({ kind }: GroupStep): boolean {
  return kind === "settled" || kind.startsWith("waitFor");
}

/** Notes the domains whose records cannot be changed now, though it may be possible later. */
async function noteDelay(
  { delayed }: Memory,
  concerned: readonly DomainWithRecords[],
  change: () => Promise<void>,
): Promise<void> {
  try {
    await change();
  } catch (error) {
    if (!(error instanceof CloudError) || error.kind !== "retryable") throw error;
    for (const { id } of concerned) delayed.set(id, error);
  }
}

function isSoon(result: ReconcileResult): boolean {
  return typeof result === "object" && "runAfterMs" in result && result.runAfterMs < SOON_MS;
}

/** The domains for which something is due in the account's zones. */
function dueRecords({ group, desired, memory }: Context, now: Date): readonly DomainWithRecords[] {
  if (!group.autoDns || group.isDeleting) return [];
  const due = desired.domains.filter((domain) => {
    const at = zoneDueAt(domain);
    return at !== null && at <= now && !memory.delayed.has(domain.id);
  });
  return due.slice(0, DOMAINS_AT_ONCE);
}

/** A rest ends when a zone with a problem is to be looked at again. */
function withinTime<R extends ReconcileResult | "recorded">(
  result: R,
  step: GroupStep,
  { group, desired }: Context,
  now: Date,
): R | { runAfterMs: number } {
  if (!group.autoDns || group.isDeleting || !isRest(step)) return result;
  if (result !== "done" && !(typeof result === "object" && "runAfterMs" in result)) return result;
  const times = desired.domains.flatMap((domain) => zoneDueAt(domain)?.getTime() ?? []);
  if (times.length === 0) return result;
  const dueMs = Math.max(0, Math.min(...times) - now.getTime());
  const restMs = result === "done" ? Infinity : (result as { runAfterMs: number }).runAfterMs;
  return { runAfterMs: Math.min(dueMs, restMs) };
}

function desiredOf(
  { group, domains, certificates }: DesiredState,
  distribution: Distribution,
): Context["desired"] {
  return {
    isDeleting: group.isDeleting,
    domains,
    certificates,
    distribution: { isMade: distribution.providerId !== null, refusal: distribution.lastError },
    replaceNotBefore: group.replaceNotBefore,
  };
}

/**
 * Asks for what is still unanswered, one call after the other: if two calls ran in parallel and one failed, the
 * other's answer would be wasted.
 */
async function observe(
  { cloud, dns }: Pick<GroupDeps, "cloud" | "dns">,
  { desired, distribution, account }: Context,
  answers: Memory["answers"],
): Promise<ObservedGroup> {
  const observed = new Map<string, ObservedCertificate | null>();
  for (const { id, providerId, isAbandoned } of desired.certificates) {
    if (providerId === null || isAbandoned) continue;
    const ask = () => cloud.certificates.describe(account, providerId);
    observed.set(id, await answerOf(answers.certificates, providerId, ask));
  }
  const caa = await findCaaRefusals(dns, cloud, desired, observed);
  const { providerId } = distribution;
  if (providerId === null || !mayBeOnDistribution(desired, observed))
    return { certificates: observed, distribution: "absent", caa };
  const ask = () => cloud.distributions.describe(account, providerId);
  const found = await answerOf(answers.distributions, providerId, ask);
  return { certificates: observed, distribution: found ?? "absent", caa };
}

/** The provider may not say which names of a certificate CAA records refuse. The DNS does, asked anew. */
async function findCaaRefusals(
  dns: GroupDeps["dns"],
  cloud: Pick<Cloud, "caaIssuers">,
  { domains, certificates }: DesiredGroup,
  observed: ObservedGroup["certificates"],
): Promise<ObservedGroup["caa"]> {
  const refused = certificates.filter(({ id }) => observed.get(id)?.failureReason === "CAA_ERROR");
  const concerned = domains.filter(({ name }) => refused.some(({ names }) => names.includes(name)));
  if (concerned.length === 0) return new Map();
  const issuers = await cloud.caaIssuers();
  const found = await Promise.all(
    concerned.map(async (domain) => {
      const options = { issuers, needsCname: !isZoneApex(domain) };
      const ask = () => dns.findCaaRefusal(domain.name, options, { isFresh: true });
      let refusal = await ask();
      // The certificate has failed for good, so its error can wait for name servers that are slow.
      for (let again = 0; refusal === undefined && again < CAA_ASKED_AGAIN; again += 1) refusal = await ask();
      return [domain.name, refusal] as const;
    }),
  );
  return new Map(
    found.flatMap(([name, refusal]) => (refusal === null || refusal === undefined ? [] : [[name, refusal]])),
  );
}

/** Nothing of a group is put on its distribution before it has a certificate that is issued. */
function mayBeOnDistribution(
  { isDeleting, domains, certificates }: DesiredGroup,
  observed: ObservedGroup["certificates"],
): boolean {
  return (
    isDeleting ||
    domains.some(({ isDesired, status }) => !isDesired || !BEFORE_ISSUE.has(status)) ||
    certificates.some(
      ({ id, isAbandoned, issuedAt }) =>
        isAbandoned || issuedAt !== null || observed.get(id)?.status === "ISSUED",
    )
  );
}

const BEFORE_ISSUE: ReadonlySet<DomainStatus> = new Set([
  "PENDING",
  "CREATING",
  "AWAITING_VERIFICATION_RECORDS_TO_BE_SET",
]);

async function answerOf<Answer>(
  answers: Map<string, Answer>,
  id: string,
  ask: () => Promise<Answer>,
): Promise<Answer> {
  const known = answers.get(id);
  if (known !== undefined) return known;
  const answer = await ask();
  answers.set(id, answer);
  return answer;
}

/** Shows clients why nothing happens. The account's own check resumes the group. */
async function waitForAccount(
  { db, clock }: GroupDeps,
  group: Group,
  desired: DesiredGroup,
): Promise<ReconcileResult> {
  const waiting = desired.domains.filter(
    ({ isDesired, status }) => !isDesired || (status !== "ATTACHED" && status !== "ERROR_ATTACHING"),
  );
  if (waiting.length > 0) {
    const error = attachmentError("Cloud:ACCOUNT:Error:ACCESS_DENIED", clock.now());
    await changeGroup(db, group, (tx) => failDomains(tx, group, waiting, () => error));
  }
  return { runAfterMs: NOT_CONNECTED_MS };
}
