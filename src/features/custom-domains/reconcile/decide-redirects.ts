/** Decides which redirects a group's distribution should have. Pure. */
import { type Redirects, redirectsKeyOf } from "../../../cloud/redirects.ts";
import type { Domain } from "../custom-domain.ts";
import type { GroupView } from "./decide-certificate.ts";
import type { DesiredGroup, GroupStep } from "./group-step.ts";

/** How long a change of redirects that was refused waits, unless the client changes one. */
export const REDIRECT_RETRY_MS = 10 * 60_000;

/**
 * The redirects for some names on the distribution. A name redirects once it and its target are served everywhere, so
 * no visitor is led to a name that does not answer yet. A name that is being deleted redirects as before while
 * it is served.
 */
export function redirectsOf(
  { domains, isDeleting }: Pick<DesiredGroup, "domains" | "isDeleting">,
  aliases: readonly string[],
): Redirects {
  const on = domains.filter(({ name }) => aliases.includes(name));
  const stays = (domain: Domain): boolean => domain.isDesired && !isDeleting;
  const targets = new Set(
    on.filter((domain) => stays(domain) && domain.status === "ATTACHED").map(({ name }) => name),
  );
  return Object.fromEntries(
    on.flatMap((domain) => {
      const { name, redirectTo } = domain;
      if (redirectTo === null) return [];
      const isOn = stays(domain) ? targets.has(name) && targets.has(redirectTo) : domain.isRedirectLive;
      return isOn ? [[name, redirectTo]] : [];
    }),
  );
}

/** The redirects to send with an update that leaves these names; none if they are right, or cannot be changed now. */
export function redirectsToSend(
  view: GroupView,
  aliases: readonly string[],
): { readonly redirects?: Redirects } {
  const redirects = redirectsOf(view.desired, aliases);
  const key = redirectsKeyOf(redirects);
  if (key === (view.distribution?.redirectsKey ?? null)) return {};
  // Taking all of them away needs nothing of the provider that it could refuse.
  return key !== null && isPutOff(view) ? {} : { redirects };
}

/** The next step of only the redirects; null if they are as desiredNames, or the client or provider has to act first. */
export function decideRedirects(view: GroupView): GroupStep | null {
  const { desired, distribution, served } = view;
  if (distribution === null || desired.isDeleting) return null;
  const redirects = redirectsOf(desired, served);
  if (redirectsKeyOf(redirects) !== distribution.redirectsKey) {
    if (isPutOff(view)) return null;
    const { certificateId, etag } = distribution;
    return { kind: "updateRedirects", redirects, aliases: served, certificateId, etag };
  }
  if (!distribution.deployed) return null;
  const live = unsettledOf(view).filter(({ name, redirectTo }) => (redirects[name] ?? null) === redirectTo);
  const isProblemOver = desired.domains.some(({ redirectProblem }) => redirectProblem !== null);
  return live.length > 0 || isProblemOver ? { kind: "recordRedirects", domains: live } : null;
}

/**
 * Before names are taken off the distribution: a redirect to one of them must have ended everywhere. A client can have
 * ended it just before.
 */
export function decideRedirectsFirst(view: GroupView): GroupStep | null {
  const { distribution, desired } = view;
  if (distribution === null || desired.isDeleting || unsettledOf(view).length === 0) return null;
  const step = decideRedirects(view);
  if (step?.kind === "updateRedirects") return step;
  return waitForRedirects(view);
}

/** Null if nothing is on its way. */
export function waitForRedirects(view: GroupView): GroupStep | null {
  const { distribution } = view;
  if (distribution === null || distribution.deployed || unsettledOf(view).length === 0) return null;
  return { kind: "waitForDeploy", since: distribution.changedAt };
}

/** When a refused change is due again; null if none was refused. */
export function redirectsDueAt(view: Pick<GroupView, "desired">): Date | null {
  const tried = unsettledOf(view).flatMap(({ redirectProblem }) =>
    redirectProblem === null ? [] : [Date.parse(redirectProblem.triedAt)],
  );
  return tried.length === 0 ? null : new Date(Math.max(...tried) + REDIRECT_RETRY_MS);
}

/** A refusal is noted with all that it concerns, so one without is newer. */
function isPutOff(view: GroupView): boolean {
  const dueAt = redirectsDueAt(view);
  const isNoted = unsettledOf(view).every(({ redirectProblem }) => redirectProblem !== null);
  return dueAt !== null && isNoted && view.now < dueAt;
}

export function unsettledOf({ desired }: Pick<GroupView, "desired">): readonly Domain[] {
  return desired.domains.filter(({ isDesired, isRedirectLive }) => isDesired && !isRedirectLive);
}
