/** Where a browser sees what is served for a host name. Pure. */
import type { CloudName } from "../../../sdk/src/generated/types.ts";

/**
 * Browsers do not know the names of the sandbox, so one of its pages leads to `NAME.localhost` on this machine.
 */
export function siteUrlOf(cloud: CloudName, host: string): string {
  return cloud === "sandbox" ? `/sandbox/console/open/${encodeURIComponent(host)}` : `https://${host}/`;
}

export const SANDBOX_SITE =
  "Only the sandbox's own DNS knows this name, so the link opens NAME.localhost in a browser on the machine that runs the sandbox.";
