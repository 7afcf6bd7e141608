import type { ImportFinding } from "./generated/types.ts";

/** Findings that say the same about several fields. */
export type FindingGroup = Pick<ImportFinding, "class" | "isBlocking" | "reason" | "action"> & {
  /** `environment/service field`, without the parts that do not apply. */
  readonly places: readonly string[];
};

const ORDER: readonly ImportFinding["class"][] = [
  "unsupported",
  "mappedWithChange",
  "ignoredSafely",
  "mapped",
];

/** What people read of an import: the findings that need them first, the same sentences once. Pure. */
export function groupFindings(findings: readonly ImportFinding[]): readonly FindingGroup[] {
  const groups = new Map<string, FindingGroup & { readonly places: string[] }>();
  for (const finding of findings) {
    const { class: kind, isBlocking, reason, action } = finding;
    const key = JSON.stringify([kind, isBlocking, reason, action]);
    const group = groups.get(key) ?? { class: kind, isBlocking, reason, action, places: [] };
    group.places.push(placeOf(finding));
    groups.set(key, group);
  }
  return [...groups.values()].toSorted(
    (a, b) => Number(b.isBlocking) - Number(a.isBlocking) || ORDER.indexOf(a.class) - ORDER.indexOf(b.class),
  );
}

function placeOf({ environment, service, field }: ImportFinding): string {
  const scope = [environment, service].filter((one) => one !== null).join("/");
  return [scope, field].filter((one) => one !== "").join(" ") || "the file";
}
