/** Selected domains: what can be done with them, what follows, and how many there are. Pure. */
import type { DomainCounts, DomainRow } from "../../../sdk/src/generated/types.ts";

type Selected = Pick<DomainRow, "id" | "name" | "status" | "domainCertificateGroupId">;

/** The resources that are read again when domains were added, changed or deleted. */
export const DOMAIN_REFRESHES = ["domains", "domainGroups", "overview"] as const;

/** The domains of each group: a share link shows domains of one group. */
export function groupSelected<T extends Selected>(
  rows: readonly T[],
): readonly { readonly groupId: string; readonly rows: readonly T[] }[] {
  return [...Map.groupBy(rows, ({ domainCertificateGroupId }) => domainCertificateGroupId)].map(
    ([groupId, members]) => ({ groupId, rows: members }),
  );
}

export function hasFailed({ status }: Pick<Selected, "status">): boolean {
  return status === "ERROR_ATTACHING" || status === "ERROR_DETACHING";
}

/** Domains whose deletion has begun cannot be deleted again. */
export function deletable<T extends Selected>(rows: readonly T[]): readonly T[] {
  return rows.filter(({ status }) => status !== "DETACHING");
}

/** What follows from deleting the domains, each in a sentence. */
export function deletionConsequences(rows: readonly Selected[]): readonly string[] {
  const served = rows.filter(({ status }) => status === "ATTACHED").length;
  const groups = groupSelected(rows).length;
  return [
    served === 0
      ? "None of them has a certificate in use, so no visitor is affected."
      : served === 1
        ? "One of them is attached: it stops answering, and its visitors see an error."
        : `${served} of them are attached: they stop answering, and their visitors see an error.`,
    groups === 1
      ? "The other domains of their group stay as they are."
      : `They are in ${groups} groups, whose other domains stay as they are.`,
    "Records that Slipway has not set stay at their DNS providers. Remove them there.",
  ];
}

/** The text to type before domains are deleted that serve people; undefined if none does. */
export function deletionText(rows: readonly Selected[]): string | undefined {
  if (!rows.some(({ status }) => status === "ATTACHED")) return undefined;
  return rows.length === 1 ? rows[0]?.name : `delete ${rows.length} domains`;
}

/** How many domains, in words. */
export function formatDomainCount(count: number): string {
  return count === 1 ? "1 domain" : `${count.toLocaleString("en")} domains`;
}

export function totalOf({ attached, inError, awaitingRecords, inProgress }: DomainCounts): number {
  return attached + inError + awaitingRecords + inProgress;
}
