/** The stack of what runs before a release of a service (`releases/prepare.ts`). */
import type { CloudAccount } from "../../../../cloud.ts";
import type { PlatformService } from "../../../../platform.ts";
import { namesOf, networkOf } from "../names.ts";
import { commandResources, type ContainerWorkload } from "./container-resources.ts";
import type { TemplateRelease } from "./service-template.ts";
import { getAtt, ref, sub, type Template } from "./template.ts";

/** Pure. @throws RangeError for a size that Fargate does not offer */
export function prepareTemplate(
  account: CloudAccount,
  service: PlatformService,
  {
    digest,
    workload,
    artifact,
    variables,
    runRole,
  }: Pick<TemplateRelease, "digest" | "artifact" | "variables"> & {
    readonly workload: ContainerWorkload;
    readonly runRole: string;
  },
): Template {
  const names = namesOf(account, service);
  // Of the service's stack, which this one must not import from: it could not be deleted before.
  const images = sub(`\${AWS::AccountId}.dkr.ecr.\${AWS::Region}.\${AWS::URLSuffix}/${names.project}`);
  const release = { networkId: networkOf(service), digest, artifact, variables, images };
  return {
    AWSTemplateFormatVersion: "2010-09-09",
    Description: `Slipway: what runs before a release of the service ${service.serviceId}.`,
    Resources: commandResources(
      { log: names.prepareLog, family: names.prepares },
      runRole,
      workload,
      release,
      [],
    ),
    Outputs: { Runs: { Value: ref("Runs") }, RunAccess: { Value: getAtt("InstanceAccess", "GroupId") } },
  };
}
