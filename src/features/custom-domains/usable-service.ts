import type { Origin } from "../../cloud/cloud.ts";
import type { Sql } from "../../db/database.ts";
import { AppError } from "../../lib/errors.ts";
import { getAwsAccount } from "../cloud-accounts/queries.ts";
import { requireConnected } from "../cloud-accounts/aws-account.ts";
import { originOf, getProject, getService } from "../projects/queries.ts";
import { type Service, servesHttp } from "../projects/project.ts";
import { CUSTOM_DOMAIN_ERRORS } from "./errors.ts";

/**
 * A service that can have domains now, where its distributions lead, and in which account they are.
 * @throws AppError `NOT_FOUND`, `SERVICE_TAKES_NO_DOMAINS`, `AWS_ACCOUNT_NOT_CONNECTED`
 */
export async function getUsableService(
  sql: Sql,
  organizationId: string,
  serviceId: string,
): Promise<{ readonly service: Service; readonly awsAccountId: string; readonly origin: Origin }> {
  const service = await getService(sql, organizationId, serviceId);
  if (!servesHttp(service.type)) {
    throw new AppError(
      CUSTOM_DOMAIN_ERRORS.SERVICE_TAKES_NO_DOMAINS,
      `The service "${service.name}" is a ${service.type} and serves no HTTP. Choose a static, web or external service.`,
    );
  }
  const project = await getProject(sql, organizationId, service.projectId);
  const [account, origin] = await Promise.all([
    getAwsAccount(sql, organizationId, project.awsAccountId),
    originOf(sql, project, service),
  ]);
  requireConnected(account);
  return { service, awsAccountId: project.awsAccountId, origin };
}
