import { type DistributionSummary, ListDistributionsCommand } from "@aws-sdk/client-cloudfront";
import type { CloudAccount } from "../../cloud.ts";
import { type Call, required } from "../calls/calls.ts";

/** All distributions of an account, a page at a time, read as far as the caller goes. @throws CloudError */
export async function* listDistributions(
  call: Call,
  account: CloudAccount,
): AsyncGenerator<readonly DistributionSummary[]> {
  const api = "cloudfront:ListDistributions";
  let marker: string | undefined;
  do {
    const command = new ListDistributionsCommand({ Marker: marker });
    const answer = await call(account, api, (cdn, options) => cdn.send(command, options));
    const { Items = [], NextMarker } = required(answer.DistributionList, api);
    yield Items;
    marker = NextMarker === "" ? undefined : NextMarker;
  } while (marker !== undefined);
}
