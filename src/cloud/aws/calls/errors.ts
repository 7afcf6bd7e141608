/**
 * What an AWS error means for the caller, as a table: first by AWS's name of the error, then by the HTTP
 * status, then by how the connection failed. Pure. Any other error is a bug of ours, not a failure of the
 * cloud, and is passed on unchanged.
 */
import { CloudError, type CloudErrorCode, type CloudErrorKind } from "../../cloud.ts";

type Meaning = readonly [CloudErrorKind, CloudErrorCode];

const THROTTLED: Meaning = ["retryable", "THROTTLED"];
const UNAVAILABLE: Meaning = ["retryable", "UNAVAILABLE"];
const TIMEOUT: Meaning = ["retryable", "TIMEOUT"];
const STALE: Meaning = ["retryable", "STALE_ETAG"];
const DENIED: Meaning = ["denied", "ACCESS_DENIED"];
const GONE: Meaning = ["gone", "NOT_FOUND"];
const INVALID: Meaning = ["invalid", "INVALID_REQUEST"];

const BY_NAME: ReadonlyMap<string, Meaning> = new Map<string, Meaning>([
  ["Throttling", THROTTLED],
  ["ThrottlingException", THROTTLED],
  ["ThrottledException", THROTTLED],
  ["RequestThrottled", THROTTLED],
  ["RequestThrottledException", THROTTLED],
  ["RequestLimitExceeded", THROTTLED],
  ["TooManyRequestsException", THROTTLED],
  ["PriorRequestNotComplete", THROTTLED],
  ["SlowDown", THROTTLED],
  // CloudFront: the quota of paths that are being invalidated, until earlier ones are complete.
  ["TooManyInvalidationsInProgress", THROTTLED],
  // SSM: another write of the same parameter is running. The SDK does not retry it.
  ["TooManyUpdates", THROTTLED],
  ["RequestInProgressException", UNAVAILABLE],
  ["ConflictException", UNAVAILABLE],
  ["InternalServerError", UNAVAILABLE],
  ["InternalServiceError", UNAVAILABLE],
  ["InternalFailure", UNAVAILABLE],
  ["ServiceUnavailable", UNAVAILABLE],
  ["ServiceUnavailableException", UNAVAILABLE],
  // A JSON service answered with something else, such as a load balancer's HTML page.
  ["SyntaxError", UNAVAILABLE],
  ["TimeoutError", TIMEOUT],
  ["AbortError", TIMEOUT],
  ["RequestTimeout", TIMEOUT],
  ["RequestTimeoutException", TIMEOUT],
  ["PreconditionFailed", STALE],
  ["InvalidIfMatchVersion", STALE],
  ["AccessDenied", DENIED],
  ["AccessDeniedException", DENIED],
  ["UnauthorizedOperation", DENIED],
  ["ResourceNotFoundException", GONE],
  ["NoSuchDistribution", GONE],
  ["NoSuchInvalidation", GONE],
  ["ServiceNotFoundException", GONE],
  ["ServiceNotActiveException", GONE],
  ["ParameterNotFound", GONE],
  ["ImageNotFoundException", GONE],
  ["RepositoryNotFoundException", GONE],
  ["InvalidResourceId", GONE],
  ["NoSuchHostedZone", GONE],
  // Route 53: a record that is created exists, or what is deleted is not exactly so.
  ["InvalidChangeBatch", ["invalid", "RECORD_CONFLICT"]],
  ["CNAMEAlreadyExists", ["invalid", "ALIAS_IN_USE"]],
  ["InvalidViewerCertificate", ["invalid", "CERTIFICATE_UNUSABLE"]],
  ["TooManyDistributionCNAMEs", ["limit", "TOO_MANY_ALIASES"]],
  ["TooManyFunctions", ["limit", "TOO_MANY_REDIRECTS"]],
  ["FunctionSizeLimitExceeded", ["limit", "TOO_MANY_REDIRECTS"]],
  ["TooManyOrigins", ["limit", "TOO_MANY_ROUTES"]],
  // Another worker has deleted the function, which it found unused, before the distribution could name it.
  ["InvalidFunctionAssociation", UNAVAILABLE],
  ["TooManyDistributions", ["limit", "TOO_MANY_DISTRIBUTIONS"]],
  ["ParameterLimitExceeded", ["limit", "TOO_MANY_PARAMETERS"]],
  // ACM uses it for a quota of certificates; the SDK mistakes it for throttling.
  ["LimitExceededException", ["limit", "CERTIFICATE_REQUEST_QUOTA"]],
]);

const BY_NAME_OF_SERVICE: ReadonlyMap<string, Meaning> = new Map<string, Meaning>([
  ["secretsmanager LimitExceededException", ["limit", "TOO_MANY_PARAMETERS"]],
  ["cloudformation LimitExceededException", ["limit", "UNKNOWN"]],
  // The account has reached its limit of concurrent builds; the next step tries again.
  ["codebuild AccountLimitExceededException", THROTTLED],
]);

/** The session is unknown, or no longer valid; a new one is needed. */
const SESSION_ERRORS: ReadonlySet<string> = new Set([
  "ExpiredToken",
  "ExpiredTokenException",
  "InvalidClientTokenId",
  "InvalidAccessKeyId",
  "UnrecognizedClientException",
  "InvalidToken",
]);

/** Our clock, or the signature made with it. The SDK has learned the right time from the answer. */
const CLOCK_ERRORS: ReadonlySet<string> = new Set([
  "RequestTimeTooSkewed",
  "RequestExpired",
  "InvalidSignatureException",
  "SignatureDoesNotMatch",
]);

const MESSAGES: Readonly<Record<CloudErrorCode, string>> = {
  THROTTLED: "AWS throttles these calls at the moment.",
  UNAVAILABLE: "AWS could not be reached, or gave an unusable answer.",
  TIMEOUT: "AWS did not answer in time.",
  STALE_ETAG: "The distribution has changed since it was read.",
  ACCESS_DENIED: "The role of the connected account does not allow this.",
  NOT_FOUND: "The account does not have this resource.",
  CERTIFICATE_NAMES_LIMIT:
    "The account's quota of names for one certificate is lower than the number of names asked for (10 unless raised).",
  CERTIFICATE_REQUEST_QUOTA:
    "The account has used up its quota of certificates, or of certificate requests within a year.",
  FIRST_NAME_TOO_LONG: "The first name of a certificate may have 64 octets; none of the names is that short.",
  CERTIFICATE_UNUSABLE: "CloudFront does not accept the certificate for these names.",
  ALIAS_IN_USE: "One of the names is on another CloudFront distribution, in this account or another.",
  TOO_MANY_ALIASES: "The distribution would exceed the account's quota of names.",
  TOO_MANY_REDIRECTS:
    "The account's quota of CloudFront functions is used up, or the redirects are too many for one function.",
  REDIRECTS_REFUSED:
    "CloudFront does not take the redirects: the distribution has a function of its own for viewers' requests.",
  TOO_MANY_ROUTES:
    "The previews have more services than their shared distribution has room for: too many origins, or names for one function.",
  TOO_MANY_DISTRIBUTIONS: "The account's quota of distributions is used up.",
  TOO_MANY_PARAMETERS:
    "The account's quota of names in this region, or of one name's versions within a day, is used up.",
  VALUE_TOO_LARGE: "The value is larger than the service accepts.",
  NOT_OURS: "The account has something of this name that this connection did not create.",
  REGION_UNAVAILABLE:
    "The region does not exist, or the account has not enabled it. Enable it in the account, or use an environment in another region.",
  RECORD_CONFLICT: "The zone has other records at one of these names.",
  INVALID_REQUEST: "AWS refuses the request as invalid.",
  UNKNOWN: "AWS refuses the request for a reason unknown to Slipway.",
};

/** A CloudError in our own words. */
export function cloudError(
  [kind, code]: Meaning,
  api: string,
  options?: { message?: string; cause?: unknown },
): CloudError {
  const message = options?.message ?? `${MESSAGES[code]} (${api})`;
  return new CloudError(kind, code, api, message, { cause: causeOf(options?.cause) });
}

/** Turns an error of the SDK into a CloudError with it as cause. Throws errors that are not failures of the cloud. */
export function toCloudError(api: string, thrown: unknown): CloudError {
  if (thrown instanceof CloudError) return thrown;
  const meaning = meaningOf(api, thrown);
  if (meaning === null) throw thrown;
  const message = meaning === DENIED ? `The role of the connected account does not allow ${api}.` : undefined;
  return cloudError(meaning, api, { cause: thrown, ...(message === undefined ? {} : { message }) });
}

export function isSessionError(thrown: unknown): boolean {
  return SESSION_ERRORS.has(nameOf(thrown));
}

/**
 * Whether the account is unknown in the called region: a region that does not exist has no address, and a
 * region that the account has not enabled does not know its sessions
 * (https://docs.aws.amazon.com/accounts/latest/reference/manage-acct-regions.html).
 */
export function isRegionUnavailable(error: CloudError): boolean {
  const { cause } = error;
  if (hasName(error, "InvalidClientTokenId", "UnrecognizedClientException", "InvalidToken")) return true;
  return cause instanceof Error && "code" in cause && cause.code === "ENOTFOUND";
}

/** For `catch`: null for a resource that does not exist. Throws any other error. */
export function nullIfGone(thrown: unknown): null {
  if (thrown instanceof CloudError && thrown.kind === "gone") return null;
  throw thrown;
}

export function hasName(thrown: unknown, ...names: readonly string[]): boolean {
  const inner = thrown instanceof CloudError ? thrown.cause : thrown;
  return names.includes(nameOf(inner));
}

/**
 * The SDK's error without its hidden `$response`, which leads to the socket and so to the request, with the
 * session's token in its headers.
 */
function causeOf(thrown: unknown): unknown {
  if (!(thrown instanceof Error) || !("$response" in thrown)) return thrown;
  const { name, message, stack } = thrown;
  const metadata = "$metadata" in thrown ? thrown.$metadata : undefined;
  return Object.assign(new Error(message), { name, stack, $metadata: metadata });
}

function meaningOf(api: string, thrown: unknown): Meaning | null {
  // First, because the SDK calls a reset connection a time-out.
  if (isConnectionFailure(thrown)) return UNAVAILABLE;
  const name = nameOf(thrown);
  const service = api.split(":", 1)[0] ?? "";
  const known = BY_NAME_OF_SERVICE.get(`${service} ${name}`) ?? BY_NAME.get(name);
  if (known !== undefined) return known;
  if (SESSION_ERRORS.has(name) || CLOCK_ERRORS.has(name)) return UNAVAILABLE;
  const status = statusOf(thrown);
  return status === null ? null : ofStatus(status, name);
}

function ofStatus(status: number, name: string): Meaning {
  if (status === 429) return THROTTLED;
  // A success that could not be read: outcome unknown.
  if (status >= 500 || status < 400) return UNAVAILABLE;
  if (status === 408) return TIMEOUT;
  if (status === 403 || status === 401) return DENIED;
  if (status === 404) return GONE;
  return name.startsWith("TooMany") ? ["limit", "UNKNOWN"] : INVALID;
}

const CONNECTION_CODES: ReadonlySet<string> = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "ECONNABORTED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENETDOWN",
  "ETIMEDOUT",
  "EPIPE",
  "EPROTO",
  "ERR_STREAM_PREMATURE_CLOSE",
  "UND_ERR_SOCKET",
]);

function isConnectionFailure(thrown: unknown): boolean {
  if (!(thrown instanceof Error)) return false;
  if ("code" in thrown && typeof thrown.code === "string") {
    if (CONNECTION_CODES.has(thrown.code) || /^(?:HPE|CERT|ERR_(?:TLS|SSL))_/.test(thrown.code)) return true;
  }
  if (thrown.message === "socket hang up" || thrown.message === "aborted") return true;
  return thrown instanceof AggregateError && thrown.errors.some(isConnectionFailure);
}

function nameOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.name : "";
}

/** The HTTP status, if there was an answer: the SDK puts it beside the error, even if it could not read the body. */
function statusOf(thrown: unknown): number | null {
  if (typeof thrown !== "object" || thrown === null) return null;
  const metadata = "$metadata" in thrown ? thrown.$metadata : undefined;
  const status = readStatus(metadata, "httpStatusCode");
  if (status !== null) return status;
  return "$response" in thrown ? readStatus(thrown.$response, "statusCode") : null;
}

function readStatus(holder: unknown, key: string): number | null {
  if (typeof holder !== "object" || holder === null) return null;
  const value: unknown = Reflect.get(holder, key);
  return typeof value === "number" ? value : null;
}
