/** The cloud account that each kind of work calls. Part of the composition root. */
import { findAccountOfGroup } from "../features/custom-domains/queries.ts";
import { findAccountOfStore, findSnapshot } from "../features/data-stores/queries.ts";
import { findDistribution } from "../features/distributions/commands.ts";
import type { AccountOfWork } from "../jobs/jobs.ts";
import { findAccountOfEnvironment, findProject } from "../features/projects/queries.ts";
import { findAccountOfPreviewRemoval } from "../features/previews/queries.ts";
import { findAccountOfExecution } from "../features/executions/queries.ts";
import { findAccountOfInvalidation, findAccountOfService } from "../features/invalidations/queries.ts";
import { findAccountOfScope } from "../features/variables/queries.ts";
import { findAccountOfEnvironmentRemoval, findAccountOfRemoval } from "../features/releases/queries.ts";

/** A deployment's own work only calls the git host; that of its environments calls the account. */
export const accountOfWork = {
  deployment: null,
  "git-report": null,
  previews: null,
  "preview-domain": null,
  "webhook-endpoint": null,
  "notification-channel": null,
  invitation: null,
  "aws-account": async (_sql, { id }) => await Promise.resolve(id),
  distribution: async (sql, { organizationId, id }) =>
    (await findDistribution(sql, organizationId, id))?.awsAccountId ?? null,
  "domain-certificate-group": (sql, { organizationId, id }) => findAccountOfGroup(sql, organizationId, id),
  "environment-deployments": (sql, { organizationId, id }) =>
    findAccountOfEnvironment(sql, organizationId, id),
  "environment-removal": (sql, { organizationId, id }) =>
    findAccountOfEnvironmentRemoval(sql, organizationId, id),
  "preview-removal": (sql, { organizationId, id }) => findAccountOfPreviewRemoval(sql, organizationId, id),
  "preview-sleep": async (sql, { organizationId, id }) =>
    (await findProject(sql, organizationId, id))?.awsAccountId ?? null,
  "service-scaling": (sql, { organizationId, id }) => findAccountOfService(sql, organizationId, id),
  "job-schedule": null,
  "data-store": (sql, { organizationId, id }) => findAccountOfStore(sql, organizationId, id),
  "data-store-checks": async (_sql, { id }) => await Promise.resolve(id),
  snapshot: async (sql, { organizationId, id }) =>
    (await findSnapshot(sql, organizationId, id))?.awsAccountId ?? null,
  execution: (sql, { organizationId, id }) => findAccountOfExecution(sql, organizationId, id),
  invalidation: (sql, { organizationId, id }) => findAccountOfInvalidation(sql, organizationId, id),
  "project-removal": async (sql, { organizationId, id }) =>
    (await findProject(sql, organizationId, id))?.awsAccountId ?? null,
  "service-removal": (sql, { organizationId, id }) => findAccountOfRemoval(sql, organizationId, id),
  "variable-scope": (sql, { organizationId, id }) => findAccountOfScope(sql, organizationId, id),
} satisfies AccountOfWork;
