/** Kinds of resources that a search finds, in the order of its answer. */
export const HIT_TYPES = [
  "project",
  "environment",
  "service",
  "domain",
  "domain_group",
  "deployment",
  "aws_account",
] as const;
export type HitType = (typeof HIT_TYPES)[number];

/** A found resource, with what a link to it and its reader need. What its type does not have is null. */
export type Hit = {
  readonly type: HitType;
  readonly id: string;
  /** Of a deployment, its commit's message. */
  readonly name: string | null;
  readonly status: string | null;
  readonly projectId: string | null;
  readonly projectName: string | null;
  readonly environmentId: string | null;
  readonly environmentName: string | null;
  readonly serviceId: string | null;
  readonly serviceName: string | null;
  readonly domainCertificateGroupId: string | null;
  readonly branch: string | null;
  readonly commitHash: string | null;
  readonly createdAt: Date;
};

/** What a search found. */
export type Found = {
  readonly hits: readonly Hit[];
  /** Types of which there are more than `limit`. */
  readonly more: readonly HitType[];
};
