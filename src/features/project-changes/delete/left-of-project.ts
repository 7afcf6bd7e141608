import type { AwsAccount } from "../../cloud-accounts/aws-account.ts";
import type { LeftInAccount } from "../../cloud-accounts/left-in-account.ts";
import { listLeftBeyondGroups } from "../../account-removal/list-left.ts";
import type { Platform } from "../../../cloud/platform.ts";
import { listLeftOfGroups } from "../../custom-domains/abandon-group.ts";
import type { Sql } from "../../../db/database.ts";
import type { Project } from "../../projects/project.ts";

/** All that a project has in its account, or may have. If it is being deleted, what is still there. */
export async function listLeftOfProject(
  sql: Sql,
  platform: Platform | null,
  { organizationId, id: projectId }: Project,
  { connectedAwsAccountId }: AwsAccount,
): Promise<LeftInAccount> {
  return {
    connectedAwsAccountId,
    ...(await listLeftBeyondGroups(sql, platform, organizationId, { projectId })),
    ...(await listLeftOfGroups(sql, organizationId, projectId)),
  };
}
