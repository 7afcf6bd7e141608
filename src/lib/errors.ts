/**
 * How a room declares the failures that a client can get from it, and what `lib` itself declares. Each code stands once,
 * in the `errors.ts` of the room that raises it, with its status and its texts; where several rooms raise it, in the
 * lowest of them, or here if they may not use each other. `src/start/error-catalogue.ts` puts all of them together.
 */
declare const declared: unique symbol;
/** Marks what `declareErrors` and `declareFaults` made, so that nothing else is taken for it. */
type Declared = { readonly [declared]: true };

/** What the page of an error code says. Texts in backquotes are shown as code. */
export type ErrorText = {
  /** The HTTP status, always the same for a code. */
  readonly status: number;
  readonly title: string;
  readonly cause: string;
  readonly remedy: string;
  /** For the API reference, which shows one example for each status. */
  readonly example?: { readonly detail: string; readonly faults?: readonly Fault[] };
};

/** A declared error code. `page` is the address of its page, the `type` of its problem documents (RFC 9457). */
export type DeclaredError = ErrorText & Declared & { readonly code: string; readonly page: string };

/** The codes of a room, by their names. @param pages the address below which each has its page */
export function declareErrors<Code extends string>(
  texts: Readonly<Record<Code, ErrorText>>,
  pages = "/docs/errors",
): Readonly<Record<Code, DeclaredError>> {
  const entries = Object.entries<ErrorText>(texts);
  return Object.fromEntries(
    entries.map(([code, text]) => [code, { code, page: `${pages}/${code}`, ...text }]),
  ) as Record<Code, DeclaredError>;
}

export type FaultCode = string & Declared;
export type DeclaredFault = { readonly code: FaultCode; readonly meaning: string };

/** The codes of a room for what is wrong at one place of a request, by their names. */
export function declareFaults<Code extends string>(
  meanings: Readonly<Record<Code, string>>,
): Readonly<Record<Code, DeclaredFault>> {
  const entries = Object.entries<string>(meanings);
  return Object.fromEntries(entries.map(([code, meaning]) => [code, { code, meaning }])) as Record<
    Code,
    DeclaredFault
  >;
}

/** One fault of a request: `path` is a JSON Pointer into the body, or `query/limit`, `header/authorization`. */
export type Fault = { readonly path: string; readonly code: FaultCode; readonly message: string };

/** One step of a JSON Pointer (RFC 6901, section 4), the format of `Fault.path`. */
export function escapePointer(segment: string): string {
  return segment.replaceAll("~", "~0").replaceAll("/", "~1");
}

/**
 * An expected refusal. The message is public: it says what is wrong and what to do, and never holds a
 * secret value. Anything else that is thrown is a defect and reaches the client as a bare 500.
 */
export class AppError extends Error {
  override readonly name = "AppError";
  readonly code: string;
  readonly declaration: DeclaredError;
  readonly faults: readonly Fault[];
  readonly retryAfterSeconds: number | null;
  /** Members of the problem document beyond the members of every failure (RFC 9457, section 3.2). */
  readonly extensions: Readonly<Record<string, unknown>>;
  constructor(
    declaration: DeclaredError,
    message: string,
    options: {
      cause?: unknown;
      faults?: readonly Fault[];
      retryAfterSeconds?: number;
      extensions?: Readonly<Record<string, unknown>>;
    } = {},
  ) {
    super(message, "cause" in options ? { cause: options.cause } : undefined);
    this.code = declaration.code;
    this.declaration = declaration;
    this.faults = options.faults ?? [];
    this.retryAfterSeconds = options.retryAfterSeconds ?? null;
    this.extensions = options.extensions ?? {};
  }
}

export const COMMON_FAULTS = declareFaults({
  REQUIRED: "It is missing.",
  UNKNOWN_FIELD: "There is no field of this name here. Remove it or correct its name.",
  WRONG_TYPE: "It has the wrong JSON type.",
  WRONG_FORM: "It does not have the form that the message names.",
  NOT_ALLOWED: "It is not one of the values that the message names.",
  TOO_SMALL: "It is less than the minimum in the message (characters, items or value).",
  TOO_LARGE: "It is more than the maximum in the message (characters, bytes, items or value).",
  DUPLICATE: "It appears twice. Keep one.",
  INVALID: "It breaks a rule that the message names.",
});

export const COMMON_ERRORS = declareErrors({
  INVALID_REQUEST: {
    status: 400,
    title: "The request is not valid",
    cause: "A field, query parameter or header is missing, unknown or invalid.",
    remedy: "Correct every entry of `errors`; each names the place and what is expected there.",
    example: {
      detail: "/givenId: is required",
      faults: [{ path: "/givenId", code: COMMON_FAULTS.REQUIRED.code, message: "is required" }],
    },
  },
  INVALID_JSON: {
    status: 400,
    title: "The body is not valid JSON",
    cause:
      "The body does not parse, is not UTF-8, begins with a byte order mark, has a duplicate key, is nested deeper than 10 levels, or contains a NUL character or an unpaired surrogate.",
    remedy: "Correct the body and send it again as UTF-8.",
  },
  NOT_FOUND: {
    status: 404,
    title: "No such resource",
    cause:
      "The id does not exist or belongs to another organization. The API does not distinguish these cases.",
    remedy: "Check the id, and that the caller belongs to the right organization.",
    example: { detail: "There is no such resource, or it is not yours. Check the id." },
  },
  ROLE_TOO_LOW: {
    status: 403,
    title: "The role does not allow this",
    cause: "The caller has a lower role than the operation needs.",
    remedy: "Use a key of a user with the role that `detail` names, or have an admin raise the role.",
    example: { detail: "This needs the role developer; the caller is a viewer." },
  },
  SCOPE_MISSING: {
    status: 403,
    title: "The caller lacks the scope",
    cause:
      "The API key, or the workload's token, was made for certain uses (`scopes`), and this is not one of them.",
    remedy:
      "Use a key that has the scope in `neededScope`, or one without scopes, which may do what its user may.",
  },
  ENVIRONMENT_PROTECTED: {
    status: 403,
    title: "The environment is protected",
    cause: "The protection of the environment requires a higher role in its project than the caller has.",
    remedy:
      "Ask someone with the role in `neededRole` to do it, or to change the environment's `protection`.",
  },
  KEY_OF_PROJECTS: {
    status: 403,
    title: "The caller is limited to projects",
    cause:
      "The API key, or the workload's token, was made for certain projects (`projectIds`), and the request is about the organization.",
    remedy: "Use a key that is not limited to projects.",
  },
  PROJECTS_CHANGED: {
    status: 403,
    title: "The caller's access has changed",
    cause:
      "While the request was held open, the role of its caller or the projects that the caller sees changed.",
    remedy: "Send the request again. The response then has what the caller may see now.",
  },
  CLOUD_UNAVAILABLE: {
    status: 503,
    title: "The cloud does not answer",
    cause:
      "The request needs the cloud account or the sandbox, which failed, refused the call, or did not answer.",
    remedy: "Try again after `Retry-After`; `detail` has the reason.",
  },
});

/** @param path as in `Fault` */
export function faultAt(path: string, { code }: DeclaredFault, message: string): Fault {
  return { path, code, message };
}

/** @param faults every fault that was found; the first also becomes the sentence of `detail` */
export function invalidRequest(faults: readonly Fault[]): AppError {
  const [first] = faults;
  const more = faults.length > 1 ? ` (and ${faults.length - 1} more, see errors)` : "";
  const detail =
    first === undefined ? "The request is not valid." : `${first.path || "/"}: ${first.message}${more}`;
  return new AppError(COMMON_ERRORS.INVALID_REQUEST, detail, { faults });
}

/**
 * The same answer for a missing resource and for another organization's. @param field the field of the body that names
 * it, unless the path does
 */
export function notFound(field?: string): AppError {
  return new AppError(
    COMMON_ERRORS.NOT_FOUND,
    field === undefined
      ? "There is no such resource, or it is not yours. Check the id."
      : `The resource in ${field} does not exist or is not yours. Check the id in ${field}.`,
  );
}

/** @throws AppError `NOT_FOUND` */
export function orNotFound<T>(found: T | null): T {
  if (found === null) throw notFound();
  return found;
}

/** An error of another part of Slipway, with a message that a client may see. */
export abstract class TranslatedError extends Error {
  abstract toAppError(): AppError;
}
