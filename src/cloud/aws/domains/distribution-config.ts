/** CloudFront's configuration of a distribution: the initial one, and the three fields that Slipway changes. Pure. */
import type { DistributionConfig, Origin as CdnOrigin, ViewerCertificate } from "@aws-sdk/client-cloudfront";
import type { DistributionUpdate, Origin } from "../../cloud.ts";

/**
 * The id of a service's origin in its distribution. A release finds both by it. Slipway does not change
 * origins with other ids.
 */
export function originIdOf(serviceId: string | undefined): string {
  return serviceId === undefined ? "origin" : `slipway-${serviceId}`;
}

/** The origin that shows a distribution of previews; no request goes to it. Each of their services has one beside it. */
export const PREVIEWS_ORIGIN = "slipway-previews";

/** Whether the services of previews share a distribution. */
export function sharesPreviews({ Origins }: Pick<DistributionConfig, "Origins">): boolean {
  return Origins?.Items?.some(({ Id }) => Id === PREVIEWS_ORIGIN) === true;
}

/** The service whose live release a distribution serves. */
export function serviceOf(origin: Origin): string | undefined {
  return "serviceId" in origin ? origin.serviceId : undefined;
}

/**
 * AWS's managed policies; the ids are the same in every account
 * (https://docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/using-managed-cache-policies.html).
 */
const CACHING_DISABLED = "4135ea2d-6df8-44a3-9df3-4b5a84be39ad";
const ALL_VIEWER_EXCEPT_HOST_HEADER = "b689b0a8-53d0-40ab-baf2-68738e2966ac";
export const ALL_VIEWER = "216adef6-5c7f-47e4-b989-5492eafa07d3";

/** Never resolves (RFC 6761, section 6.4), so CloudFront answers 502 until the first release. */
export const NO_HOST = "nothing-released.invalid";

/** An origin before the first release, or an outside host. */
export function emptyOrigin(id: string, hostname: string = NO_HOST): CdnOrigin {
  return {
    Id: id,
    DomainName: hostname,
    CustomOriginConfig: {
      HTTPPort: 80,
      HTTPSPort: 443,
      OriginProtocolPolicy: "https-only",
      OriginSslProtocols: { Quantity: 1, Items: ["TLSv1.2"] },
    },
  };
}

/** @param token also stored in the comment, to find the distribution in a list */
export function newDistributionConfig(token: string, origin: Origin): DistributionConfig {
  const originId = origin.kind === "previews" ? PREVIEWS_ORIGIN : originIdOf(serviceOf(origin));
  return {
    CallerReference: token,
    Comment: commentOf(token),
    Enabled: true,
    HttpVersion: "http2and3",
    IsIPV6Enabled: true,
    Origins: {
      Quantity: 1,
      Items: [emptyOrigin(originId, origin.kind === "host" ? origin.hostname : NO_HOST)],
    },
    DefaultCacheBehavior: {
      TargetOriginId: originId,
      ViewerProtocolPolicy: "redirect-to-https",
      Compress: true,
      AllowedMethods: {
        Quantity: 7,
        Items: ["GET", "HEAD", "OPTIONS", "PUT", "POST", "PATCH", "DELETE"],
        CachedMethods: { Quantity: 2, Items: ["GET", "HEAD"] },
      },
      // Caching is up to the customer, who can set another policy; updates keep it.
      CachePolicyId: CACHING_DISABLED,
      OriginRequestPolicyId: ALL_VIEWER_EXCEPT_HOST_HEADER,
    },
  };
}

/** @returns the comment of the distribution that a token created */
export function commentOf(token: string): string {
  return `Made by Slipway (${token})`;
}

/** The whole configuration with the desired aliases, certificate and `enabled`; everything else is unchanged. */
export function withUpdate(config: DistributionConfig, update: DistributionUpdate): DistributionConfig {
  const aliases = update.aliases.map((alias) => alias.toLowerCase()).sort();
  return {
    ...config,
    Enabled: update.enabled,
    Aliases: { Quantity: aliases.length, ...(aliases.length > 0 ? { Items: aliases } : {}) },
    ViewerCertificate: withCertificate(config.ViewerCertificate, update.certificateId),
  };
}

function withCertificate(present: ViewerCertificate | undefined, id: string | null): ViewerCertificate {
  if (id === null) return { CloudFrontDefaultCertificate: true };
  // Keep a protocol version that the customer chose, unless it is the one for a missing certificate.
  const chosen = present?.ACMCertificateArn === undefined ? undefined : present.MinimumProtocolVersion;
  return {
    CloudFrontDefaultCertificate: false,
    ACMCertificateArn: id,
    SSLSupportMethod: "sni-only",
    MinimumProtocolVersion: chosen ?? "TLSv1.2_2021",
  };
}
