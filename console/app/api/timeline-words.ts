/** The timeline of a domain as people read it: repeated entries are one. Pure. */
import type { DomainTimelineEntry, DomainTimelineEntryKind } from "../../../sdk/src/generated/types.ts";
import type { DomainWords } from "./domain-words.ts";

export type TimelineLine = {
  /** The newest of them. */
  readonly entry: DomainTimelineEntry;
  readonly count: number;
  /** When the oldest of them happened. */
  readonly since: string;
};

/** A record that comes and goes has four entries each time. */
const CYCLE = 4;

/** Entries, the newest first. An entry that was repeated soon after is counted there. */
export function joinRepeated(entries: readonly DomainTimelineEntry[]): readonly TimelineLine[] {
  const lines: TimelineLine[] = [];
  for (const entry of entries) {
    const recent = lines.slice(-CYCLE).findIndex((line) => isSame(line.entry, entry));
    const at = recent === -1 ? -1 : Math.max(0, lines.length - CYCLE) + recent;
    const line = lines[at];
    if (line === undefined) lines.push({ entry, count: 1, since: entry.occurredAt });
    else lines[at] = { ...line, count: line.count + 1, since: entry.occurredAt };
  }
  return lines;
}

function isSame(one: DomainTimelineEntry, other: DomainTimelineEntry): boolean {
  return one.kind === other.kind && one.summary === other.summary && one.recordName === other.recordName;
}

const TONES: Readonly<Record<DomainTimelineEntryKind, DomainWords["tone"]>> = {
  DOMAIN_ADDED: "calm",
  RECORD_REQUIRED: "todo",
  RECORD_FOUND: "good",
  RECORD_LOST: "bad",
  RECORD_WRONG: "bad",
  CERTIFICATE_ISSUED: "good",
  CERTIFICATE_RENEWED: "good",
  CERTIFICATE_EXPIRING: "todo",
  CERTIFICATE_FAILED: "bad",
  ATTACHED: "good",
  ATTACHMENT_FAILED: "bad",
  PROBLEM_BEGAN: "bad",
  PROBLEM_ENDED: "good",
  DNS_MOVED: "todo",
  RECORDS_SET_BY_SLIPWAY: "good",
  RECORDS_REMOVED_BY_SLIPWAY: "calm",
  REDIRECT_CHANGED: "calm",
  REDIRECT_SERVED: "good",
  REDIRECT_FAILED: "bad",
  DNS_PROVIDER_ASKED: "calm",
  DNS_PROVIDER_ANSWERED: "calm",
  OTHER: "calm",
};

/** A newer server may have further kinds. */
export function toneOf({ kind }: DomainTimelineEntry): DomainWords["tone"] {
  return (TONES as Readonly<Record<string, DomainWords["tone"] | undefined>>)[kind] ?? "calm";
}
