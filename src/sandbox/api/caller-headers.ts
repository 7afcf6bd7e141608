/** By which Slipway tells the sandbox for whom it asks. Whoever has the sandbox's secret is believed. */
export const ORGANIZATION_HEADER = "x-slipway-organization";
/** Ids of its connections, separated by commas, that the request is about. */
export const CLAIMS_HEADER = "x-slipway-connections";
