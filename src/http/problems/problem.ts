import type { DeclaredError, Fault } from "../../lib/errors.ts";

/** A problem document (RFC 9457) with our stable `code`. The shape of every failure. */
export type Problem = {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly instance: string;
  readonly code: string;
  readonly requestId: string;
  readonly errors?: readonly Fault[];
};

/** Its media type (RFC 9457, section 6.1). */
export const PROBLEM_CONTENT_TYPE = "application/problem+json; charset=utf-8";

/** @param of.instance the path of the request; empty if there was none */
export function makeProblem(
  { code, page, title, status }: DeclaredError,
  of: {
    readonly detail: string;
    readonly instance: string;
    readonly requestId: string;
    readonly faults?: readonly Fault[];
    readonly extensions?: Readonly<Record<string, unknown>>;
  },
): Problem {
  const { detail, instance, requestId, faults = [], extensions = {} } = of;
  return {
    type: page,
    title,
    status,
    detail,
    instance,
    code,
    requestId,
    ...(faults.length > 0 ? { errors: faults } : {}),
    ...extensions,
  };
}

/** The path of a request's target, without its query. */
export function pathOf(url: string | undefined): string {
  return url?.split("?", 1)[0] ?? "";
}
