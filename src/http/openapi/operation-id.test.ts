import assert from "node:assert/strict";
import { it } from "node:test";
import { operationIdOf } from "./operation-id.ts";

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
