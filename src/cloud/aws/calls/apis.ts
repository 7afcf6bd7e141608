/**
 * Every AWS operation that the adapter uses, by IAM action, with its region and the rate at which one account
 * may be called. The rates are AWS's documented quotas; where there is none, they are below what is usually
 * observed. A throttling answer empties the bucket in any case.
 * `docs/reference/aws.md` has the table, with why repeating each is safe.
 */
import type { Rate } from "../../../lib/pace/token-bucket.ts";

/** `together`: the name of a rate that several operations share. */
type Pace = Rate & { readonly together?: string };

/** https://docs.aws.amazon.com/Route53/latest/DeveloperGuide/DNSLimitations.html (5 a second, of all operations together) */
const ROUTE53 = { perSecond: 5, burst: 5, together: "route53" } as const;

/** The region of CloudFront and of ACM certificates for it. */
export const GLOBAL_REGION = "us-east-1";

export const APIS = {
  // https://docs.aws.amazon.com/acm/latest/userguide/acm-limits.html (API rate quotas)
  "acm:RequestCertificate": { perSecond: 5, burst: 5 },
  "acm:DescribeCertificate": { perSecond: 10, burst: 10 },
  "acm:DeleteCertificate": { perSecond: 5, burst: 5 },
  "acm:ListCertificates": { perSecond: 1, burst: 5 },
  "acm:ListTagsForCertificate": { perSecond: 10, burst: 10 },
  // CloudFront documents no rates. These are below what accounts are observed to get.
  "cloudfront:CreateDistribution": { perSecond: 1, burst: 5 },
  "cloudfront:GetDistribution": { perSecond: 5, burst: 20 },
  "cloudfront:GetDistributionConfig": { perSecond: 5, burst: 20 },
  "cloudfront:UpdateDistribution": { perSecond: 1, burst: 5 },
  "cloudfront:DeleteDistribution": { perSecond: 1, burst: 5 },
  "cloudfront:ListDistributions": { perSecond: 1, burst: 5 },
  "cloudfront:CreateInvalidation": { perSecond: 1, burst: 5 },
  "cloudfront:GetInvalidation": { perSecond: 5, burst: 20 },
  "cloudfront:CreateFunction": { perSecond: 1, burst: 5 },
  "cloudfront:DescribeFunction": { perSecond: 5, burst: 20 },
  "cloudfront:GetFunction": { perSecond: 5, burst: 20 },
  "cloudfront:PublishFunction": { perSecond: 1, burst: 5 },
  "cloudfront:DeleteFunction": { perSecond: 1, burst: 5 },
  "cloudfront:ListFunctions": { perSecond: 1, burst: 5 },
  // https://docs.aws.amazon.com/general/latest/gr/ssm.html (3 PutParameter a second without higher throughput)
  "ssm:PutParameter": { perSecond: 3, burst: 3 },
  "ssm:DescribeParameters": { perSecond: 5, burst: 10 },
  "ssm:ListTagsForResource": { perSecond: 10, burst: 10 },
  "ssm:DeleteParameter": { perSecond: 3, burst: 3 },
  // https://docs.aws.amazon.com/secretsmanager/latest/userguide/reference_limits.html
  "secretsmanager:CreateSecret": { perSecond: 40, burst: 40 },
  "secretsmanager:PutSecretValue": { perSecond: 40, burst: 40 },
  "secretsmanager:DescribeSecret": { perSecond: 40, burst: 40 },
  "secretsmanager:RestoreSecret": { perSecond: 40, burst: 40 },
  "secretsmanager:DeleteSecret": { perSecond: 40, burst: 40 },
  // CloudFormation, CodeBuild and ECR document no rates for these, or much higher ones.
  "cloudformation:DescribeStacks": { perSecond: 5, burst: 20 },
  "cloudformation:DescribeStackEvents": { perSecond: 5, burst: 20 },
  "cloudformation:CreateStack": { perSecond: 1, burst: 10 },
  "cloudformation:UpdateStack": { perSecond: 1, burst: 10 },
  "cloudformation:CancelUpdateStack": { perSecond: 1, burst: 10 },
  "cloudformation:ContinueUpdateRollback": { perSecond: 1, burst: 10 },
  "cloudformation:DeleteStack": { perSecond: 1, burst: 10 },
  "codebuild:StartBuild": { perSecond: 5, burst: 10 },
  "codebuild:StopBuild": { perSecond: 5, burst: 10 },
  "codebuild:BatchGetBuilds": { perSecond: 5, burst: 20 },
  "codebuild:ListBuildsForProject": { perSecond: 2, burst: 10 },
  "ecr:DescribeImages": { perSecond: 10, burst: 20 },
  // https://docs.aws.amazon.com/AmazonECS/latest/APIReference/request-throttling.html (20 a second for reads of clusters)
  "ecs:ListTasks": { perSecond: 5, burst: 10 },
  "ecs:DescribeTasks": { perSecond: 10, burst: 20 },
  "ecs:DescribeServices": { perSecond: 5, burst: 10 },
  "ecs:UpdateService": { perSecond: 2, burst: 10 },
  "ecs:StopTask": { perSecond: 5, burst: 10 },
  // https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/cloudwatch_limits_cwl.html (10 in the slower regions)
  "logs:FilterLogEvents": { perSecond: 5, burst: 10 },
  // https://docs.aws.amazon.com/AmazonS3/latest/userguide/optimizing-performance.html (thousands a second)
  "s3:CreateBucket": { perSecond: 10, burst: 50 },
  "s3:ListBucket": { perSecond: 50, burst: 50 },
  "s3:GetObject": { perSecond: 200, burst: 200 },
  "s3:PutObject": { perSecond: 100, burst: 100 },
  "s3:DeleteObject": { perSecond: 100, burst: 100 },
  // One function that runs for seconds: https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html
  "lambda:InvokeFunction": { perSecond: 5, burst: 20 },
  // RDS and ElastiCache document no rates; a snapshot takes minutes.
  "rds:DescribeDBInstances": { perSecond: 5, burst: 20 },
  "rds:CreateDBSnapshot": { perSecond: 1, burst: 5 },
  "rds:DescribeDBSnapshots": { perSecond: 5, burst: 20 },
  "rds:DeleteDBSnapshot": { perSecond: 1, burst: 5 },
  "elasticache:DescribeReplicationGroups": { perSecond: 5, burst: 20 },
  "elasticache:CreateSnapshot": { perSecond: 1, burst: 5 },
  "elasticache:DescribeSnapshots": { perSecond: 5, burst: 20 },
  "elasticache:DeleteSnapshot": { perSecond: 1, burst: 5 },
  "route53:ListHostedZonesByName": ROUTE53,
  "route53:GetHostedZone": ROUTE53,
  "route53:ListResourceRecordSets": ROUTE53,
  "route53:ChangeResourceRecordSets": ROUTE53,
  // IAM documents no rates; a check makes a dozen calls.
  "iam:SimulatePrincipalPolicy": { perSecond: 5, burst: 30 },
} as const satisfies Readonly<Record<string, Pace>>;

export type Api = keyof typeof APIS;

/** The rate of an operation, and the name of its bucket, which operations with a common rate share. */
export function paceOf(api: Api): { readonly bucket: string; readonly rate: Rate } {
  const pace: Pace = APIS[api];
  return { bucket: pace.together ?? api, rate: pace };
}

export type Service = Api extends `${infer S}:${string}` ? S : never;

export function serviceOf(api: Api): Service {
  // Each name begins with its service, which the compiler cannot know.
  return api.slice(0, api.indexOf(":")) as Service;
}
