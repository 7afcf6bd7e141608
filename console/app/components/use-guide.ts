/** How far a new organization is, and whether this browser still shows it. */
import { useSyncExternalStore } from "react";
import { useMe } from "../api/permissions.ts";
import { read, readAll, useLater } from "../api/query.ts";
import { liveProject, type Step, stepsOf } from "./decide-first-steps.ts";

/** What the steps are decided by. Home reads them before it is shown. */
export const GUIDE_READS = {
  projects: read("overview", "listProjects", { limit: 100 }),
  served: read("overview", "listDomains", { status: "ATTACHED", limit: 20 }),
  accounts: read("awsAccounts", "list", { limit: 100 }),
  git: read("gitIntegrations", "list", { limit: 1 }),
  domains: read("overview", "listDomains", { limit: 1, order: "desc" }),
};

/** What Home shows of deployments. */
export const RECENT_DEPLOYMENTS = read("overview", "listDeployments", { order: "desc", limit: 8 });

/** `begun` once Home has shown the steps, `finished` once the site was opened or the steps were hidden. */
type GuideState = "begun" | "finished" | null;

const listeners = new Set<() => void>();

function itemOf(organizationId: string): string {
  return `slipway.guide.${organizationId}`;
}

/** Keeps the state of the guide in this browser. */
export function setGuideState(organizationId: string, state: "begun" | "finished"): void {
  localStorage.setItem(itemOf(organizationId), state);
  for (const listener of listeners) listener();
}

export function useGuideState(): GuideState {
  const { organization } = useMe();
  const stored = useSyncExternalStore(
    (changed) => {
      listeners.add(changed);
      return () => listeners.delete(changed);
    },
    () => localStorage.getItem(itemOf(organization.id)),
  );
  return stored === "begun" || stored === "finished" ? stored : null;
}

export type Guide = {
  readonly steps: readonly Step[];
  readonly done: number;
  /** Null once all are done. */
  readonly next: Step | null;
  /** The name of a domain that leads visitors to its service; null if there is none. */
  readonly served: string | null;
};

/** The steps; null until they are known. @param isWanted nothing is read unless it is true */
export function useGuide(isWanted: boolean): {
  readonly guide: Guide | null;
  /** Whether what the steps need could not be read. */
  readonly isFailed: boolean;
} {
  const overview = useLater(GUIDE_READS.projects, { isWanted });
  const projects = overview.data?.projects;
  const attachment = useLater(GUIDE_READS.served, { isWanted });
  const attached = attachment.data?.domains;
  const accounts = useLater(GUIDE_READS.accounts, { isWanted });
  const git = useLater(GUIDE_READS.git, { isWanted });
  const newest = useLater(GUIDE_READS.domains, { isWanted });
  const domains = newest.data?.domains;
  const live = liveProject(projects ?? []);
  const services = useLater(readAll("services", "listOfProject", live?.id ?? "", {}), {
    isWanted: isWanted && live !== undefined && domains?.length === 0,
  }).data?.services;
  const isUnknown = (one: { readonly data: unknown; readonly error: unknown }) =>
    one.data === undefined && one.error === null;
  if (!isWanted || projects === undefined || attached === undefined)
    return { guide: null, isFailed: overview.error !== null || attachment.error !== null };
  if ([accounts, git, newest].some(isUnknown)) return { guide: null, isFailed: false };
  const served = attached.find(({ waitsFor }) => waitsFor === null) ?? null;
  const steps = stepsOf({
    accounts: accounts.data?.awsAccounts,
    git: git.data?.gitIntegrations,
    projects,
    services,
    domains,
    served,
  });
  const guide = {
    steps,
    done: steps.filter(({ isDone }) => isDone).length,
    next: steps.find(({ isDone }) => !isDone) ?? null,
    served: served?.name ?? null,
  };
  return { guide, isFailed: false };
}
