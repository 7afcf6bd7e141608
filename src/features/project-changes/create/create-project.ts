import type { Actor } from "../../../lib/actor.ts";
import { isForeignKeyViolation, type Transaction } from "../../../db/database.ts";
import { notFound } from "../../../lib/errors.ts";
import { gitIntegrationMissing } from "../../git-integrations/queries.ts";
import type { Jobs } from "../../../jobs/jobs.ts";
import { recordAudit } from "../../audit/record-audit.ts";
import { applyConfiguration } from "../../environments/apply-configuration.ts";
import type { PreparedProject } from "./prepare-project.ts";
import type { ProjectDetails } from "../../projects/project.ts";
import { insertProject } from "../../projects/commands.ts";

/** Creates a project with its environments and services. @throws AppError `NOT_FOUND`, `GIT_INTEGRATION_MISSING` */
export async function createProject(
  tx: Transaction,
  jobs: Jobs,
  actor: Actor,
  prepared: PreparedProject,
): Promise<ProjectDetails> {
  const project = await recordProject(tx, actor, prepared);
  await applyConfiguration(tx, jobs, actor, project, [], prepared.configuration);
  recordAudit(tx, actor, "project.created", project.id);
  return project;
}

async function recordProject(
  tx: Transaction,
  actor: Actor,
  { request, awsAccount, repository, codeSource, rawConfig }: PreparedProject,
): Promise<ProjectDetails> {
  try {
    return await insertProject(
      tx,
      actor,
      {
        organizationId: actor.organizationId,
        name: request.name,
        awsAccountId: awsAccount.id,
        repoUrl: withoutUserInfo(request.repoUrl),
        normalizedRepoUrl: repository.normalizedUrl,
        provider: codeSource.provider,
        host: codeSource.host,
        configType: request.configType,
        configFilePath: request.configFilePath ?? null,
        configFileBranch: request.configFileBranch ?? null,
      },
      rawConfig,
    );
  } catch (error) {
    // Another request deleted it since it was looked up.
    if (isForeignKeyViolation(error, "projects_aws_account_fk")) throw notFound("awsAccountId");
    if (isForeignKeyViolation(error, "projects_git_integration_fk")) {
      throw gitIntegrationMissing(codeSource.provider, codeSource.host, error);
    }
    throw error;
  }
}

/** A token in the address would be readable in the database; access needs a git integration. */
export function withoutUserInfo(repoUrl: string): string {
  return repoUrl.replace(/^(https|ssh):\/\/[^/?#]*@/i, "$1://");
}
