/** What differs from the customers' answers when their work has ended. */
import { setTimeout as sleep } from "node:timers/promises";
import { askSandbox } from "../ask-sandbox.ts";
import { findPlatformLeftovers } from "./deploying-customer.ts";
import type { SandboxAccount } from "./invariants.ts";
import { findBreachesOfEvents } from "./received-events.ts";
import { type Customer, PARTS } from "./workload.ts";

const SETTLE_MS = 90_000;

/** Where the sandbox is, and the folder that holds its own. */
type Surroundings = { readonly sandboxUrl: string; readonly dataDir: string };

/** The breaches that remain when no work is left. */
export async function settle(
  where: Surroundings,
  customers: readonly Customer[],
): Promise<readonly string[]> {
  const deadlineMs = performance.now() + SETTLE_MS;
  for (;;) {
    const breaches = await findBreaches(where, customers);
    if (breaches.length === 0 || performance.now() > deadlineMs) return breaches;
    await sleep(1_000);
  }
}

async function findBreaches(
  { sandboxUrl, dataDir }: Surroundings,
  customers: readonly Customer[],
): Promise<readonly string[]> {
  const { accounts } = (await askSandbox(sandboxUrl, "GET", "/sandbox/state")) as {
    accounts: SandboxAccount[];
  };
  const found = await Promise.all(
    customers.map(async ({ awsAccountId, check }) => {
      const account = accounts.find(({ serviceId }) => serviceId === awsAccountId);
      return account === undefined ? [`The account of ${awsAccountId} is gone.`] : await check(account);
    }),
  );
  const events = await Promise.all(
    Array.from({ length: Math.ceil(customers.length / PARTS.length) }, async (_, index) => {
      const own = customers.slice(index * PARTS.length, (index + 1) * PARTS.length);
      const told = own.map((customer) => customer.told());
      const [first] = own;
      if (first === undefined) return [];
      const subjects = told.flatMap((one) => one.subjects);
      return await findBreachesOfEvents(
        first.client,
        subjects,
        told.flatMap(({ runs }) => runs),
      );
    }),
  );
  const deploying = customers.flatMap(({ deploying }) => (deploying === null ? [] : [deploying]));
  return [...found.flat(), ...events.flat(), ...findPlatformLeftovers(dataDir, deploying)];
}
