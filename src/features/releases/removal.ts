/** Where the parts of an environment are. */
export type EnvironmentPlace = {
  readonly organizationId: string;
  readonly projectId: string;
  readonly environmentId: string;
  readonly awsAccountId: string;
  readonly region: string;
};

/** A part on the platform, named by the id of its service or environment. */
export type PlatformPart = {
  readonly kind: "service" | "environment";
  readonly id: string;
  readonly region: string;
};
