/** The steps of a group's redirects, each recorded before its call to the cloud. */
import type { CloudError } from "../../../cloud/cloud.ts";
import { SHORTEST_REST_MS } from "../../../cloud/calls/poll-rest.ts";
import { announceChange } from "../../../db/changes.ts";
import type { ReconcileResult } from "../../../jobs/jobs.ts";
import type { RedirectProblem } from "../custom-domain.ts";
import { redirectFailedEvent, redirectServedEvent } from "../domain-events.ts";
import type { Context, GroupDeps } from "./context.ts";
import type { GroupStep } from "./group-step.ts";
import { changeGroup, emitFor } from "./record-group.ts";
import { unsettledOf } from "./decide-redirects.ts";
import { redirects as store } from "./redirect-store.ts";

type StepOf<Kind extends GroupStep["kind"]> = Extract<GroupStep, { kind: Kind }>;

export async function updateRedirects(
  { db, cloud }: GroupDeps,
  { group, desired, distribution, account }: Context,
  { redirects, aliases, certificateId, etag }: StepOf<"updateRedirects">,
): Promise<ReconcileResult> {
  // Another party has changed the distribution: what was observed of it is no longer true.
  if (unsettledOf({ desired }).length === 0) {
    await changeGroup(db, group, (tx) => {
      store.unsettle(tx, group);
      for (const { id } of desired.domains) announceChange(tx, id);
    });
  }
  const update = { aliases, certificateId, enabled: true, etag, redirects };
  const made = await cloud.distributions.update(account, distribution.providerId ?? "", update);
  return { runAfterMs: made.deployed ? 0 : SHORTEST_REST_MS };
}

/** The distribution does everywhere what is desired of these domains. */
export async function recordRedirects(
  deps: GroupDeps,
  context: Context,
  { domains }: StepOf<"recordRedirects">,
): Promise<"recorded"> {
  const { group } = context;
  if (domains.length > 0) await forgetRedirects(deps, context);
  await changeGroup(deps.db, group, async (tx) => {
    store.clearProblems(tx, group);
    for (const domain of domains) {
      if (await store.recordLive(tx, domain))
        emitFor(tx, group, [redirectServedEvent(group.serviceId, domain)]);
      announceChange(tx, domain.id);
    }
  });
  return "recorded";
}

/** Deletes what the provider keeps of redirects that no visitor follows any longer. */
export async function forgetRedirects(
  { cloud }: GroupDeps,
  { distribution, account }: Context,
): Promise<void> {
  if (distribution.providerId !== null)
    await cloud.distributions.forgetRedirects(account, distribution.providerId);
}

/** Records that the provider refused a change of redirects. The group's other work continues. */
export async function failRedirects(
  { db, clock }: GroupDeps,
  { group, desired }: Context,
  error: CloudError,
): Promise<void> {
  const triedAt = clock.now().toISOString();
  await changeGroup(db, group, async (tx) => {
    for (const domain of unsettledOf({ desired })) {
      const isKnown = domain.redirectProblem?.code === codeOf(error);
      const since = isKnown ? (domain.redirectProblem?.since ?? triedAt) : triedAt;
      const problem = { code: codeOf(error), message: error.message, since, triedAt };
      const events = isKnown ? [] : [redirectFailedEvent(group.serviceId, domain, problem)];
      if (await store.recordProblem(tx, domain, problem)) emitFor(tx, group, events);
      announceChange(tx, domain.id);
    }
  });
}

function codeOf({ kind, code }: CloudError): RedirectProblem["code"] {
  if (kind === "denied") return "ACCESS_DENIED";
  return code === "TOO_MANY_REDIRECTS" || code === "REDIRECTS_REFUSED" ? code : "REDIRECTS_REFUSED";
}
