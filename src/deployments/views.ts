import { Type } from "typebox";
import { Instant, Nullable, Words } from "../http/schemas.ts";
import { type Deployment, DEPLOYMENT_STATUSES } from "./deployment.ts";

const SHORT_HASH_DIGITS = 7;

export const DeploymentSchema = Type.Object(
  {
    id: Type.String(),
    projectId: Type.String(),
    environmentId: Nullable(
      Type.String({ description: "Where exactly one environment follows the branch; null otherwise." }),
    ),
    branch: Type.String(),
    commit: Type.String({ description: "The first 7 digits of `commitHash`." }),
    commitHash: Type.String({ description: "What the branch was at when the deployment was accepted." }),
    status: Words(DEPLOYMENT_STATUSES),
    statusReason: Nullable(Type.String()),
    createdAt: Instant(),
    updatedAt: Instant(),
  },
  { description: "One commit of a project's repository, to be released." },
);

export function viewDeployment(deployment: Deployment) {
  const { id, projectId, environmentId, branch, commitHash, status, statusReason } = deployment;
  return {
    id,
    projectId,
    environmentId,
    branch,
    commit: commitHash.slice(0, SHORT_HASH_DIGITS),
    commitHash,
    status,
    statusReason,
    createdAt: deployment.createdAt.toISOString(),
    updatedAt: deployment.updatedAt.toISOString(),
  };
}
