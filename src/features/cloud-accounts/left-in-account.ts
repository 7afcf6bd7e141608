import { AppError } from "../../lib/errors.ts";
import type { AwsAccount } from "./aws-account.ts";
import { CLOUD_ACCOUNT_ERRORS } from "./errors.ts";

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

/** A project or a connection that was abandoned, and what it left behind. */
export type Abandoned = { readonly id: string; readonly left: LeftInAccount };

/** Whether nothing stays. Pure. */
export function isNothing(left: LeftInAccount): boolean {
  return countsOf(left).length === 0;
}

/** The refusal of a deletion while the account does not work. @param left by `owner`, such as "the project has" */
export function wouldStay({ givenId, status }: AwsAccount, left: LeftInAccount, owner: string): AppError {
  const named = countsOf(left).map(([count, noun]) => `${count} ${noun}${count === 1 ? "" : "s"}`);
  return new AppError(
    CLOUD_ACCOUNT_ERRORS.RESOURCES_WOULD_STAY,
    `The cloud account ${givenId} is ${status}, so what ${owner} there cannot be removed: ${named.join(", ")}. Fix the account's stack and delete again, or abandon these resources with POST …/abandon, which returns the list.`,
    { extensions: { leftInAccount: left } },
  );
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
