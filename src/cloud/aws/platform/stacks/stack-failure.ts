import type { StackFailed } from "./stacks.ts";

/** How AWS says that something no longer exists. */
const MISSING = /not ?found|does ?n[o']t exist|no longer exists/i;

/**
 * The failure of a stack change, and what to do about it. CloudFormation's own reason shows whether a
 * resource was changed by hand: Slipway does not check for drift (docs/reference/aws.md says why).
 */
export function stackFailure(
  wanted: string,
  stackName: string,
  { isStuck, reason }: Pick<StackFailed, "isStuck" | "reason">,
): { readonly code: string; readonly message: string } {
  const remedy = `delete the stack ${stackName} in CloudFormation and deploy again: Slipway creates it again, and domains stay`;
  if (isStuck) {
    const message = `CloudFormation can neither ${wanted} nor roll back. ${reason}. Fix this in the account and deploy again, or ${remedy}.`;
    return { code: "STACK_STUCK", message };
  }
  const advice = MISSING.test(reason) ? ` If it was deleted by hand, ${remedy}.` : "";
  return { code: "STACK_FAILED", message: `CloudFormation could not ${wanted}. ${reason}.${advice}` };
}
