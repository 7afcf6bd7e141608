/** The stack of a service: what builds it, and, from its first release on, what runs or serves it. */
import type { CloudAccount } from "../../../../cloud.ts";
import type { PlatformService, RuntimeVariable, Workload } from "../../../../platform.ts";
import { buildResources, buildRoleResource } from "./build-resources.ts";
import { KEPT_OUTPUTS, OWN_OUTPUTS, placeOutputs } from "./balancer-resources.ts";
import { containerResources, ECS_SERVICE_OUTPUT, type Routing } from "./container-resources.ts";
import { writeIndexFunction } from "../../../domains/viewer-functions.ts";
import { buildBoundaryOf, namesOf, networkOf, type ServiceNames } from "../names.ts";
import { getAtt, type Output, ref, type Resources, sub, type Template } from "./template.ts";

export type TemplateRelease = {
  /** The digest of the release's token. */
  readonly digest: string;
  readonly workload: Workload;
  readonly artifact: string;
  readonly variables: readonly RuntimeVariable[];
  /** The ARN of the role for ECS's agent; null for a static service. */
  readonly runRole: string | null;
  /** Only of a web service. */
  readonly routing: Routing | null;
};

/**
 * Pure. Without a release, the template only contains what builds the service.
 * @param buildRole the ARN of the role of builds; null: a role in this stack (`roles.ts`)
 * @throws RangeError for a size that Fargate does not offer
 */
export function serviceTemplate(
  account: CloudAccount,
  service: PlatformService,
  buildRole: string | null,
  release: TemplateRelease | null,
): Template {
  const names = namesOf(account, service);
  const build = {
    ...(buildRole === null ? buildRoleResource(service, buildBoundaryOf(account)) : {}),
    ...buildResources(names, buildRole ?? getAtt("BuildRole", "Arn"), release?.digest ?? null),
  };
  const parts = release === null ? { Resources: {}, Outputs: {} } : releaseParts(account, service, release);
  return {
    AWSTemplateFormatVersion: "2010-09-09",
    Description: `Slipway: the service ${service.serviceId}.`,
    Resources: { ...build, ...parts.Resources },
    Outputs: {
      Images: { Value: getAtt("Images", "RepositoryUri") },
      ...parts.Outputs,
    },
  };
}

function releaseParts(
  account: CloudAccount,
  service: PlatformService,
  { digest, workload, artifact, variables, runRole, routing }: TemplateRelease,
): Pick<Template, "Resources" | "Outputs"> {
  const names = namesOf(account, service);
  if (workload.type === "static")
    return { Resources: siteResources(names, workload), Outputs: siteOutputs(artifact) };
  const { serviceId } = service;
  const networkId = networkOf(service);
  const images = getAtt("Images", "RepositoryUri");
  const container = { serviceId, networkId, routing, digest, images, artifact, variables };
  if (runRole === null) throw new TypeError("Containers need a role to start.");
  const Resources = containerResources(names, runRole, workload, container);
  const Outputs = {
    ...runOutputs(digest),
    ...(workload.type === "scheduler" ? {} : { [ECS_SERVICE_OUTPUT]: { Value: ref("Service") } }),
  };
  return { Resources, Outputs: routing === null ? Outputs : { ...Outputs, ...webOutputs(routing) } };
}

/** What starting a command takes (`executions/executions.ts`). */
function runOutputs(digest: string): Record<string, Output> {
  return {
    Runs: { Value: ref("Runs") },
    RunAccess: { Value: getAtt("InstanceAccess", "GroupId") },
    RunRelease: { Value: digest },
  };
}

function webOutputs(routing: Routing): Readonly<Record<string, Output>> {
  if (routing.kind === "own") return OWN_OUTPUTS;
  return { ...placeOutputs(routing.place), ...(routing.kind === "both" ? KEPT_OUTPUTS : {}) };
}

/** The resources that let CloudFront serve a static service's files. */
function siteResources(
  names: ServiceNames,
  { singlePageApp = false }: Extract<Workload, { type: "static" }>,
): Resources {
  return {
    // CloudFront signs its requests to the bucket with this; unsigned requests are refused.
    FileAccess: {
      Type: "AWS::CloudFront::OriginAccessControl",
      Properties: {
        OriginAccessControlConfig: {
          Name: names.project,
          OriginAccessControlOriginType: "s3",
          SigningBehavior: "always",
          SigningProtocol: "sigv4",
        },
      },
    },
    // Lets distributions of this account read files. With ListBucket, a missing file is a 404 instead of a 403.
    FilesPolicy: {
      Type: "AWS::S3::BucketPolicy",
      Properties: {
        Bucket: ref("Files"),
        PolicyDocument: {
          Version: "2012-10-17",
          Statement: [
            {
              Effect: "Allow",
              Principal: { Service: "cloudfront.amazonaws.com" },
              Action: ["s3:GetObject", "s3:ListBucket"],
              Resource: [getAtt("Files", "Arn"), sub("${Files.Arn}/*")],
              Condition: { StringEquals: { "aws:SourceAccount": ref("AWS::AccountId") } },
            },
          ],
        },
      },
    },
    // Turns a folder's address into its index.html, and /page into /page.html; of a single-page app, both into /index.html.
    Index: {
      Type: "AWS::CloudFront::Function",
      Properties: {
        Name: names.project,
        AutoPublish: true,
        FunctionCode: writeIndexFunction(singlePageApp),
        FunctionConfig: {
          Comment: "Pages of one of Slipway's static services",
          Runtime: "cloudfront-js-2.0",
        },
      },
    },
  };
}

/** The outputs that distributions point to (`origins.ts`). */
function siteOutputs(artifact: string): Record<string, Output> {
  return {
    OriginDomain: { Value: getAtt("Files", "RegionalDomainName") },
    OriginPath: { Value: `/${artifact}` },
    OriginAccess: { Value: ref("FileAccess") },
    OriginFunction: { Value: getAtt("Index", "FunctionARN") },
  };
}
