/** Environments and services have the same endpoints for their variables. */
import type { ScopeRef } from "./queries.ts";

export type ScopePath =
  | "/v1/environments/:environmentId/env-variables"
  | "/v1/services/:serviceId/env-variables";

type ScopeParams = { readonly environmentId: string; readonly serviceId: string };

export type ScopeRoutes = {
  readonly path: ScopePath;
  /** For operation ids. */
  readonly noun: "Environment" | "Service";
  /** For texts. */
  readonly owner: string;
  readonly refOf: (params: ScopeParams) => ScopeRef;
  readonly idOf: (params: ScopeParams) => string;
  /** The address of the list. */
  readonly urlOf: (params: ScopeParams) => string;
};

export const SCOPES: readonly ScopeRoutes[] = [
  {
    path: "/v1/environments/:environmentId/env-variables",
    noun: "Environment",
    owner: "an environment",
    refOf: ({ environmentId }) => ({ environmentId }),
    idOf: ({ environmentId }) => environmentId,
    urlOf: ({ environmentId }) => `/v1/environments/${environmentId}/env-variables`,
  },
  {
    path: "/v1/services/:serviceId/env-variables",
    noun: "Service",
    owner: "a service",
    refOf: ({ serviceId }) => ({ serviceId }),
    idOf: ({ serviceId }) => serviceId,
    urlOf: ({ serviceId }) => `/v1/services/${serviceId}/env-variables`,
  },
];
