import assert from "node:assert/strict";
import { it } from "node:test";
import { operationIdOf, sdkNameOf } from "./operation-id.ts";

const EXPECTED: readonly [string, string, string][] = [
  ["GET", "/v1/users", "listUsers"],
  ["POST", "/v1/users", "createUser"],
  ["GET", "/v1/users/:userId", "getUser"],
  ["PATCH", "/v1/users/:userId", "updateUser"],
  ["DELETE", "/v1/users/:userId", "deleteUser"],
  ["GET", "/v1/audit-entries", "listAuditEntries"],
  ["POST", "/v1/aws-accounts/:awsAccountId/check", "checkAwsAccount"],
  ["GET", "/v1/projects/:projectId/environments", "listProjectEnvironments"],
  ["GET", "/v1/services/:serviceId/status", "getServiceStatus"],
];
for (const [method, path, id] of EXPECTED) {
  it(`${method} ${path} is ${id}`, () => assert.equal(operationIdOf(method, path), id));
}

const METHODS: readonly [string, string, string][] = [
  ["GET", "/v1/me", "me.get"],
  ["GET", "/v1/users", "users.list"],
  ["POST", "/v1/api-keys", "apiKeys.create"],
  ["GET", "/v1/users/:userId", "users.get"],
  ["PATCH", "/v1/users/:userId", "users.update"],
  ["DELETE", "/v1/users/:userId", "users.delete"],
  ["POST", "/v1/domains/:domainId/check", "domains.check"],
  ["GET", "/v1/projects/:projectId/environments", "environments.list"],
  ["PUT", "/v1/services/:serviceId/env-variables", "variables.replace"],
  ["DELETE", "/v1/services/:serviceId/env-variables", "variables.deleteAll"],
  ["GET", "/v1/services/:serviceId/env-variables/:name/history", "variables.getHistory"],
  ["POST", "/v1/domain-certificate-groups/:domainGroupId/retry-attachment", "domainGroups.retryAttachment"],
  ["GET", "/v1/domain-certificate-groups/:domainGroupId/domains", "domainGroups.listDomains"],
  ["DELETE", "/v1/domain-certificate-groups/:id/domains/:domainId", "domainGroups.deleteDomain"],
  ["GET", "/v1/webhook-endpoints/:id/deliveries", "webhookEndpoints.listDeliveries"],
  ["POST", "/v1/webhook-endpoints/:id/deliveries/:deliveryId/redeliver", "webhookEndpoints.redeliver"],
];
for (const [method, path, name] of METHODS) {
  it(`${method} ${path} is ${name} of the SDK`, () => assert.equal(sdkNameOf(method, path), name));
}
