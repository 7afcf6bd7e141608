import { LOG_RETENTION_DEFAULT, type PlatformService } from "../../../../platform.ts";
import type { ServiceNames } from "../names.ts";
import { getAtt, ref, type Resources, sub } from "./template.ts";

/** The image that builds run in; it has Docker, git and the AWS CLI. */
const BUILD_IMAGE = "aws/codebuild/amazonlinux-x86_64-standard:5.0";

const READ_VALUES = ["ssm:GetParameters", "secretsmanager:GetSecretValue"];

/** In the region of the stack, which is the service's region. */
function storedValues(service: "ssm" | "secretsmanager", name: string) {
  return sub(`arn:\${AWS::Partition}:${service}:\${AWS::Region}:\${AWS::AccountId}:${name}`);
}

/**
 * The resources that build a service and keep the results. They are the same for each type of service, so that a
 * service may change its type, and builds never wait for a change of the stack.
 */
export function buildResources(names: ServiceNames, buildRole: unknown, release: string | null): Resources {
  return {
    // The output of builds. CodeBuild would create this log without a retention limit.
    BuildLog: {
      Type: "AWS::Logs::LogGroup",
      Properties: { LogGroupName: names.buildLog, RetentionInDays: LOG_RETENTION_DEFAULT },
    },
    // Images of web and worker services. Tags are immutable, so a build's tag always means that build's digest.
    Images: {
      Type: "AWS::ECR::Repository",
      Properties: { RepositoryName: names.project, ImageTagMutability: "IMMUTABLE", EmptyOnDelete: true },
    },
    // Files of static services, a folder for each build. Private: only CloudFront reads it.
    Files: {
      Type: "AWS::S3::Bucket",
      Properties: {
        BucketName: names.files,
        PublicAccessBlockConfiguration: {
          BlockPublicAcls: true,
          BlockPublicPolicy: true,
          IgnorePublicAcls: true,
          RestrictPublicBuckets: true,
        },
        OwnershipControls: { Rules: [{ ObjectOwnership: "BucketOwnerEnforced" }] },
        // A release must change at least one resource, or CloudFormation finds nothing to update.
        ...(release === null ? {} : { Tags: [{ Key: "slipway:release", Value: release }] }),
      },
    },
    // Fetches a commit, builds it and pushes the result. Each build brings its own instructions.
    Build: {
      Type: "AWS::CodeBuild::Project",
      Properties: {
        Name: names.project,
        Description: "Builds one of Slipway's services.",
        ServiceRole: buildRole,
        Artifacts: { Type: "NO_ARTIFACTS" },
        Source: { Type: "NO_SOURCE", BuildSpec: "version: 0.2\nphases: { build: { commands: ['exit 1'] } }" },
        Environment: {
          Type: "LINUX_CONTAINER",
          ComputeType: "BUILD_GENERAL1_SMALL",
          Image: BUILD_IMAGE,
          EnvironmentVariables: [
            { Name: "SLIPWAY_IMAGES", Value: getAtt("Images", "RepositoryUri") },
            { Name: "SLIPWAY_FILES", Value: ref("Files") },
          ],
        },
        LogsConfig: { CloudWatchLogs: { Status: "ENABLED", GroupName: ref("BuildLog") } },
      },
    },
  };
}

/** The role of a service's builds for a connection with a stack of version 1, which does not create this role. */
export function buildRoleResource(
  { environmentId, templateId, isFork }: Pick<PlatformService, "environmentId" | "templateId" | "isFork">,
  boundaryArn: string,
): Resources {
  const folders = [
    `slipway/*/${environmentId}/*`,
    ...(templateId === undefined ? [] : [`slipway/*/${templateId}/previews/*`]),
  ];
  return {
    // Builds run code of repositories. This role can only write this service's log, images and files, and read the
    // managed variables of its environment, and those of its template for previews.
    BuildRole: {
      Type: "AWS::IAM::Role",
      Properties: {
        Path: "/slipway/",
        Description: "Builds of one of Slipway's services.",
        PermissionsBoundary: boundaryArn,
        AssumeRolePolicyDocument: {
          Version: "2012-10-17",
          Statement: [
            {
              Effect: "Allow",
              Principal: { Service: "codebuild.amazonaws.com" },
              Action: "sts:AssumeRole",
              Condition: { StringEquals: { "aws:SourceAccount": ref("AWS::AccountId") } },
            },
          ],
        },
        Policies: [
          {
            PolicyName: "slipway",
            PolicyDocument: {
              Version: "2012-10-17",
              Statement: [
                { Effect: "Allow", Action: "ecr:GetAuthorizationToken", Resource: "*" },
                {
                  Effect: "Allow",
                  Action: [
                    "ecr:BatchCheckLayerAvailability",
                    "ecr:BatchGetImage",
                    "ecr:InitiateLayerUpload",
                    "ecr:UploadLayerPart",
                    "ecr:CompleteLayerUpload",
                    "ecr:PutImage",
                  ],
                  Resource: getAtt("Images", "Arn"),
                },
                {
                  Effect: "Allow",
                  Action: ["logs:CreateLogStream", "logs:PutLogEvents"],
                  Resource: getAtt("BuildLog", "Arn"),
                },
                { Effect: "Allow", Action: "s3:PutObject", Resource: sub("${Files.Arn}/commits/*") },
                {
                  Effect: "Allow",
                  Action: READ_VALUES,
                  Resource: folders.flatMap((folder) => [
                    storedValues("ssm", `parameter/${folder}`),
                    storedValues("secretsmanager", `secret:${folder}`),
                  ]),
                },
                // The customer's own secrets, which the customer has tagged for it, but not for the code of a fork.
                ...(isFork === true
                  ? []
                  : [
                      {
                        Effect: "Allow",
                        Action: READ_VALUES,
                        Resource: [
                          storedValues("ssm", "parameter/*"),
                          storedValues("secretsmanager", "secret:*"),
                        ],
                        Condition: { StringEquals: { "aws:ResourceTag/slipway:readable": "true" } },
                      },
                    ]),
              ],
            },
          },
        ],
      },
    },
  };
}
