import type { CloudAccount } from "../../../cloud.ts";
import type { PlatformService } from "../../../platform.ts";
import type { Call } from "../../calls/calls.ts";
import { namesOf } from "./names.ts";
import { pointTo } from "../origins.ts";
import { emptyBucket } from "../records.ts";

/**
 * Takes one step towards a deletable service stack: CloudFormation cannot delete what a distribution still
 * uses, nor a bucket with files.
 * @returns whether the stack can be deleted now
 */
export async function clearService(
  call: Call,
  account: CloudAccount,
  { serviceId, region }: Pick<PlatformService, "serviceId" | "region">,
): Promise<boolean> {
  const pointing = await pointTo(call, account, serviceId, { kind: "nothing" });
  if (pointing.kind === "changing" || (pointing.kind === "pointed" && !pointing.isDeployed)) return false;
  // The names of the service's own resources do not contain the environment.
  const { files: bucket } = namesOf(account, { serviceId, region, environmentId: "" });
  await emptyBucket(call, account, { bucket, region });
  return true;
}
