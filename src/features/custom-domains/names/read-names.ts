import { type Fault, COMMON_FAULTS } from "../../../lib/errors.ts";
import type { Domain } from "../custom-domain.ts";
import { readDomainName } from "./domain-name.ts";

export type NamedDomain = Pick<Domain, "name" | "type">;

/**
 * Reads the names of a request, and skips values that are not strings. Pure.
 * @returns the faults, and the names that have none
 */
export function readDomainNames(texts: readonly unknown[]): {
  readonly names: readonly NamedDomain[];
  readonly faults: readonly Fault[];
} {
  const faults: Fault[] = [];
  const names = new Map<string, NamedDomain>();
  for (const [index, text] of texts.entries()) {
    if (typeof text !== "string" || text === "") continue;
    const path = `/domains/${index}`;
    const read = readDomainName(text);
    if ("fault" in read) faults.push({ path, ...read.fault });
    else if (names.has(read.name))
      faults.push({ path, code: COMMON_FAULTS.DUPLICATE.code, message: `names ${read.name} a second time` });
    else names.set(read.name, read);
  }
  return { names: [...names.values()], faults };
}
