/** The parts of the page that change while a visitor has it open. */
import { createHash } from "node:crypto";
import type { ShownDomain, ShownRecord, State } from "./decide-shown.ts";

export type Live = {
  /** A hash of what the page does not update automatically. If it changes, the page has to be loaded again. */
  readonly shape: string;
  /** By the name of the part. */
  readonly parts: Readonly<Record<string, { readonly text: string; readonly state?: State }>>;
};

const STATE_WORDS: Readonly<Record<State, string>> = {
  right: "Right",
  wrong: "Wrong",
  missing: "Missing",
  waiting: "Not checked yet",
};
const NOTHING_THERE = "Nothing";

export function liveOf(domains: readonly ShownDomain[]): Live {
  const parts: Record<string, { text: string; state?: State }> = { summary: { text: summaryOf(domains) } };
  for (const [at, { says, isDone, records }] of domains.entries()) {
    parts[`d${at}`] = { text: says, state: isDone ? "right" : "waiting" };
    for (const [index, record] of records.entries()) {
      const name = partOf(at, index);
      parts[`${name}-state`] = { text: STATE_WORDS[record.state], state: record.state };
      parts[`${name}-there`] = { text: thereOf(record) };
      parts[`${name}-problem`] = { text: record.problem ?? "" };
    }
  }
  return { shape: shapeOf(domains), parts };
}

/** The name of a record's parts, without its end. */
export function partOf(domain: number, record: number): string {
  return `d${domain}r${record}`;
}

function thereOf({ state, there }: ShownRecord): string {
  return there ?? (state === "waiting" ? "" : NOTHING_THERE);
}

function summaryOf(domains: readonly ShownDomain[]): string {
  if (domains.length === 0) return "There is nothing to set up here any more.";
  const records = domains.flatMap(({ records }) => records);
  const right = records.filter(({ state }) => state === "right").length;
  if (domains.every(({ isDone }) => isDone)) return "All is set up. You can close this page.";
  if (records.length === 0) return "The records to set appear here within a minute.";
  if (right === records.length) return "All records are right. The rest happens automatically.";
  return `${right} of ${records.length} records ${right === 1 ? "is" : "are"} right.`;
}

function shapeOf(domains: readonly ShownDomain[]): string {
  const fixed = domains.map(({ name, provider, hints, connectsAt, problem, records }) => [
    name,
    provider,
    hints,
    connectsAt,
    problem,
    records.map(({ type, host, value, setWhen, state }) => [type, host, value, setWhen, state === "right"]),
  ]);
  return createHash("sha256").update(JSON.stringify(fixed)).digest("base64url");
}
