import { StopBuildCommand } from "@aws-sdk/client-codebuild";
import { CloudError, type CloudAccount } from "../../cloud.ts";
import type { PlatformService } from "../../platform.ts";
import type { Call } from "../calls.ts";
import { cloudError } from "../errors.ts";
import type { BuildRecord } from "./builds.ts";
import { namesOf } from "./names.ts";
import { pointTo } from "./origins.ts";
import { deleteKey, listKeys, membersPrefix, type Records, serviceKey } from "./records.ts";
import type { Stacks } from "./stacks.ts";

/**
 * Orders that all of a service is deleted, and forgets it. CloudFormation takes minutes: as long as it is at
 * it, a further call says so as `retryable`, and one that failed is ordered again.
 * @throws CloudError
 */
export async function removeService(
  { call, records, stacks }: { call: Call; records: Records; stacks: Stacks },
  account: CloudAccount,
  { serviceId, region }: Omit<PlatformService, "environmentId">,
): Promise<void> {
  // No name of the service's own things has the environment in it.
  const names = namesOf(account, { serviceId, region, environmentId: "" });
  const place = { region, name: names.stack };
  const stack = await stacks.describe(account, place);
  const status = stack?.status ?? "DELETE_COMPLETE";
  if (status === "DELETE_IN_PROGRESS")
    throw unfinished("CloudFormation is still deleting the service's stack.");
  const prefix = membersPrefix(serviceId);
  const members = await records.list(account, prefix);
  const keys = members.map((member) => member.slice(prefix.length));
  if (status !== "DELETE_COMPLETE") {
    await stopBuilds(call, records, account, keys);
    // What a distribution still uses cannot be deleted; those of a removed service are removed as well.
    const pointing = await pointTo(call, account, serviceId, { kind: "nothing" });
    if (pointing.kind === "changing" && pointing.isMore)
      throw unfinished("Distributions of the service are still being changed.");
    const files = { bucket: names.files, region };
    for (const key of await listKeys(call, account, { ...files, prefix: "" })) {
      await deleteKey(call, account, files, key);
    }
    await stacks.delete(account, place);
  }
  await records.delete(account, serviceKey(serviceId));
  for (const member of members) {
    await records.delete(account, member.slice(prefix.length));
    // Last: as long as it is there, the document is found again.
    await records.delete(account, member);
  }
  if (status === "DELETE_FAILED")
    throw unfinished("CloudFormation could not delete the service's stack yet.");
}

function unfinished(message: string): CloudError {
  return cloudError(["retryable", "UNAVAILABLE"], "cloudformation:DeleteStack", { message });
}

async function stopBuilds(
  call: Call,
  records: Records,
  account: CloudAccount,
  keys: readonly string[],
): Promise<void> {
  for (const key of keys.filter((one) => one.startsWith("builds/"))) {
    const build = (await records.read(account, key))?.value as BuildRecord | undefined;
    if (build === undefined || build.end !== null || build.buildId === null) continue;
    const command = new StopBuildCommand({ id: build.buildId });
    try {
      await call(
        account,
        "codebuild:StopBuild",
        (codebuild, options) => codebuild.send(command, options),
        build.service.region,
      );
    } catch (error) {
      if (!(error instanceof CloudError && (error.kind === "gone" || error.kind === "invalid"))) throw error;
    }
  }
}
