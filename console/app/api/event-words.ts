/** Events and their types in words, and what a webhook is sent. Pure. */
import type { Fault } from "../../../sdk/src/generated/types.ts";
import { InputError } from "./problem.ts";

/** Patterns of all events about one kind of thing, with their words. */
export const EVENT_GROUPS: readonly (readonly [string, string])[] = [
  ["deployment.*", "Deployments"],
  ["preview.*", "Previews"],
  ["service.*", "Services"],
  ["data_store.*", "Data stores"],
  ["execution.*", "Executions"],
  ["job.*", "Scheduled jobs"],
  ["snapshot.*", "Snapshots"],
  ["domain.*", "Domains"],
  ["domain_group.*", "Groups of domains"],
  ["certificate.*", "Certificates"],
  ["env_variables.*", "Variables"],
  ["project.*", "Projects"],
  ["environment.*", "Environments"],
  ["aws_account.*", "Cloud accounts"],
  ["git_integration.*", "Git integrations"],
  ["webhook_endpoint.*", "Webhooks"],
  ["notification_channel.*", "Notification channels"],
  ["organization.*", "The organization"],
  ["user.*", "Users"],
  ["session.*", "Sessions"],
  ["api_key.*", "API keys"],
  ["workload_trust.*", "Workload trusts"],
];
const WORDS = new Map(EVENT_GROUPS);
/** More are counted. */
const NAMED = 3;

/** Which events a webhook receives, in words. */
export function formatTypes(types: readonly string[]): string {
  if (types.includes("*")) return "All events";
  const words = types.map((type) => WORDS.get(type) ?? type);
  const named = words.length > NAMED + 1 ? words.slice(0, NAMED) : words;
  const rest = words.length - named.length;
  return `${named.join(", ")}${rest === 0 ? "" : ` and ${rest} more`}`;
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
