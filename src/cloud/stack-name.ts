import { createHash } from "node:crypto";

/**
 * What the stack of a connection is called: always the same for one connection, and its own, so that an account may have
 * the stacks of several. It does not tell the connection's id, which is a credential until the stack has reported.
 * CloudFormation takes letters, digits and hyphens, a letter first, 128 at most. Pure.
 */
export function stackNameOf(connectionId: string): string {
  return `slipway-access-${createHash("sha256").update(connectionId).digest("hex").slice(0, 12)}`;
}
