import type { StackFailed } from "./stacks.ts";

/** AWS's words for what is no longer there. */
const MISSING = /not ?found|does ?n[o']t exist|no longer exists/i;

/**
 * A stack that could not be brought to what was wanted, and what to do about it. Whether somebody changed a
 * resource by hand is told by CloudFormation's own reason: drift is not looked for (docs/how-to/connect-aws.md says why).
 */
export function stackFailure(
  wanted: string,
  stackName: string,
  { isStuck, reason }: Pick<StackFailed, "isStuck" | "reason">,
): { readonly code: string; readonly message: string } {
  const anew = `delete the stack ${stackName} in CloudFormation and deploy again: it is made anew, and domains stay`;
  if (isStuck) {
    const message = `CloudFormation can neither ${wanted} nor go back. ${reason}. Fix in the account what this names and deploy again, or ${anew}.`;
    return { code: "STACK_STUCK", message };
  }
  const advice = MISSING.test(reason) ? ` If somebody deleted it by hand, ${anew}.` : "";
  return { code: "STACK_FAILED", message: `CloudFormation could not ${wanted}. ${reason}.${advice}` };
}
