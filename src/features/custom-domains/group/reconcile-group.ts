/**
 * Takes a group one step further: read what is wanted and what the cloud has → decide → one step → record. A step that
 * only changes our own records passes the cloud's answers on to the next step, which does not ask again.
 * No lock is held during calls to the cloud. Every record is guarded by what it was based on: the
 * distribution's ETag, the certificate's own row, or the status of a domain. So a worker that was overtaken
 * changes nothing.
 */
import { type CertificateSeen, type Cloud, CloudError, type DistributionSeen } from "../../../cloud/cloud.ts";
import type { EntityRef, Reconcile, ReconcileResult } from "../../../jobs/jobs.ts";
import { createFinder } from "../../../db/find-many.ts";
import type { Distribution } from "../../distributions/distribution.ts";
import type { DomainStatus, Group } from "../custom-domain.ts";
import { type GroupContext, type GroupDeps, type Intended, applyStep, finishDeletion } from "./apply-step.ts";
import { attachmentError } from "./attachment-error.ts";
import { decideGroup, keepServed } from "./decide-group.ts";
import type { GroupIntended, GroupSeen, GroupStep } from "./group-step.ts";
import { changeGroup, failDomains } from "./record-group.ts";
import { removeZoneRecords, setZoneRecords } from "./zones/apply-zones.ts";
import { DOMAINS_AT_ONCE, zoneDueAt } from "./zones/decide-zones.ts";
import { joinZoneCalls } from "./zones/join-calls.ts";
import { isZoneApex } from "../records/delegation.ts";
import { handleRefusal } from "./refusal/cloud-refusal.ts";
import { type ShownDomain, type Wanted, listWanted } from "./wanted-store.ts";

const NOT_CONNECTED_MS = 30_000;
/** A rest that is shorter lasts as long, though a zone could not be changed: that is tried again after it. */
const SOON_MS = 30_000;

/** What one turn remembers from step to step. */
type Turn = Pick<GroupContext, "begun" | "listed"> & {
  /** How many pokes came before the first of these answers. */
  pokes: number | null;
  /** The domains whose records in a zone could not be changed in this turn, and why. The other work continues. */
  readonly delayed: Map<string, CloudError>;
  /** The provider's answers since the last change in the cloud, by the provider's ids. */
  readonly answers: {
    readonly certificates: Map<string, CertificateSeen | null>;
    readonly distributions: Map<string, DistributionSeen | null>;
  };
};

export function reconcileGroup(given: GroupDeps): Reconcile {
  const { cloud } = given;
  const deps = { ...given, cloud: { ...cloud, zones: joinZoneCalls(cloud.zones) } };
  const find = createFinder<Wanted>(
    deps.db,
    (organizationId, ids) => listWanted(deps.db, organizationId, ids),
    ({ group }) => group.id,
  );
  return (ref) => {
    const answers = { certificates: new Map(), distributions: new Map() };
    return takeStep(deps, find, ref, {
      answers,
      begun: new Map(),
      listed: { certificates: null },
      pokes: null,
      delayed: new Map(),
    });
  };
}

async function takeStep(
  deps: GroupDeps,
  find: (organizationId: string, id: string) => Promise<Wanted | null>,
  ref: EntityRef,
  turn: Turn,
): Promise<ReconcileResult> {
  const { clock } = deps;
  const wanted = await find(ref.organizationId, ref.id);
  if (wanted === null) return "done";
  turn.pokes ??= wanted.pokes;
  const { group, distribution } = wanted;
  if (distribution === null) return await finishDeletion(deps, group);
  const intended = intendedOf(wanted, distribution);
  if (distribution.connection === null) return await waitForAccount(deps, group, intended);
  const account = { ...distribution.connection, purpose: group.id };

  const context: GroupContext = {
    group,
    intended,
    distribution,
    account,
    begun: turn.begun,
    listed: turn.listed,
  };
  const again = { next: () => takeStep(deps, find, ref, turn) };
  let step: GroupStep | null = null;
  try {
    const leaving = intended.domains.find(
      (domain) => hasRecordsToRemove(intended, domain) && !turn.delayed.has(domain.id),
    );
    // First of all: a name that still leads to a distribution that no longer serves it could be taken by others.
    if (leaving !== undefined) {
      await noteDelay(turn, [leaving], () => removeZoneRecords(deps, context, leaving));
      return again;
    }
    const [delay = null] = turn.delayed.values();
    if (delay !== null && intended.isDeleting) throw delay;
    const known = turn.answers.distributions.size;
    const seen = await gatherSeen(deps, context, turn.answers);
    step = decideGroup(keepServed(intended, seen, turn.delayed), seen, clock.now());
    // The ETag refuses an update if the distribution has changed since it was read. It says nothing of what was wanted
    // before: others may have put a name there since, if this worker stood still. So read what is wanted once more.
    if (step.kind === "updateDistribution" && turn.answers.distributions.size > known) return again;
    const due = isRest(step) ? dueRecords(context, turn, clock.now()) : [];
    if (due.length > 0) {
      await noteDelay(turn, due, () => setZoneRecords(deps, context, due));
      return again;
    }
    const applied = await applyStep(deps, context, step);
    if (applied === "recorded") return again;
    if (delay !== null && isRest(step) && !isSoon(applied)) throw delay;
    const result = delay === null ? withinTime(applied, step, context, clock.now()) : applied;
    return typeof result === "object" && "runAfterMs" in result ? { ...result, pokes: turn.pokes } : result;
  } catch (error) {
    if (!(error instanceof CloudError)) throw error;
    return await handleRefusal(deps, context, step, error);
  }
}

function hasRecordsToRemove(
  { isDeleting }: Intended,
  { isWanted, zoneState }: Intended["domains"][number],
): boolean {
  return (isDeleting || !isWanted) && zoneState !== null && zoneState.records.length > 0;
}

/** Steps after which a group waits for others. A group with work of its own does that first. */
function isRest({ kind }: GroupStep): boolean {
  return kind === "settled" || kind.startsWith("waitFor");
}

/** Notes the domains whose records cannot be changed now, though it may be possible later. */
async function noteDelay(
  { delayed }: Turn,
  concerned: readonly ShownDomain[],
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
function dueRecords({ group, intended }: GroupContext, { delayed }: Turn, now: Date): readonly ShownDomain[] {
  if (!group.autoDns || group.isDeleting) return [];
  const due = intended.domains.filter((domain) => {
    const at = zoneDueAt(domain);
    return at !== null && at <= now && !delayed.has(domain.id);
  });
  return due.slice(0, DOMAINS_AT_ONCE);
}

/** A rest ends when a zone with a problem is to be looked at again. */
function withinTime<R extends ReconcileResult | "recorded">(
  result: R,
  step: GroupStep,
  { group, intended }: GroupContext,
  now: Date,
): R | { runAfterMs: number } {
  if (!group.autoDns || group.isDeleting || !isRest(step)) return result;
  if (result !== "done" && !(typeof result === "object" && "runAfterMs" in result)) return result;
  const times = intended.domains.flatMap((domain) => zoneDueAt(domain)?.getTime() ?? []);
  if (times.length === 0) return result;
  const dueMs = Math.max(0, Math.min(...times) - now.getTime());
  const restMs = result === "done" ? Infinity : (result as { runAfterMs: number }).runAfterMs;
  return { runAfterMs: Math.min(dueMs, restMs) };
}

function intendedOf({ group, domains, certificates }: Wanted, distribution: Distribution): Intended {
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
async function gatherSeen(
  { cloud, dns }: Pick<GroupDeps, "cloud" | "dns">,
  { intended, distribution, account }: GroupContext,
  answers: Turn["answers"],
): Promise<GroupSeen> {
  const seen = new Map<string, CertificateSeen | null>();
  for (const { id, providerId, isAbandoned } of intended.certificates) {
    if (providerId === null || isAbandoned) continue;
    const ask = () => cloud.certificates.describe(account, providerId);
    seen.set(id, await answerOf(answers.certificates, providerId, ask));
  }
  const caa = await findCaaRefusals(dns, cloud.caaIssuers, intended, seen);
  const { providerId } = distribution;
  if (providerId === null || !mayBeOnDistribution(intended, seen))
    return { certificates: seen, distribution: "absent", caa };
  const ask = () => cloud.distributions.describe(account, providerId);
  const found = await answerOf(answers.distributions, providerId, ask);
  return { certificates: seen, distribution: found ?? "absent", caa };
}

/** The provider may not say which names of a certificate CAA records refuse. The DNS does, asked anew. */
async function findCaaRefusals(
  dns: GroupDeps["dns"],
  issuers: Cloud["caaIssuers"],
  { domains, certificates }: GroupIntended,
  seen: GroupSeen["certificates"],
): Promise<GroupSeen["caa"]> {
  const refused = certificates.filter(({ id }) => seen.get(id)?.failureReason === "CAA_ERROR");
  const concerned = domains.filter(({ name }) => refused.some(({ names }) => names.includes(name)));
  const found = await Promise.all(
    concerned.map(async (domain) => {
      const wanted = { issuers, needsCname: !isZoneApex(domain) };
      return [domain.name, await dns.findCaaRefusal(domain.name, wanted, { isFresh: true })] as const;
    }),
  );
  return new Map(found.flatMap(([name, refusal]) => (refusal === null ? [] : [[name, refusal]])));
}

/** Nothing of a group is put on its distribution before it has a certificate that is issued. */
function mayBeOnDistribution(
  { isDeleting, domains, certificates }: GroupIntended,
  seen: GroupSeen["certificates"],
): boolean {
  return (
    isDeleting ||
    domains.some(({ isWanted, status }) => !isWanted || !BEFORE_ISSUE.has(status)) ||
    certificates.some(
      ({ id, isAbandoned, issuedAt }) =>
        isAbandoned || issuedAt !== null || seen.get(id)?.status === "ISSUED",
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
  intended: GroupIntended,
): Promise<ReconcileResult> {
  const waiting = intended.domains.filter(
    ({ isWanted, status }) => !isWanted || (status !== "ATTACHED" && status !== "ERROR_ATTACHING"),
  );
  if (waiting.length > 0) {
    const error = attachmentError("Cloud:ACCOUNT:Error:ACCESS_DENIED", clock.now());
    await changeGroup(db, group, (tx) => failDomains(tx, group, waiting, () => error));
  }
  return { runAfterMs: NOT_CONNECTED_MS };
}
