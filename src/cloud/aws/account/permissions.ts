/**
 * What the role of a connection must be allowed to do, and whether it still is. IAM is asked, which looks
 * at every policy of the role, those that deny and its boundary included; most permissions write, so that
 * trying them would change something (docs/decisions/lost-permissions-by-simulation.md).
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

/** By resource, a made-up one of each kind: a simulation does not look whether it exists. */
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
        "acm:RequestCertificate",
        "ssm:DescribeParameters",
        "ecs:ListTasks",
      ],
    },
    {
      resource: regional("acm", "certificate/permission-check"),
      actions: ["acm:ListTagsForCertificate", "acm:DescribeCertificate", "acm:DeleteCertificate"],
    },
    // Tags are given with what is made, and never later: the asterisk is what has no id yet.
    { resource: regional("acm", "certificate/*"), actions: ["acm:AddTagsToCertificate"] },
    { resource: arn("cloudfront", "", "distribution/*"), actions: ["cloudfront:TagResource"] },
    {
      resource: arn("cloudfront", "", "distribution/PERMISSIONCHECK"),
      actions: [
        "cloudfront:GetDistribution",
        "cloudfront:GetDistributionConfig",
        "cloudfront:UpdateDistribution",
        "cloudfront:DeleteDistribution",
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
    // References to secrets of the customer's own are looked up too.
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
    // Stacks of version 1 do not have it; what they lack is told so.
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
    { resource: regional("ecs", "task/slipway-env-permission-check/0"), actions: ["ecs:DescribeTasks"] },
    {
      resource: regional("ecs", "service/slipway-env-permission-check/slipway-svc-permission-check"),
      actions: ["ecs:DescribeServices"],
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
  ];
}

/** The condition keys of the adapter's own requests, whichever an action has. */
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
 * The actions that the role lacks. A role that may not ask lacks that permission, and of the others nothing is known.
 * @throws CloudError `retryable`
 */
export async function findMissingPermissions(call: Call, account: CloudAccount): Promise<readonly string[]> {
  // A large client, needed for this alone.
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
      const answer = await call(account, API, (iam, options) => iam.send(command, options));
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
 * Only what is sure: conditions on keys that are known in a real request alone cannot be answered here, and
 * the simulator leaves policies of an organization that have conditions aside, which can make them look
 * as if they denied (https://docs.aws.amazon.com/IAM/latest/UserGuide/access_policies_testing-policies.html).
 */
export function isLost({
  EvalDecision,
  MissingContextValues = [],
  OrganizationsDecisionDetail,
}: Partial<EvaluationResult>): boolean {
  if (EvalDecision !== "implicitDeny" && EvalDecision !== "explicitDeny") return false;
  return MissingContextValues.length === 0 && OrganizationsDecisionDetail?.AllowedByOrganizations !== false;
}
