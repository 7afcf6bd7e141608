/** Images that services name instead of a build: which one a name stands for now. */
import { CloudError, type CloudAccount } from "../../../cloud.ts";
import type { SafeFetch } from "../../../../egress/safe-fetch.ts";
import type { Call } from "../../calls/calls.ts";
import { findImage } from "../artifacts.ts";
import { findDigest, type ImageFailure, type ImageName, parseImageName } from "./registry.ts";

export type Images = {
  /** @returns `NAME@DIGEST`, or why the image cannot run @throws CloudError */
  find(account: CloudAccount, image: string): Promise<string | ImageFailure>;
};

/** A registry of an AWS account. */
const ECR = /^(?<accountId>\d{12})\.dkr\.ecr\.(?<region>[a-z]{2}(?:-[a-z]+)+-\d)\.amazonaws\.com(?:\.cn)?$/;

export function createImages(call: Call, registries: SafeFetch): Images {
  async function findOwn(
    account: CloudAccount,
    region: string,
    { repository, tag, digest }: ImageName,
  ): Promise<string | ImageFailure> {
    // Those of other services, which are removed with them.
    if (repository.startsWith("slipway-")) {
      const message = `The repository ${repository} belongs to Slipway. Push the image to a repository of your own.`;
      return { code: "IMAGE_NOT_ALLOWED", message };
    }
    const wanted = digest === null ? { imageTag: tag } : { imageDigest: digest };
    try {
      const found = await findImage(call, account, region, repository, wanted);
      if (found !== null) return found;
      const message = `The repository ${repository} of ECR in ${region} has no image ${digest ?? tag}. Push it, or correct image.`;
      return { code: "IMAGE_NOT_FOUND", message };
    } catch (error) {
      if (!(error instanceof CloudError && error.kind === "denied")) throw error;
      const message = `Slipway may not read the repository ${repository} of ECR in ${region}. Give it the tag slipway:readable = true, and update the connection's stack if it is of an earlier version.`;
      return { code: "IMAGE_NOT_READABLE", message };
    }
  }

  return {
    async find(account, image) {
      const parsed = parseImageName(image);
      const { accountId, region } = ECR.exec(parsed.registry)?.groups ?? {};
      const found =
        region !== undefined && accountId === account.accountId
          ? await findOwn(account, region, parsed)
          : (parsed.digest ?? (await findDigest(registries, parsed)));
      return typeof found === "string" ? `${parsed.name}@${found}` : found;
    },
  };
}
