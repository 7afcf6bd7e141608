/** The variables of a scope as a `.env`, as far as their values are known. Pure. */
import { renderDotenvLine } from "../../../sdk/src/dotenv.ts";
import type { EnvVariable } from "../../../sdk/src/generated/types.ts";
import { isSecret } from "./variable-matrix.ts";

/** A variable that the text has only as a comment, and the reason. */
export type LeftOut = { readonly name: string; readonly reason: string };

/** @param nameOf the name of a service, by its id */
export function dotenvOf(
  variables: readonly EnvVariable[],
  nameOf: (serviceId: string) => string,
): { readonly text: string; readonly leftOut: readonly LeftOut[] } {
  const lines = variables.map((one) => {
    const line = one.value === null ? null : (renderDotenvLine(one.name, one.value)?.line ?? null);
    return { name: one.name, line, reason: line === null ? reasonOf(one, nameOf) : "" };
  });
  return {
    text: lines.map(({ name, line, reason }) => `${line ?? `# ${name}: ${reason}`}\n`).join(""),
    leftOut: lines.flatMap(({ name, line, reason }) => (line === null ? [{ name, reason }] : [])),
  };
}

function reasonOf({ kind, value, fromService }: EnvVariable, nameOf: (serviceId: string) => string): string {
  if (isSecret(kind)) return "a secret, which is never shown";
  if (fromService !== null)
    return `the ${fromService.value} of ${nameOf(fromService.id)}, set at each deployment`;
  if (value !== null) return "programs read its value in different ways";
  return "its value is in your cloud account";
}
