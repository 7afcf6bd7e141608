/** The cloud that the rest of Slipway sees on AWS. Nothing of the SDK leaves this folder. */
import type { Cloud } from "../cloud.ts";
import { type CallPolicy, createCallPolicy } from "../calls/policy.ts";
import type { Platform } from "../platform.ts";
import type { TokenBuckets } from "../../lib/token-bucket.ts";
import { createBuckets } from "./calls/buckets.ts";
import { createCall } from "./calls/calls.ts";
import { createCertificates } from "./domains/certificates.ts";
import { createDistributions } from "./domains/distributions.ts";
import { createIdentity } from "./account/identity.ts";
import { createParameters } from "./values/parameters.ts";
import { createPlatform } from "./platform/platform.ts";
import { createSdk } from "./calls/sdk.ts";
import { createSecrets } from "./values/secrets.ts";
import { createSessions } from "./calls/sessions.ts";
import { makeStack } from "./stack/stack.ts";

/** ACM's issuers, any of which a CAA record must allow (https://docs.aws.amazon.com/acm/latest/userguide/setup-caa.html). */
const CAA_ISSUERS = ["amazon.com", "amazontrust.com", "awstrust.com", "amazonaws.com"];

export type AwsOptions = {
  /** Where CloudFormation reads the template of the connection's stack. */
  readonly templateUrl: string;
  /** Null: as the SDK finds it (`AWS_ENDPOINT_URL`, or AWS itself). */
  readonly endpoint?: string | null;
  /** One of its own when left out. */
  readonly policy?: CallPolicy;
  /** Where other processes make calls too: the buckets that all share. */
  readonly buckets?: TokenBuckets;
};

/** The cloud, and the platform in it; both keep to one pace for each account. */
export function createAws(options: AwsOptions): { readonly cloud: Cloud; readonly platform: Platform } {
  const { policy = createCallPolicy(), buckets = createBuckets() } = options;
  const sdk = createSdk({ endpoint: options.endpoint ?? null });
  const sessions = createSessions(sdk);
  const call = createCall({ sdk, sessions, buckets, policy });
  const { pointNew, ...platform } = createPlatform(call);
  const distributions = createDistributions(call);
  const cloud: Cloud = {
    kind: "aws",
    caaIssuers: CAA_ISSUERS,
    // CloudFront gets to know the files of a static service with its release alone.
    servesRepositories: false,
    stackFor: (connectionId) => makeStack(options.templateUrl, connectionId),
    identity: createIdentity({ sdk, sessions, call, policy }),
    certificates: createCertificates(call),
    distributions: {
      ...distributions,
      async create(account, wanted) {
        const made = await distributions.create(account, wanted);
        const serviceId = wanted.origin.kind === "host" ? undefined : wanted.origin.serviceId;
        if (serviceId === undefined || !(await pointNew(account, made.id, serviceId))) return made;
        return (await distributions.describe(account, made.id)) ?? made;
      },
    },
    parameters: createParameters(call),
    secrets: createSecrets(call),
  };
  return { cloud: policy.each(cloud), platform: policy.each<Platform>(platform) };
}

export function createAwsCloud(options: AwsOptions): Cloud {
  return createAws(options).cloud;
}
