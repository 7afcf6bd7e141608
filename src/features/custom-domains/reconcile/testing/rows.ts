import { type Database, writeStatement } from "../../../../db/database.ts";
import { newConnectionId, newId } from "../../../../lib/ids.ts";

const INSERT_ACCOUNT = writeStatement(
  "test_insert_account",
  `INSERT INTO aws_accounts (organization_id, id, given_id, name, status, connected_aws_account_id, role_arn)
   VALUES ($1, $2, 'test', 'Test', 'CONNECTED', '123456789012', 'arn:aws:iam::123456789012:role/slipway')`,
);
const INSERT_INTEGRATION = writeStatement(
  "test_insert_integration",
  `INSERT INTO git_integrations (organization_id, id, provider, host, sealed_token)
   VALUES ($1, $2, 'provider_a', '', '')`,
);
const INSERT_PROJECT = writeStatement(
  "test_insert_project",
  `INSERT INTO projects (organization_id, id, name, aws_account_id, repo_url, normalized_repo_url, provider, host,
                         config_type, config)
   VALUES ($1, $2, 'Test', $3, 'https://git.sandbox.test/demo.git', 'git.sandbox.test/demo', 'provider_a', '', 'gui',
           '{}')`,
);
const INSERT_ENVIRONMENT = writeStatement(
  "test_insert_environment",
  `INSERT INTO environments (organization_id, id, project_id, config_id, name, region, branch, deploy_trigger)
   VALUES ($1, $2, $2, 'production', 'Test', 'us-west-2', 'main', 'manual')`,
);
const INSERT_SERVICE = writeStatement(
  "test_insert_service",
  `INSERT INTO services (organization_id, id, project_id, environment_id, config_id, name, type, settings)
   VALUES ($1, $2, $3, $3, $2, 'Test', 'external', '{"hostname":"origin.example.com","dependsOn":[]}')`,
);

/** A project on a connected account, for services to belong to. */
export async function insertProject(
  db: Database,
  organizationId: string,
): Promise<{ projectId: string; awsAccountId: string }> {
  const awsAccountId = newConnectionId();
  const projectId = newId("proj");
  await db.query(INSERT_ACCOUNT, [organizationId, awsAccountId]);
  await db.query(INSERT_INTEGRATION, [organizationId, newId("git")]);
  await db.query(INSERT_PROJECT, [organizationId, projectId, awsAccountId]);
  await db.query(INSERT_ENVIRONMENT, [organizationId, projectId]);
  return { projectId, awsAccountId };
}

/** A service of that project, which serves HTTP. */
export async function insertService(
  db: Database,
  organizationId: string,
  projectId: string,
): Promise<string> {
  const id = newId("svc");
  await db.query(INSERT_SERVICE, [organizationId, id, projectId]);
  return id;
}
