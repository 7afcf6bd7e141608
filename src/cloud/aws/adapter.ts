/** The cloud adapter for AWS. Only this folder uses the SDK. */
import type { Cloud } from "../cloud.ts";
import { STORE_TYPES } from "../data-stores.ts";
import { type CallPolicy, createCallPolicy } from "../calls/policy.ts";
import type { Platform } from "../platform.ts";
import { parseAllowedHosts } from "../../egress/address-rules.ts";
import { createSafeFetch, type SafeFetch } from "../../egress/safe-fetch.ts";
import { createBuckets, type TokenBuckets } from "../../lib/pace/token-bucket.ts";
import { createCall } from "./calls/calls.ts";
import { createCertificates } from "./domains/certificates.ts";
import { serviceOf } from "./domains/distribution-config.ts";
import { createDistributions } from "./domains/distributions.ts";
import { createIdentity } from "./account/identity.ts";
import { createParameters } from "./values/parameters.ts";
import { pointOne } from "./platform/origins.ts";
import { createPlatform } from "./platform/platform.ts";
import { createSdk } from "./calls/sdk.ts";
import { createSecrets } from "./values/secrets.ts";
import { createSessions } from "./calls/sessions.ts";
import { createZones } from "./domains/zones.ts";
import { makeStack } from "./stack/template.ts";

/** ACM's issuers, any of which a CAA record must allow (https://docs.aws.amazon.com/acm/latest/userguide/setup-caa.html). */
const CAA_ISSUERS = ["amazon.com", "amazontrust.com", "awstrust.com", "amazonaws.com"];

/** A look-up takes up to three requests, within the time of a call. */
const REGISTRY_TIMES = { connectTimeoutMs: 5_000, totalTimeoutMs: 10_000 };

export type AwsOptions = {
  /** Where CloudFormation reads the template of a connection's stack. */
  readonly templateUrl: string;
  /** Null: the SDK decides (`AWS_ENDPOINT_URL`, or AWS itself). */
  readonly endpoint?: string | null;
  /** By default, the adapter creates its own. */
  readonly policy?: CallPolicy;
  /** Buckets that are shared with other processes. */
  readonly buckets?: TokenBuckets;
  /** Asks registries of images. */
  readonly registries?: SafeFetch;
};

/** The cloud and its platform, which share one rate limit per account. */
export function createAws(options: AwsOptions): { readonly cloud: Cloud; readonly platform: Platform } {
  const { policy = createCallPolicy(), buckets = createBuckets() } = options;
  const { registries = createSafeFetch({ allowedHosts: parseAllowedHosts([]), ...REGISTRY_TIMES }) } =
    options;
  const sdk = createSdk({ endpoint: options.endpoint ?? null });
  const sessions = createSessions(sdk);
  const call = createCall({ sdk, sessions, buckets, policy });
  const { findTarget, ...platform } = createPlatform(call, registries);
  const distributions = createDistributions(call, findTarget);
  const cloud: Cloud = {
    kind: "aws",
    caaIssuers: () => Promise.resolve(CAA_ISSUERS),
    // CloudFront serves the files of a static service only after its release.
    servesRepositories: false,
    sleeps: false,
    keepsLogsByDays: true,
    buildsDockerfiles: true,
    runsImages: true,
    scalesInstances: true,
    cachesAnswers: true,
    joinsValues: false,
    readsOtherSecrets: true,
    createsStores: STORE_TYPES,
    sizesStores: true,
    provesByConnection: false,
    stackFor: (connectionId) => makeStack(options.templateUrl, connectionId),
    identity: createIdentity({ sdk, sessions, call, policy }),
    certificates: createCertificates(call),
    distributions: {
      ...distributions,
      async create(account, request) {
        const made = await distributions.create(account, request);
        const serviceId = serviceOf(request.origin);
        const target = serviceId === undefined ? null : await findTarget(account, serviceId);
        if (serviceId === undefined || target === null) return made;
        if (!(await pointOne(call, account, made.id, serviceId, target))) return made;
        return (await distributions.describe(account, made.id)) ?? made;
      },
    },
    zones: createZones(call),
    parameters: createParameters(call),
    secrets: createSecrets(call),
  };
  return { cloud: policy.each(cloud), platform: policy.each<Platform>(platform) };
}
