/** Brings the domain of a template's previews to what the base branch says; `decide-preview-domain.ts` decides. */
import { announceChange } from "../../db/changes.ts";
import type { Database, Transaction } from "../../db/database.ts";
import { enqueueWithoutAccount } from "../../jobs/enqueue.ts";
import type { Jobs, Reconcile, ReconcileResult } from "../../jobs/jobs.ts";
import { AppError } from "../../lib/errors.ts";
import { slipwayOf } from "../audit/record-audit.ts";
import { addDomains, createGroup, deleteDomain, deleteGroup } from "../custom-domains/commands.ts";
import { findDefaultGroup, listDomainsOfGroup, listServiceDomains } from "../custom-domains/queries.ts";
import {
  createDefaultDistribution,
  enqueueRoutes,
  listDefaultDistributions,
  releaseServiceDistributions,
} from "../distributions/commands.ts";
import { openPreviewHosts } from "../environments/apply-configuration.ts";
import { labelOf } from "../environments/preview-host.ts";
import { deleteEnvironment, removeServices } from "../environments/remove-services.ts";
import { insertEnvironment, insertService, lockProject, setPreviewHost } from "../projects/commands.ts";
import {
  configIdOfGateway,
  type Environment,
  type Project,
  type Service,
  isPublic,
} from "../projects/project.ts";
import {
  findEnvironment,
  findPreviewGateway,
  getEnvironment,
  listServicesOfPreviews,
  originOf,
} from "../projects/queries.ts";
import {
  decidePreviewDomain,
  type DomainFacts,
  type DomainStep,
  PENDING_HOST,
} from "./decide-preview-domain.ts";
import { previews } from "./store.ts";

type Deps = { readonly db: Database; readonly jobs: Jobs };

const SHORT_MS = 3_000;
/** The reconciler of a project's previews enqueues this too. */
const LONG_MS = 60_000;

export function reconcilePreviewDomain({ db, jobs }: Deps): Reconcile {
  return async ({ organizationId, id: templateId }) => {
    try {
      return await db.transaction(async (tx) => {
        const projectId = await findProjectId(tx, organizationId, templateId);
        const project = projectId === null ? null : await lockProject(tx, organizationId, projectId);
        if (project === null || project.deletionRequestedAt !== null) return "done";
        const template = await findEnvironment(tx, organizationId, templateId);
        const facts = await gather(tx, organizationId, templateId, template);
        const step = decidePreviewDomain(facts);
        const result = await takeStep(tx, jobs, { project, templateId, template }, step);
        if (step.kind !== "none" && step.kind !== "wait") announceChange(tx, project.id);
        return result;
      });
    } catch (error) {
      // The name is taken, or the account does not work. `preview-domain.ts` says it to users.
      if (error instanceof AppError) return { runAfterMs: LONG_MS };
      throw error;
    }
  };
}

async function findProjectId(
  tx: Transaction,
  organizationId: string,
  templateId: string,
): Promise<string | null> {
  const part =
    (await findEnvironment(tx, organizationId, templateId)) ??
    (await findPreviewGateway(tx, organizationId, templateId)) ??
    (await listServicesOfPreviews(tx, organizationId, templateId))[0];
  return part?.projectId ?? null;
}

async function gather(
  tx: Transaction,
  organizationId: string,
  templateId: string,
  template: Environment | null,
): Promise<DomainFacts> {
  const gateway = await findPreviewGateway(tx, organizationId, templateId);
  const group = gateway === null ? null : await findDefaultGroup(tx, organizationId, gateway.id);
  const all = await listServicesOfPreviews(tx, organizationId, templateId);
  const ids = all.map(({ id }) => id);
  const owned = await listDefaultDistributions(tx, organizationId, ids);
  const hosts = new Map(owned.map(({ serviceId, domainName }) => [serviceId, domainName ?? PENDING_HOST]));
  // Their distributions have domains of a user's.
  const kept = await listServiceDomains(tx, organizationId, ids);
  return {
    domain: template?.template?.domain ?? null,
    gateway,
    group:
      group === null
        ? null
        : {
            id: group.id,
            isDeleting: group.isDeleting,
            domains: await listDomainsOfGroup(tx, organizationId, group.id),
          },
    services: all
      .filter(({ id, type }) => isPublic(type) && !kept.has(id))
      .map((service) => ({ service, ownHost: hosts.get(service.id) ?? null })),
  };
}

type Place = {
  readonly project: Project;
  readonly templateId: string;
  readonly template: Environment | null;
};

async function takeStep(
  tx: Transaction,
  jobs: Jobs,
  place: Place,
  step: DomainStep,
): Promise<ReconcileResult> {
  const { project, templateId, template } = place;
  const { organizationId, awsAccountId } = project;
  const actor = slipwayOf(organizationId);
  const namesOf = (name: string) => [{ name, type: "WILDCARD" as const }];
  switch (step.kind) {
    case "none":
      return "done";
    case "wait":
      return { runAfterMs: step.isShort ? SHORT_MS : LONG_MS };
    case "createGateway":
      if (template !== null) await createGateway(tx, jobs, project, template);
      break;
    case "createGroup": {
      const { serviceId, name } = step;
      const wanted = { names: namesOf(name), useDefaultCdn: true, name, isForPreviews: true };
      await createGroup(tx, jobs, actor, serviceId, wanted);
      break;
    }
    case "addDomain":
      await addDomains(tx, jobs, actor, step.groupId, namesOf(step.name), true);
      break;
    case "deleteDomain":
      await deleteDomain(tx, jobs, actor, step.groupId, step.domainId);
      break;
    case "deleteGroup":
      await deleteGroup(tx, jobs, actor, step.groupId);
      break;
    case "moveIn":
      for (const [environmentId, services] of Map.groupBy(step.services, (one) => one.environmentId)) {
        const environment = await getEnvironment(tx, organizationId, environmentId);
        const hosts = await openPreviewHosts(tx, environment);
        for (const service of services) {
          const { previewHost, configId } = service;
          const label = previewHost === null ? null : labelOf(previewHost);
          const host = label === null ? hosts.choose(configId) : `${label}.${step.domain}`;
          await setPreviewHost(tx, service, host);
        }
      }
      await releaseServiceDistributions(tx, jobs, organizationId, idsOf(step.services));
      await enqueueRoutes(tx, jobs, organizationId, templateId);
      await redeploy(tx, project, step.services);
      break;
    case "distribute":
      for (const service of step.services) {
        const origin = await originOf(tx, project, service);
        await createDefaultDistribution(tx, jobs, service, { awsAccountId, origin });
      }
      break;
    case "moveOut":
      for (const service of step.services) await setPreviewHost(tx, service, null);
      await enqueueRoutes(tx, jobs, organizationId, templateId);
      await redeploy(tx, project, step.services);
      break;
    case "removeGateway": {
      const environment = await getEnvironment(tx, organizationId, step.gateway.environmentId);
      const attached = await removeServices(tx, jobs, actor, { project, environment, isRemoved: true }, [
        step.gateway,
      ]);
      if (attached.length > 0) return { runAfterMs: SHORT_MS };
      await deleteEnvironment(tx, jobs, actor, project, environment);
    }
  }
  return { runAfterMs: 0 };
}

async function createGateway(
  tx: Transaction,
  jobs: Jobs,
  project: Project,
  template: Environment,
): Promise<void> {
  const { organizationId, id: projectId, awsAccountId } = project;
  const { id: templateId, name, region, branch } = template;
  const actor = slipwayOf(organizationId);
  const environment = await insertEnvironment(tx, actor, {
    organizationId,
    projectId,
    configId: configIdOfGateway(template),
    name: `${name} names`,
    region,
    branch,
    deployTrigger: "manual",
    report: "none",
    template: null,
    templateId,
    isFork: false,
    pullRequest: null,
  });
  const gateway = await insertService(tx, actor, {
    organizationId,
    projectId,
    environmentId: environment.id,
    configId: "previews",
    name: "Names of previews",
    type: "previews",
    settings: { dependsOn: [] },
    previewHost: null,
  });
  const origin = await originOf(tx, project, gateway);
  await createDefaultDistribution(tx, jobs, gateway, { awsAccountId, origin });
}

/** Their address is a variable of their builds and releases. */
async function redeploy(
  tx: Transaction,
  { organizationId, id }: Project,
  services: readonly Service[],
): Promise<void> {
  const environmentIds = [...new Set(services.map(({ environmentId }) => environmentId))];
  for (const preview of await previews.redeploy(tx, organizationId, environmentIds))
    announceChange(tx, preview.id);
  enqueueWithoutAccount(tx, "previews", { organizationId, id });
}

function idsOf(rows: readonly { readonly id: string }[]): readonly string[] {
  return rows.map(({ id }) => id);
}
