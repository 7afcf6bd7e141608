/** Every refusal that a client can get. Only `http/error-response.ts` gives each its status. */
export const ERROR_CODES = [
  // The request itself
  "INVALID_REQUEST",
  "INVALID_JSON",
  "INVALID_CURSOR",
  "BODY_TOO_LARGE",
  "HEADERS_TOO_LARGE",
  "REQUEST_TIMEOUT",
  "UNSUPPORTED_MEDIA_TYPE",
  "UNAUTHENTICATED",
  "HOOK_SIGNATURE_REFUSED",
  "ROLE_TOO_LOW",
  "NOT_FOUND",
  "ROUTE_NOT_FOUND",
  "METHOD_NOT_ALLOWED",
  "RATE_LIMITED",
  "BODIES_IN_FLIGHT",
  "TOO_MANY_HELD",
  "IDEMPOTENCY_KEY_REUSED",
  "IDEMPOTENCY_KEY_IN_PROGRESS",
  "PRECONDITION_FAILED",
  // Conflicts with what there is
  "GIVEN_ID_TAKEN",
  "AWS_ACCOUNT_IN_USE",
  "AWS_ACCOUNT_WORKS",
  "AWS_ACCOUNT_BOUND",
  "EMAIL_TAKEN",
  "LAST_ADMIN",
  "LAST_ADMIN_KEY",
  "GIT_INTEGRATION_EXISTS",
  "GIT_INTEGRATION_IN_USE",
  "PROJECT_IN_USE",
  "PROJECT_CHANGED_MEANWHILE",
  "CONFIG_NOT_APPLICABLE",
  "DEPLOYMENT_UNDER_WAY",
  "PROJECT_DELETING",
  "RESOURCES_WOULD_STAY",
  "SEVERAL_PROJECTS_MATCH",
  "DOMAIN_TAKEN",
  "DEFAULT_GROUP_EXISTS",
  "GROUP_DELETING",
  "NOTHING_TO_RETRY",
  "DEPLOYMENT_ENDED",
  "DEPLOYMENT_NOT_RESTORABLE",
  // Conflicts with what there is in the sandbox cloud
  "RECORD_CONFLICT",
  "STACK_EXISTS",
  "TOO_MANY_STACKS",
  // The outside world refuses
  "AWS_ACCOUNT_NOT_CONNECTED",
  "GIT_INTEGRATION_MISSING",
  "GIT_TOKEN_REFUSED",
  "GIT_TOKEN_READS_LESS",
  "REPOSITORY_NOT_FOUND",
  "REPOSITORY_DENIED",
  "REPOSITORY_TOO_LARGE",
  "REPOSITORY_USER_DENIED",
  "GIT_HOST_REFUSED",
  "GIT_HOST_UNAVAILABLE",
  "BRANCH_NOT_FOUND",
  "CONFIG_FILE_NOT_FOUND",
  "CONFIG_INVALID",
  "PROJECT_NOT_FOUND",
  "SERVICE_TAKES_NO_DOMAINS",
  "CLOUD_UNAVAILABLE",
  // Ours
  "OVERLOADED",
  "DATABASE_UNAVAILABLE",
  "INTERNAL",
] as const;
export type ErrorCode = (typeof ERROR_CODES)[number];

export const FAULT_CODES = [
  "REQUIRED",
  "UNKNOWN_FIELD",
  "WRONG_TYPE",
  "WRONG_FORM",
  "NOT_ALLOWED",
  "TOO_SMALL",
  "TOO_LARGE",
  "DUPLICATE",
  "CANNOT_CHANGE",
  "HAS_DOMAINS",
  "INVALID",
  "UNKNOWN_SERVICE",
  "SELF_REFERENCE",
  "CYCLE",
  "RESERVED_NAME",
  // Of a domain name
  "NOT_A_DOMAIN",
  "TOO_LONG",
  "LABEL_TOO_LONG",
  "WILDCARD_MISPLACED",
  "UNDERSCORE",
  "IP_ADDRESS",
  "SINGLE_LABEL",
  "PUBLIC_SUFFIX",
  "SPECIAL_USE",
] as const;
export type FaultCode = (typeof FAULT_CODES)[number];

/** One fault of a request: `path` is a JSON Pointer into the body, or `query/limit`, `header/authorization`. */
export type Fault = { readonly path: string; readonly code: FaultCode; readonly message: string };

/**
 * An expected refusal. The message is public: it says what is wrong and what to do, and never holds a
 * secret value. Anything else that is thrown is a defect and reaches the client as a bare 500.
 */
export class AppError extends Error {
  override readonly name = "AppError";
  readonly code: ErrorCode;
  readonly faults: readonly Fault[];
  readonly retryAfterSeconds: number | null;
  /** Members of the problem document beyond those that every failure has (RFC 9457, section 3.2). */
  readonly extensions: Readonly<Record<string, unknown>>;
  constructor(
    code: ErrorCode,
    message: string,
    options: {
      cause?: unknown;
      faults?: readonly Fault[];
      retryAfterSeconds?: number;
      extensions?: Readonly<Record<string, unknown>>;
    } = {},
  ) {
    super(message, "cause" in options ? { cause: options.cause } : undefined);
    this.code = code;
    this.faults = options.faults ?? [];
    this.retryAfterSeconds = options.retryAfterSeconds ?? null;
    this.extensions = options.extensions ?? {};
  }
}

/** @param faults every fault that was found; the first also becomes the sentence of `detail` */
export function invalidRequest(faults: readonly Fault[]): AppError {
  const [first] = faults;
  const more = faults.length > 1 ? ` (and ${faults.length - 1} more, see errors)` : "";
  const detail =
    first === undefined ? "The request is not valid." : `${first.path || "/"}: ${first.message}${more}`;
  return new AppError("INVALID_REQUEST", detail, { faults });
}

/**
 * The same answer for a missing resource and for another organization's. @param field the field of the body that names
 * it, unless the path does
 */
export function notFound(field?: string): AppError {
  return new AppError(
    "NOT_FOUND",
    field === undefined
      ? "There is no such resource, or it is not yours. Check the id."
      : `There is no such resource as ${field} names, or it is not yours. Check the id in ${field}.`,
  );
}

/** An error of another part of Slipway, with a message that a client may see. */
export abstract class TranslatedError extends Error {
  abstract toAppError(): AppError;
}
