import { createHash } from "node:crypto";

/**
 * The name of a connection's stack: always the same for a connection, and different from others, so that an account
 * may have several. It does not reveal the connection's id, which is a credential until the stack has reported.
 * CloudFormation allows letters, digits and hyphens, starting with a letter, at most 128. Pure.
 */
export function stackNameOf(connectionId: string): string {
  return `slipway-access-${createHash("sha256").update(connectionId).digest("hex").slice(0, 12)}`;
}
