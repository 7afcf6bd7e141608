export { ApiPromise } from "./api-promise.ts";
export { Slipway } from "./client.ts";
export { type DotenvLine, parseDotenv, renderDotenvLine } from "./dotenv.ts";
export {
  AbortedError,
  ApiError,
  ArgumentError,
  ConnectionError,
  DotenvError,
  RedirectError,
  SignatureError,
  SlipwayError,
  TimeoutError,
  WaitFailedError,
  WaitTimeoutError,
} from "./errors.ts";
export type { StreamOptions } from "./event-stream.ts";
export type * from "./generated/types.ts";
export { type FindingGroup, type FindingSection, groupFindings } from "./group-findings.ts";
export { Paged } from "./paged.ts";
export type { Answer, CallOptions, ChangeOptions, ClientOptions, Logger, WriteOptions } from "./transport.ts";
export type { WaitOptions, WatchOptions } from "./watch.ts";
export { githubIdToken, type TokenSource, type WorkloadOptions, workloadToken } from "./workload.ts";
export * as webhooks from "./webhooks.ts";
