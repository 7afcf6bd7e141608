/** Whether a build's result exists, and its permanent name. */
import { DescribeImagesCommand } from "@aws-sdk/client-ecr";
import type { CloudAccount } from "../../cloud.ts";
import { type Call, required } from "../calls/calls.ts";
import { nullIfGone } from "../calls/errors.ts";
import { listKeys } from "./records.ts";

/** @returns the image's digest; null if there is no image */
export async function findImage(
  call: Call,
  account: CloudAccount,
  region: string,
  repositoryName: string,
  image: { readonly imageTag: string } | { readonly imageDigest: string },
): Promise<string | null> {
  const api = "ecr:DescribeImages";
  const command = new DescribeImagesCommand({ repositoryName, imageIds: [image] });
  const answer = await call(account, api, command, region).catch(nullIfGone);
  return answer === null ? null : (required(answer.imageDetails, api)[0]?.imageDigest ?? null);
}

export async function hasFiles(
  call: Call,
  account: CloudAccount,
  place: { readonly bucket: string; readonly region: string },
  folder: string,
): Promise<boolean> {
  const prefix = `${folder}/`;
  return (await listKeys(call, account, { ...place, prefix, limit: 1 })).length > 0;
}
