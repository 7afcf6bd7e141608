/** Headers that tell the sandbox the organization of a request. It trusts every caller with its secret. */
export const ORGANIZATION_HEADER = "x-slipway-organization";
/** The ids of the organization's connections that the request is about, separated by commas. */
export const CLAIMS_HEADER = "x-slipway-connections";
