/** Events and their types in words, and what a webhook is sent. Pure. */
import type { Fault } from "../../../sdk/src/generated/types.ts";
import { InputError } from "./problem.ts";

/** Patterns of all events about one kind of thing, with their words. */
export const EVENT_GROUPS: readonly (readonly [string, string])[] = [
  ["deployment.*", "Deployments"],
  ["service.*", "Services"],
  ["domain.*", "Domains"],
  ["domain_group.*", "Groups of domains"],
  ["certificate.*", "Certificates"],
  ["env_variables.*", "Variables"],
  ["project.*", "Projects"],
  ["environment.*", "Environments"],
  ["aws_account.*", "Cloud accounts"],
  ["git_integration.*", "Git integrations"],
  ["webhook_endpoint.*", "Webhooks"],
  ["organization.*", "The organization"],
  ["user.*", "Users"],
  ["api_key.*", "API keys"],
];
const WORDS = new Map(EVENT_GROUPS);

/** What a webhook gets, in words. */
export function tellTypes(types: readonly string[]): string {
  if (types.includes("*")) return "All events";
  return types.map((type) => WORDS.get(type) ?? type).join(", ");
}

/** Types as a form has them: groups and single types. None of either means all. */
export function typesOf(groups: readonly string[], single: readonly string[]): readonly string[] {
  const types = [...groups, ...single];
  return types.length === 0 ? ["*"] : [...new Set(types)];
}

/** The reverse of `typesOf`. */
export function choicesOf(types: readonly string[]): {
  groups: readonly string[];
  single: readonly string[];
} {
  const groups = types.filter((type) => WORDS.has(type));
  const single = types.filter((type) => type !== "*" && !WORDS.has(type));
  return { groups, single };
}

/**
 * Headers written as `Name: value`, one a line.
 * @throws InputError for a line that is none
 */
export function readHeaders(text: string): Readonly<Record<string, string>> {
  const faults: Fault[] = [];
  const headers: [name: string, value: string][] = [];
  for (const line of text.split("\n").filter((one) => one.trim() !== "")) {
    const at = line.indexOf(":");
    const name = line.slice(0, at).trim();
    if (at > 0 && name !== "") headers.push([name, line.slice(at + 1).trim()]);
    else faults.push({ path: "/headers", code: "WRONG_FORM", message: "each line has the form Name: value" });
  }
  if (faults.length > 0) throw new InputError(faults.slice(0, 1));
  // A name may be `__proto__`, which an assignment would drop.
  return Object.fromEntries(headers);
}
