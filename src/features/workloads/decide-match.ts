/** Which claims a trust asks for, and whether those of a token are so. */
import type { Claims } from "./workload-trust.ts";

/**
 * The claims that say whose a workload is. Anybody gets tokens of GitHub's issuer for any audience, so a trust must name
 * one of these, to the owner at least.
 */
const IDENTIFYING = ["sub", "repository", "repository_id", "project_path", "project_id"];

/** Of claims whose values are texts; others are never met. */
const NAME = /^[A-Za-z0-9_]{1,60}$/;

export type ConditionFault = { readonly claim: string | null; readonly message: string };

/** What is wrong with the conditions of a trust. */
export function findConditionFaults(
  conditions: Readonly<Record<string, unknown>>,
): readonly ConditionFault[] {
  const faults: ConditionFault[] = [];
  for (const [claim, pattern] of Object.entries(conditions)) {
    if (!NAME.test(claim)) faults.push({ claim, message: "is not the name of a claim" });
    if (typeof pattern !== "string") continue;
    const { beginning, isWhole } = readPattern(pattern);
    if (beginning.includes("*")) faults.push({ claim, message: "may have a * at its end only" });
    else if (IDENTIFYING.includes(claim) && !isWhole && !beginning.includes("/"))
      faults.push({ claim, message: "must say the owner before the *, as in acme/*" });
  }
  if (!IDENTIFYING.some((claim) => claim in conditions))
    faults.push({ claim: null, message: `must have one of ${IDENTIFYING.join(", ")}` });
  return faults;
}

/** The first claim that is not as it must be; null if all are. */
export function findUnmet(conditions: Readonly<Record<string, string>>, claims: Claims): string | null {
  const unmet = Object.entries(conditions).find(([claim, pattern]) => !isMet(pattern, claims[claim]));
  return unmet?.[0] ?? null;
}

/** Lists and objects never are as a text says. */
function isMet(pattern: string, value: unknown): boolean {
  const text = textOf(value);
  if (text === null) return false;
  const { beginning, isWhole } = readPattern(pattern);
  return isWhole ? text === beginning : text.startsWith(beginning);
}

/** The text of a claim; null if it has none. */
export function textOf(value: unknown): string | null {
  if (typeof value === "string") return value;
  return typeof value === "number" || typeof value === "boolean" ? String(value) : null;
}

function readPattern(pattern: string): { readonly beginning: string; readonly isWhole: boolean } {
  return pattern.endsWith("*")
    ? { beginning: pattern.slice(0, -1), isWhole: false }
    : { beginning: pattern, isWhole: true };
}
