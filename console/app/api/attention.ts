/** What needs attention in a project, in words. Pure. */
import type { Attention } from "../../../sdk/src/generated/types.ts";

/** @param environment its name; null if it is about the whole project */
export function tellAttention({ code, count }: Attention, environment: string | null): string {
  const where = environment === null ? "" : ` (${environment})`;
  const told = {
    ACCOUNT_NOT_CONNECTED: "The cloud account is not connected",
    DEPLOYMENT_FAILED: "The last deployment failed",
    APPROVAL_AWAITED: "A deployment waits for an approval",
    DOMAINS_IN_ERROR: `${count} ${count === 1 ? "domain has" : "domains have"} an error`,
    DOMAINS_AWAIT_RECORDS: `${count} ${count === 1 ? "domain waits" : "domains wait"} for DNS records`,
    REDEPLOY_PENDING: `${count} ${count === 1 ? "service runs" : "services run"} without new variables`,
  }[code];
  // A newer server may have further codes.
  return `${told ?? "Something needs attention"}${where}`;
}
