/** The checks of an own server. Pure. What they find has no names: the page of the server has them. */
import { failed, ok, warning } from "./decide-health.ts";
import type { Outcome, OwnServerState } from "./health.ts";

const WHERE = "The console's page Cloud accounts → This server names them.";
const FAILS_AFTER = 5;
const MINUTE_S = 60;
/** The share of a budget below which it is nearly used up. */
const LITTLE = 0.2;
/** A renewal is due at a third of the life, by default. */
const FAILED_LIFE = 0.1;

export function decideEdges({ edges }: OwnServerState): Outcome {
  const count = (state: string): number => edges.filter((edge) => edge.state === state).length;
  const [silent, behind] = [count("SILENT"), count("BEHIND")];
  const says = `${edges.length} edges; ${silent} do not report, and ${behind} serve an older state or none.`;
  if (silent > 0) return failed(says, `Start the edge again, or remove its address from the DNS. ${WHERE}`);
  return behind > 0
    ? warning(says, "It follows within seconds. If not, read the log of the edge.")
    : ok(edges.length === 1 ? "The edge of this server is the only one." : says);
}

export function decidePorts({ edges, challengeZone }: OwnServerState): Outcome {
  const unreachable = edges.flatMap((edge) => edge.unreachable);
  if (unreachable.length > 0)
    return warning(
      `There is no connection from here to ${unreachable.slice(0, 10).join(", ")}.`,
      "Open ports 80 and 443 in the firewall, also for this machine: Slipway checks names there before it orders.",
    );
  if (challengeZone.problem !== null)
    return warning("Proofs by DNS do not reach this server.", challengeZone.problem);
  return ok("The ports of all edges accept connections, and proofs by DNS reach this server.");
}

export function decideRenewals({ certificates: { total, late, leastLifeLeft } }: OwnServerState): Outcome {
  if (total === 0) return ok("There are no certificates.");
  if (late === 0 || leastLifeLeft === null) return ok(`${total} certificates are in use, and none is late.`);
  const says = `${late} of ${total} certificates were not renewed in time; the first has ${Math.round(leastLifeLeft * 100)} % of its life left.`;
  return leastLifeLeft < FAILED_LIFE ? failed(says, WHERE) : warning(says, WHERE);
}

export function decideAuthorities({ authorities }: OwnServerState): Outcome {
  for (const { failures, problem, clockAheadSeconds } of authorities) {
    if (failures >= FAILS_AFTER && problem !== null)
      return failed(`A CA has failed ${failures} times in a row.`, problem.message);
    if (clockAheadSeconds !== null && Math.abs(clockAheadSeconds) >= MINUTE_S) {
      const says = `This machine's clock differs from a CA's by ${Math.abs(clockAheadSeconds)} s.`;
      return failed(says, "Set the clock by NTP (chrony, systemd-timesyncd).");
    }
  }
  const failing = authorities.find(({ failures }) => failures > 0);
  return failing === undefined
    ? ok("The CAs answer, or were not needed yet.")
    : warning("The last request to a CA failed.", failing.problem?.message ?? "Slipway tries again.");
}

export function decideBudgets({ authorities }: OwnServerState): Outcome {
  const budgets = authorities.flatMap((one) => one.budgets);
  if (budgets.length === 0)
    return ok("The CAs' rate limits are not known; they say themselves when to wait.");
  const account = budgets.find(({ limit, left, count }) => limit === "orders" && left < count * LITTLE);
  if (account !== undefined)
    return warning(
      `${account.left} of ${account.count} new orders are left to the account.`,
      "New names wait until the CA allows them. Add names more slowly, or set SLIPWAY_ACME_FALLBACK_DIRECTORY.",
    );
  const little = budgets.filter(({ limit, left, count }) => limit !== "orders" && left < count * LITTLE);
  return little.length === 0
    ? ok("More than a fifth of each budget is left.")
    : warning(`${little.length} budgets of registered domains and names are nearly used up.`, WHERE);
}

export function decideOrders({ orders }: OwnServerState): Outcome {
  const { ordering, waitingForCa, waitingForOperator, waitingForCustomer } = orders;
  const says = `${ordering} orders are under way; ${waitingForCa} names wait for a CA, ${waitingForCustomer} for their owners, and ${waitingForOperator} for the operator.`;
  return waitingForOperator > 0 ? failed(says, WHERE) : ok(says);
}

export function decideValueStore({ valueStore }: OwnServerState): Outcome {
  if (valueStore === null) return ok("Managed values are sealed in this server's folder.");
  return valueStore.problem === null
    ? ok("OpenBao or Vault answers, and lets Slipway read.")
    : failed("Changes of managed variables, builds and new releases wait.", valueStore.problem);
}
