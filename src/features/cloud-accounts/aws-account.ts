/**
 * A cloud account connection.
 *
 *   AWAITING_CONNECTION  created, or unbound; the client has not created its stack, or no reported role works.
 *                        Ends when a reported role is verified; from then on, the connection is for its account.
 *   CONNECTED            the role was verified, and is checked again every day; `lastCheckError` names the
 *                        permissions that it lacks, if any; work that needs them fails
 *   DISCONNECTED         the role no longer works; CONNECTED again when a check finds that it does
 */
export const AWS_ACCOUNT_STATUSES = ["AWAITING_CONNECTION", "CONNECTED", "DISCONNECTED"] as const;
export type AwsAccountStatus = (typeof AWS_ACCOUNT_STATUSES)[number];

export type CheckError = { readonly code: string; readonly message: string };

export type AwsAccount = {
  readonly organizationId: string;
  /** Also the external id of the customer's role. */
  readonly id: string;
  readonly givenId: string;
  readonly name: string;
  readonly status: AwsAccountStatus;
  readonly reportedAccountId: string | null;
  readonly reportedRoleArn: string | null;
  readonly connectedAwsAccountId: string | null;
  readonly roleArn: string | null;
  readonly checkRequestedAt: Date | null;
  /** The only account that may connect, by its number at the provider; null: any account with a valid role. */
  readonly expectedAwsAccountId: string | null;
  /** The last account that was refused because the connection is another's, until an admin has seen it. */
  readonly refusedAwsAccountId: string | null;
  /** When the first call since the last check was denied. */
  readonly suspectedAt: Date | null;
  readonly lastCheckAt: Date | null;
  readonly lastCheckError: CheckError | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
};
