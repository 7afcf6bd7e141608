/** Where the parts of an environment are. */
export type EnvironmentPlace = {
  readonly organizationId: string;
  readonly projectId: string;
  readonly environmentId: string;
  /** The template of a preview, whose network it uses; otherwise null. */
  readonly templateId: string | null;
  readonly awsAccountId: string;
  readonly region: string;
};

/** What runs as a service. */
export type LiveRelease = {
  readonly serviceId: string;
  readonly environmentId: string;
  /** When it was given its variables; null if that is not known. */
  readonly since: Date | null;
};

/** A part on the platform, named by the id of its service or environment. */
export type PlatformPart = {
  readonly kind: "service" | "environment";
  readonly id: string;
  readonly region: string;
};
