/** The steps of a group's redirects, each recorded before its call to the cloud. */
import type { CloudError } from "../../../../cloud/cloud.ts";
import { SHORTEST_REST_MS } from "../../../../cloud/calls/poll-rest.ts";
import { announceChange } from "../../../../db/changes.ts";
import type { ReconcileResult } from "../../../../jobs/jobs.ts";
import type { RedirectProblem } from "../../custom-domain.ts";
import { redirectFailedEvent, redirectServedEvent } from "../../domain-events.ts";
import type { GroupContext, GroupDeps } from "../apply-step.ts";
import type { GroupStep } from "../group-step.ts";
import { changeGroup, tell } from "../record-group.ts";
import { unsettledOf } from "./decide-redirects.ts";
import { redirects as store } from "./redirect-store.ts";

type StepOf<Kind extends GroupStep["kind"]> = Extract<GroupStep, { kind: Kind }>;

export async function updateRedirects(
  { db, cloud }: GroupDeps,
  { group, intended, distribution, account }: GroupContext,
  { redirects, aliases, certificateId, etag }: StepOf<"updateRedirects">,
): Promise<ReconcileResult> {
  // Another party has changed the distribution: what was seen of it is no longer true.
  if (unsettledOf({ intended }).length === 0) {
    await changeGroup(db, group, (tx) => {
      store.unsettle(tx, group);
      for (const { id } of intended.domains) announceChange(tx, id);
    });
  }
  const update = { aliases, certificateId, enabled: true, etag, redirects };
  const made = await cloud.distributions.update(account, distribution.providerId ?? "", update);
  return { runAfterMs: made.deployed ? 0 : SHORTEST_REST_MS };
}

/** The distribution does everywhere what is wanted of these domains. */
export async function recordRedirects(
  deps: GroupDeps,
  context: GroupContext,
  { domains }: StepOf<"recordRedirects">,
): Promise<"recorded"> {
  const { group } = context;
  if (domains.length > 0) await forgetRedirects(deps, context);
  await changeGroup(deps.db, group, (tx) => {
    store.clearProblems(tx, group);
    for (const domain of domains) {
      store.recordLive(tx, domain, tell(tx, group, [redirectServedEvent(group.serviceId, domain)]));
      announceChange(tx, domain.id);
    }
  });
  return "recorded";
}

/** Deletes what the provider keeps of redirects that no visitor follows any longer. */
export async function forgetRedirects(
  { cloud }: GroupDeps,
  { distribution, account }: GroupContext,
): Promise<void> {
  if (distribution.providerId !== null)
    await cloud.distributions.forgetRedirects(account, distribution.providerId);
}

/** Records that the provider refused a change of redirects. The group's other work continues. */
export async function failRedirects(
  { db, clock }: GroupDeps,
  { group, intended }: GroupContext,
  error: CloudError,
): Promise<void> {
  const triedAt = clock.now().toISOString();
  await changeGroup(db, group, (tx) => {
    for (const domain of unsettledOf({ intended })) {
      const isKnown = domain.redirectProblem?.code === codeOf(error);
      const since = isKnown ? (domain.redirectProblem?.since ?? triedAt) : triedAt;
      const problem = { code: codeOf(error), message: error.message, since, triedAt };
      const events = isKnown ? [] : [redirectFailedEvent(group.serviceId, domain, problem)];
      store.recordProblem(tx, domain, problem, tell(tx, group, events));
      announceChange(tx, domain.id);
    }
  });
}

function codeOf({ kind, code }: CloudError): RedirectProblem["code"] {
  if (kind === "denied") return "ACCESS_DENIED";
  return code === "TOO_MANY_REDIRECTS" || code === "REDIRECTS_REFUSED" ? code : "REDIRECTS_REFUSED";
}
