/** The origin of a service in its distributions. Pure. */
import type { Origin } from "@aws-sdk/client-cloudfront";
import { emptyOrigin, originIdOf } from "./distribution-config.ts";

/** What a service's distributions point to. */
export type Target =
  | { readonly kind: "nothing" }
  | {
      readonly kind: "files";
      readonly domain: string;
      readonly path: string;
      readonly access: string;
      readonly functionArn: string;
    }
  | { readonly kind: "balancer"; readonly domain: string; readonly vpcOriginId: string };

/** CloudFront sets it for each of its distributions, also if a visitor's request has it. */
export const SERVICE_HEADER = "x-slipway-service";

export function originFor(serviceId: string, target: Target): Origin {
  const Id = originIdOf(serviceId);
  switch (target.kind) {
    case "nothing":
      return emptyOrigin(Id);
    case "files":
      return {
        Id,
        DomainName: target.domain,
        OriginPath: target.path,
        OriginAccessControlId: target.access,
        // Empty: the legacy way of access is not used.
        S3OriginConfig: { OriginAccessIdentity: "" },
      };
    case "balancer":
      return {
        Id,
        DomainName: target.domain,
        // By this header, the load balancer of several services chooses this one.
        CustomHeaders: { Quantity: 1, Items: [{ HeaderName: SERVICE_HEADER, HeaderValue: serviceId }] },
        VpcOriginConfig: { VpcOriginId: target.vpcOriginId },
      };
  }
}
