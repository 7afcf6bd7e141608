import type { CloudAccount } from "../../../cloud.ts";
import type { PlatformService } from "../../../platform.ts";
import type { Call } from "../../calls/calls.ts";
import { namesOf } from "./names.ts";
import { pointTo } from "../origins.ts";
import { emptyBucket } from "../records.ts";

/**
 * One step towards a service's stack that can be deleted: CloudFormation deletes nothing that a distribution
 * still uses, and no bucket with files in it.
 * @returns whether it can be
 */
export async function clearService(
  call: Call,
  account: CloudAccount,
  { serviceId, region }: Pick<PlatformService, "serviceId" | "region">,
): Promise<boolean> {
  const pointing = await pointTo(call, account, serviceId, { kind: "nothing" });
  if (pointing.kind === "changing" || (pointing.kind === "pointed" && !pointing.isDeployed)) return false;
  // No name of the service's own things has the environment in it.
  const { files: bucket } = namesOf(account, { serviceId, region, environmentId: "" });
  await emptyBucket(call, account, { bucket, region });
  return true;
}
