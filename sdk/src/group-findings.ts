import type { ImportFinding } from "./generated/types.ts";

/** Findings that say the same about several fields. */
export type FindingGroup = Pick<ImportFinding, "reason" | "action"> & {
  /** `environment/service field`, without the parts that do not apply. */
  readonly places: readonly string[];
};

const KINDS = ["blocking", "unsupported", "mappedWithChange", "ignoredSafely", "mapped"] as const;

export type FindingSection = {
  /** `blocking`, or the class of findings that are not blocking. */
  readonly kind: (typeof KINDS)[number];
  readonly count: number;
  readonly groups: readonly FindingGroup[];
};

/** What people read of an import: the findings that need them first, the same sentences once. Pure. */
export function groupFindings(findings: readonly ImportFinding[]): readonly FindingSection[] {
  return KINDS.flatMap((kind) => {
    const found = findings.filter((one) => (one.isBlocking ? "blocking" : one.class) === kind);
    return found.length === 0 ? [] : [{ kind, count: found.length, groups: groupsOf(found) }];
  });
}

function groupsOf(findings: readonly ImportFinding[]): readonly FindingGroup[] {
  const groups = new Map<string, FindingGroup & { readonly places: string[] }>();
  for (const finding of findings) {
    const { reason, action } = finding;
    const key = JSON.stringify([reason, action]);
    const group = groups.get(key) ?? { reason, action, places: [] };
    group.places.push(placeOf(finding));
    groups.set(key, group);
  }
  return [...groups.values()];
}

function placeOf({ environment, service, field }: ImportFinding): string {
  const scope = [environment, service].filter((one) => one !== null).join("/");
  return [scope, field].filter((one) => one !== "").join(" ") || "the file";
}
