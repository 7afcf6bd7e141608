/**
 * The permissions that the role of a connection needs, and whether it still has them. IAM simulates them, with
 * all policies of the role, including denials and its boundary. Most permissions are for writes, so trying
 * them would change something (docs/decisions/0011-lost-permissions-by-simulation.md).
 */
import type { EvaluationResult } from "@aws-sdk/client-iam";
import { CloudError, type CloudAccount } from "../../cloud.ts";
import { GLOBAL_REGION } from "../calls/apis.ts";
import { type Call, required } from "../calls/calls.ts";
import { deployRoleOf, partitionOf, rolesFunctionOf } from "../platform/stacks/names.ts";
import { CONNECTION_TAG } from "../calls/tags.ts";

type Permissions = {
  readonly resource: string;
  readonly actions: readonly string[];
};

/**
 * By resource, with an invented one of each kind: a simulation does not check that it exists. Without those of DNS zones,
 * which a customer may leave out, for zones that only the customer knows: what they lack, the domain's warning says.
 */
export function requiredPermissions(account: CloudAccount): readonly Permissions[] {
  const { accountId } = account;
  const partition = partitionOf(account);
  const arn = (service: string, region: string, name: string) =>
    `arn:${partition}:${service}:${region}:${accountId}:${name}`;
  const regional = (service: string, name: string) => arn(service, GLOBAL_REGION, name);
  return [
    {
      resource: "*",
      actions: [
        "acm:ListCertificates",
        "cloudfront:ListDistributions",
        "cloudfront:CreateDistribution",
        "cloudfront:CreateFunction",
        "cloudfront:ListFunctions",
        "acm:RequestCertificate",
        "ssm:DescribeParameters",
        "ecs:ListTasks",
      ],
    },
    {
      resource: regional("acm", "certificate/permission-check"),
      actions: ["acm:ListTagsForCertificate", "acm:DescribeCertificate", "acm:DeleteCertificate"],
    },
    // Tags are set at creation and never later. The asterisk stands for the id, which does not exist yet.
    { resource: regional("acm", "certificate/*"), actions: ["acm:AddTagsToCertificate"] },
    { resource: arn("cloudfront", "", "distribution/*"), actions: ["cloudfront:TagResource"] },
    {
      resource: arn("cloudfront", "", "distribution/PERMISSIONCHECK"),
      actions: [
        "cloudfront:GetDistribution",
        "cloudfront:GetDistributionConfig",
        "cloudfront:UpdateDistribution",
        "cloudfront:DeleteDistribution",
        "cloudfront:CreateInvalidation",
        "cloudfront:GetInvalidation",
      ],
    },
    {
      resource: arn("cloudfront", "", "function/slipway-permission-check"),
      actions: [
        "cloudfront:DescribeFunction",
        "cloudfront:GetFunction",
        "cloudfront:PublishFunction",
        "cloudfront:DeleteFunction",
      ],
    },
    {
      resource: regional("ssm", "parameter/slipway/permission-check"),
      actions: [
        "ssm:PutParameter",
        "ssm:AddTagsToResource",
        "ssm:ListTagsForResource",
        "ssm:DeleteParameter",
      ],
    },
    {
      resource: regional("secretsmanager", "secret:slipway/permission-check"),
      actions: [
        "secretsmanager:CreateSecret",
        "secretsmanager:TagResource",
        "secretsmanager:PutSecretValue",
        "secretsmanager:RestoreSecret",
        "secretsmanager:DeleteSecret",
      ],
    },
    // References to the customer's own secrets are looked up too.
    {
      resource: regional("secretsmanager", "secret:permission-check"),
      actions: ["secretsmanager:DescribeSecret"],
    },
    {
      resource: regional("cloudformation", "stack/slipway-svc-permission-check/0"),
      actions: [
        "cloudformation:CreateStack",
        "cloudformation:UpdateStack",
        "cloudformation:DeleteStack",
        "cloudformation:ContinueUpdateRollback",
        "cloudformation:DescribeStacks",
        "cloudformation:DescribeStackEvents",
        "cloudformation:CancelUpdateStack",
      ],
    },
    { resource: deployRoleOf(account), actions: ["iam:PassRole"] },
    // Stacks of version 1 do not have it; it is reported as missing.
    {
      resource: regional("lambda", `function:${rolesFunctionOf(account)}`),
      actions: ["lambda:InvokeFunction"],
    },
    {
      resource: regional("codebuild", "project/slipway-permission-check"),
      actions: [
        "codebuild:StartBuild",
        "codebuild:StopBuild",
        "codebuild:BatchGetBuilds",
        "codebuild:ListBuildsForProject",
      ],
    },
    {
      resource: regional("ecs", "task/slipway-env-permission-check/0"),
      // A stack without it cannot start commands either: its function does not.
      actions: ["ecs:DescribeTasks", "ecs:StopTask"],
    },
    {
      resource: regional("ecs", "service/slipway-env-permission-check/slipway-svc-permission-check"),
      actions: ["ecs:DescribeServices", "ecs:UpdateService"],
    },
    { resource: regional("ecr", "repository/slipway-permission-check"), actions: ["ecr:DescribeImages"] },
    { resource: regional("logs", "log-group:/slipway/permission-check"), actions: ["logs:FilterLogEvents"] },
    {
      resource: `arn:${partition}:s3:::slipway-permission-check`,
      actions: ["s3:CreateBucket", "s3:ListBucket"],
    },
    {
      resource: `arn:${partition}:s3:::slipway-permission-check/file`,
      actions: ["s3:GetObject", "s3:PutObject", "s3:DeleteObject"],
    },
    {
      resource: regional("cloudformation", "stack/slipway-store-permission-check/0"),
      // A stack without it cannot create data stores either.
      actions: ["cloudformation:SetStackPolicy"],
    },
    {
      resource: "*",
      actions: ["rds:DescribeDBInstances", "elasticache:DescribeReplicationGroups"],
    },
    {
      resource: regional("rds", "snapshot:slipway-store-permission-check"),
      actions: ["rds:CreateDBSnapshot", "rds:DescribeDBSnapshots", "rds:DeleteDBSnapshot"],
    },
    {
      resource: regional("elasticache", "snapshot:slipway-store-permission-check"),
      actions: [
        "elasticache:CreateSnapshot",
        "elasticache:AddTagsToResource",
        "elasticache:DescribeSnapshots",
        "elasticache:DeleteSnapshot",
      ],
    },
  ];
}

/** The condition keys of the adapter's own requests; each action uses some of them. */
export function conditionKeysOf(account: CloudAccount): Readonly<Record<string, string>> {
  return {
    [`aws:RequestTag/${CONNECTION_TAG}`]: account.connectionId,
    [`aws:ResourceTag/${CONNECTION_TAG}`]: account.connectionId,
    "aws:ResourceAccount": account.accountId,
    "cloudformation:RoleArn": deployRoleOf(account),
    "iam:PassedToService": "cloudformation.amazonaws.com",
  };
}

const API = "iam:SimulatePrincipalPolicy";

/**
 * The actions that the role lacks. If the role may not simulate, only that permission is reported as missing.
 * @throws CloudError `retryable`
 */
export async function findMissingPermissions(call: Call, account: CloudAccount): Promise<readonly string[]> {
  // A large client, needed only here.
  const { SimulatePrincipalPolicyCommand } = await import("@aws-sdk/client-iam");
  const ContextEntries = Object.entries(conditionKeysOf(account)).map(([name, value]) => ({
    ContextKeyName: name,
    ContextKeyValues: [value],
    ContextKeyType: "string" as const,
  }));
  const missing: string[] = [];
  for (const { resource, actions } of requiredPermissions(account)) {
    try {
      const command = new SimulatePrincipalPolicyCommand({
        PolicySourceArn: account.roleArn,
        ActionNames: [...actions],
        ResourceArns: [resource],
        ContextEntries,
        MaxItems: 1_000,
      });
      const answer = await call(account, API, command);
      missing.push(
        ...required(answer.EvaluationResults, API).flatMap((evaluation) =>
          isLost(evaluation) ? (evaluation.EvalActionName ?? []) : [],
        ),
      );
    } catch (error) {
      if (error instanceof CloudError && error.kind === "denied") return [API];
      throw error;
    }
  }
  return missing;
}

/**
 * True only if the result is certain. Conditions on keys of real requests cannot be evaluated here, and the
 * simulator ignores an organization's policies with conditions, which can make them look like
 * denials (https://docs.aws.amazon.com/IAM/latest/UserGuide/access_policies_testing-policies.html).
 */
export function isLost({
  EvalDecision,
  MissingContextValues = [],
  OrganizationsDecisionDetail,
}: Partial<EvaluationResult>): boolean {
  if (EvalDecision !== "implicitDeny" && EvalDecision !== "explicitDeny") return false;
  return MissingContextValues.length === 0 && OrganizationsDecisionDetail?.AllowedByOrganizations !== false;
}
