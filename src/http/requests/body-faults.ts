import type { FastifySchemaCompiler } from "fastify";
import { AppError, COMMON_FAULTS, escapePointer, type Fault, invalidRequest } from "../../lib/errors.ts";

/**
 * The server's own validation of a body, and what `findFaults` finds beside it. A body that exceeds a limit is examined
 * no further: what that costs must not grow with what a caller sends.
 */
export function withFaults(
  compile: FastifySchemaCompiler<object> | undefined,
  findFaults: (body: unknown) => readonly Fault[],
): FastifySchemaCompiler<object> {
  if (compile === undefined) throw new Error("The server has no validator yet.");
  return (part) => {
    const validate = compile(part);
    if (part.httpPart !== "body") return validate;
    return (body: unknown) => {
      const result = validate(body) as { value: unknown } | { error: Error };
      const error = "error" in result ? result.error : null;
      if (error !== null && !(error instanceof AppError)) return result;
      const isTooLarge = error?.faults?.some(({ code }) => code === COMMON_FAULTS.TOO_LARGE.code) === true;
      if (isTooLarge) return result;
      const faults = [...(error?.faults ?? []), ...findFaults(body)];
      return faults.length === 0 ? result : { error: invalidRequest(faults) };
    };
  };
}

/** Some clients send `{}` with every request; anything more was meant to have an effect. */
export function refuseBody(body: unknown): void {
  if (body === undefined || body === null) return;
  const names = typeof body === "object" && !Array.isArray(body) ? Object.keys(body) : null;
  if (names === null) {
    throw invalidRequest([
      { path: "", code: COMMON_FAULTS.WRONG_TYPE.code, message: "this request takes no body" },
    ]);
  }
  if (names.length === 0) return;
  throw invalidRequest(
    names.map((name) => ({
      path: `/${escapePointer(name)}`,
      code: COMMON_FAULTS.UNKNOWN_FIELD.code,
      message: "is not a field of this request, which takes no body",
    })),
  );
}
