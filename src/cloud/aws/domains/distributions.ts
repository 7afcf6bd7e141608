/**
 * CloudFront distributions. An update replaces the whole configuration. So each update starts from CloudFront's
 * current one, changes three fields, and is fenced by the ETag that the caller's decision was based on.
 */
import {
  CreateDistributionWithTagsCommand,
  CreateInvalidationCommand,
  DeleteDistributionCommand,
  type Distribution,
  type DistributionSummary,
  GetDistributionCommand,
  GetDistributionConfigCommand,
  GetInvalidationCommand,
  type Invalidation,
  ListDistributionsCommand,
  UpdateDistributionCommand,
} from "@aws-sdk/client-cloudfront";
import {
  CloudError,
  type Cloud,
  type CloudAccount,
  type DistributionUpdate,
  type ObservedDistribution,
  type ObservedInvalidation,
} from "../../cloud.ts";
import { type Call, required } from "../calls/calls.ts";
import { commentOf, newDistributionConfig, sharesPreviews, withUpdate } from "./distribution-config.ts";
import { cloudError, hasName, nullIfGone } from "../calls/errors.ts";
import { forgetFunctions, viewerFunctionOf, withViewerState } from "./redirect-functions.ts";
import { type FindTarget, previewKeysOf, withPreviewState } from "./preview-routes.ts";
import { keysIn } from "./viewer-functions.ts";
import { accessKeyOf, type PreviewAccess } from "../../preview-access.ts";
import { tagsFor, tokenDigest } from "../calls/tags.ts";

/** All distributions of an account, read as far as the caller goes. @throws CloudError */
export async function* listDistributions(
  call: Call,
  account: CloudAccount,
): AsyncGenerator<DistributionSummary> {
  const api = "cloudfront:ListDistributions";
  let Marker: string | undefined;
  do {
    const answer = await call(account, api, new ListDistributionsCommand({ Marker }));
    const { Items = [], NextMarker } = required(answer.DistributionList, api);
    yield* Items;
    Marker = NextMarker === "" ? undefined : NextMarker;
  } while (Marker !== undefined);
}

/** @param findTarget for the routes of previews */
export function createDistributions(call: Call, findTarget: FindTarget): Cloud["distributions"] {
  async function describe(account: CloudAccount, id: string): Promise<ObservedDistribution | null> {
    const api = "cloudfront:GetDistribution";
    const command = new GetDistributionCommand({ Id: id });
    const answer = await call(account, api, command).catch(nullIfGone);
    return answer && read(answer.Distribution, answer.ETag, api);
  }

  /** The distribution that a token created, after CloudFront has said that it exists. */
  async function adopt(
    account: CloudAccount,
    token: string,
    refusal: unknown,
  ): Promise<ObservedDistribution> {
    const api = "cloudfront:CreateDistribution";
    const id = idInMessage(refusal) ?? (await findByComment(account, commentOf(token)));
    const observed = id === null ? null : await describe(account, id);
    if (observed !== null) return observed;
    // CloudFront's list may lag behind.
    const message = "CloudFront has created the distribution, but does not show it yet.";
    throw cloudError(["retryable", "UNAVAILABLE"], api, { message, cause: refusal });
  }

  async function findByComment(account: CloudAccount, comment: string): Promise<string | null> {
    for await (const { Id, Comment } of listDistributions(call, account))
      if (Id !== undefined && Comment === comment) return Id;
    return null;
  }

  async function update(
    account: CloudAccount,
    id: string,
    update: DistributionUpdate,
  ): Promise<ObservedDistribution> {
    const configApi = "cloudfront:GetDistributionConfig";
    const get = new GetDistributionConfigCommand({ Id: id });
    const present = await call(account, configApi, get);
    const config = required(present.DistributionConfig, configApi);
    const api = "cloudfront:UpdateDistribution";
    // A decision based on an older state must not overwrite another change.
    if (present.ETag !== update.etag) throw cloudError(["retryable", "STALE_ETAG"], api);
    const isShared = sharesPreviews(config);
    if (update.routes !== undefined && !isShared) throw cloudError(["invalid", "INVALID_REQUEST"], api);
    const withState = isShared
      ? await withPreviewState(call, account, id, config, update, findTarget)
      : await withViewerState(call, account, id, config, update);
    const command = new UpdateDistributionCommand({
      Id: id,
      IfMatch: update.etag,
      DistributionConfig: withUpdate(withState, update),
    });
    const answer = await call(account, api, command);
    return read(answer.Distribution, answer.ETag, api);
  }

  /** For a distribution that was created without its access. */
  async function enableWith(
    account: CloudAccount,
    made: ObservedDistribution,
    access: PreviewAccess,
  ): Promise<ObservedDistribution> {
    if (made.accessKey === accessKeyOf(access)) return made;
    const { id, aliases, certificateId, etag } = made;
    return await update(account, id, { aliases, certificateId, enabled: true, access, etag });
  }

  return {
    // Its metrics are in CloudWatch, which the role of a connection must not read.
    traffic: () => Promise.resolve(null),

    async create(account, request) {
      const api = "cloudfront:CreateDistribution";
      const token = tokenDigest(request.token);
      const command = new CreateDistributionWithTagsCommand({
        DistributionConfigWithTags: {
          DistributionConfig: {
            ...newDistributionConfig(token, request.origin),
            // The function of its access can only be made when there is an id. Until then, it answers nothing.
            Enabled: request.access === undefined,
          },
          Tags: { Items: tagsFor(account, token) },
        },
      });
      let made: ObservedDistribution;
      try {
        const answer = await call(account, api, command);
        made = read(answer.Distribution, answer.ETag, api);
      } catch (error) {
        if (!hasName(error, "DistributionAlreadyExists")) throw error;
        made = await adopt(account, token, error);
      }
      return request.access === undefined ? made : await enableWith(account, made, request.access);
    },

    describe,
    update,

    async invalidate(account, id, { token, paths }) {
      const api = "cloudfront:CreateInvalidation";
      const Paths = { Quantity: paths.length, Items: [...paths] };
      const InvalidationBatch = { CallerReference: tokenDigest(token), Paths };
      const command = new CreateInvalidationCommand({ DistributionId: id, InvalidationBatch });
      return readInvalidation((await call(account, api, command)).Invalidation, api);
    },

    async describeInvalidation(account, id, invalidationId) {
      const api = "cloudfront:GetInvalidation";
      const command = new GetInvalidationCommand({ DistributionId: id, Id: invalidationId });
      const answer = await call(account, api, command).catch(nullIfGone);
      return answer && readInvalidation(answer.Invalidation, api);
    },

    forgetRedirects: (account, id) => forgetFunctions(call, account, id),

    async delete(account, id, etag) {
      const command = new DeleteDistributionCommand({ Id: id, IfMatch: etag });
      try {
        await call(account, "cloudfront:DeleteDistribution", command).catch(nullIfGone);
        return "deleted";
      } catch (error) {
        if (hasName(error, "DistributionNotDisabled", "ResourceInUse")) return "not-ready";
        throw error;
      }
    },
  };
}

/** "… is associated with another distribution. Already exists: E1ABC…", as seen with AWS. */
function idInMessage(refusal: unknown): string | null {
  const cause = refusal instanceof CloudError ? refusal.cause : refusal;
  const words = cause instanceof Error ? cause.message : "";
  return /Already exists: ([A-Z0-9]+)/.exec(words)?.[1] ?? null;
}

function read(
  distribution: Distribution | undefined,
  etag: string | undefined,
  api: Parameters<typeof required>[1],
): ObservedDistribution {
  const {
    Id,
    DomainName,
    Status,
    LastModifiedTime,
    DistributionConfig: config,
  } = required(distribution, api);
  const functionArn = viewerFunctionOf(config);
  const keys = keysIn(required(Id, api), functionArn);
  const ofPreviews = previewKeysOf(required(Id, api), functionArn);
  return {
    id: required(Id, api),
    domainName: required(DomainName, api),
    aliases: (config?.Aliases?.Items ?? []).map((alias) => alias.toLowerCase()).sort(),
    // Empty if the answer has the element without a value.
    certificateId: config?.ViewerCertificate?.ACMCertificateArn || null,
    enabled: required(config?.Enabled, api),
    redirectsKey: keys?.redirects ?? null,
    accessKey: keys?.access ?? ofPreviews?.access ?? null,
    routesKey: ofPreviews?.routes ?? null,
    changedAt: required(LastModifiedTime, api),
    deployed: Status === "Deployed",
    etag: required(etag, api),
  };
}

function readInvalidation(
  invalidation: Invalidation | undefined,
  api: Parameters<typeof required>[1],
): ObservedInvalidation {
  const { Id, Status } = required(invalidation, api);
  return { id: required(Id, api), isComplete: required(Status, api).toLowerCase() === "completed" };
}
