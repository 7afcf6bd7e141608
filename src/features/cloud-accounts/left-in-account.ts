/** The owner of what was left: a project, or the deleted projects in a connection's account. */
export type LeftBy = { readonly projectId: string } | { readonly awsAccountId: string };

type Named = { readonly region: string; readonly name: string };

/** What stays in a cloud account that Slipway can no longer reach. Its customer has to remove it. */
export type LeftInAccount = {
  /** The account's number at the provider. */
  readonly connectedAwsAccountId: string | null;
  readonly distributionIds: readonly string[];
  readonly certificateIds: readonly string[];
  /** Names that the distributions may still serve. */
  readonly domains: readonly string[];
  readonly parameters: readonly Named[];
  readonly secrets: readonly Named[];
  /** Services and environments that were deployed. */
  readonly stacks: readonly Named[];
};

/** Whether nothing stays. Pure. */
export function isNothing(left: LeftInAccount): boolean {
  return countsOf(left).length === 0;
}

/** A summary in words: "2 distributions, 1 secret". Pure. */
export function inWords(left: LeftInAccount): string {
  return countsOf(left)
    .map(([count, noun]) => `${count} ${noun}${count === 1 ? "" : "s"}`)
    .join(", ");
}

function countsOf(left: LeftInAccount): readonly (readonly [number, string])[] {
  const counts = [
    [left.distributionIds.length, "distribution"],
    [left.certificateIds.length, "certificate"],
    [left.parameters.length, "parameter"],
    [left.secrets.length, "secret"],
    [left.stacks.length, "stack"],
  ] as const;
  return counts.filter(([count]) => count > 0);
}
