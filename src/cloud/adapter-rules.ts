/** Rules that both adapters follow alike. */
import { createHash } from "node:crypto";
import { CloudError } from "./cloud.ts";

/**
 * The name of a connection's stack: always the same for a connection, and different from others, so that an account
 * may have several. It does not reveal the connection's id, which is a credential until the stack has reported.
 * CloudFormation allows letters, digits and hyphens, starting with a letter, at most 128. Pure.
 */
export function stackNameOf(connectionId: string): string {
  return `slipway-access-${createHash("sha256").update(connectionId).digest("hex").slice(0, 12)}`;
}

/** A certificate's first name becomes its common name (RFC 5280, ub-common-name). */
const MAX_FIRST_NAME_OCTETS = 64;

/** The names, the first of which is short enough; null if all are too long. Pure. */
export function shortNameFirst(names: readonly string[]): string[] | null {
  const first = names.find((name) => name.length <= MAX_FIRST_NAME_OCTETS);
  return first === undefined ? null : [first, ...names.filter((name) => name !== first)];
}

/**
 * Proves that a role belongs to the reported account and trusts only the connection's external id.
 * @param role.assume assumes the role with this external id; null: without one
 * @throws CloudError `denied`
 */
export async function verifyTrust<Session>(
  connectionId: string,
  reportedAccountId: string,
  operation: string,
  role: {
    readonly assume: (externalId: string | null) => Promise<Session>;
    readonly accountOf: (session: Session) => Promise<string>;
  },
): Promise<void> {
  const denied = (message: string) => new CloudError("denied", "ACCESS_DENIED", operation, message);
  const isTrusted = async (externalId: string | null): Promise<boolean> => {
    try {
      await role.assume(externalId);
      return true;
    } catch (error) {
      if (error instanceof CloudError && error.kind === "denied") return false;
      throw error;
    }
  };
  const accountId = await role.accountOf(await role.assume(connectionId));
  if (accountId !== reportedAccountId) {
    throw denied(`The role belongs to account ${accountId}, not to ${reportedAccountId} as reported.`);
  }
  if (await isTrusted(null)) {
    throw denied("The role can be assumed without the external id; its trust policy must require it.");
  }
  for (const another of wrongExternalIds(connectionId)) {
    if (!(await isTrusted(another))) continue;
    throw denied(
      "The role can be assumed with another external id; its trust policy must name the connection's exactly.",
    );
  }
}

/**
 * The connection's own id with another last, and with another first character. Both look like our ids. They detect a
 * trust policy that accepts everything that begins with `aws_` (or more of the id), or that ends like the id.
 */
function wrongExternalIds(connectionId: string): readonly string[] {
  const first = connectionId.indexOf("_") + 1;
  return [connectionId.length - 1, first].map(
    (at) =>
      connectionId.slice(0, at) + (connectionId.charAt(at) === "0" ? "1" : "0") + connectionId.slice(at + 1),
  );
}
