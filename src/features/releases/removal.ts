/** Where the parts of an environment are. */
export type EnvironmentPlace = {
  readonly organizationId: string;
  readonly projectId: string;
  readonly environmentId: string;
  readonly awsAccountId: string;
  readonly region: string;
};

/** Something on the platform, by the id of what it is of. */
export type PlatformPart = {
  readonly kind: "service" | "environment";
  readonly id: string;
  readonly region: string;
};
