import { randomBytes } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import { createAws } from "../../src/cloud/aws/adapter.ts";
import { createCallPolicy } from "../../src/cloud/calls/policy.ts";
import type { Api } from "../../src/cloud/aws/calls/apis.ts";
import { type Cloud, type CloudAccount, CloudError } from "../../src/cloud/cloud.ts";
import { pauseMs } from "../helpers/until.ts";
import { type Customer, customerOf } from "./emulator/customer.ts";
import { type Emulator, startEmulator } from "./emulator/emulator.ts";

export type Party = { readonly account: CloudAccount; readonly customer: Customer };

export type World = {
  readonly emulator: Emulator;
  readonly cloud: Cloud;
  /** Another process's adapter, that remembers nothing. */
  readonly newCloud: (timeoutMs?: number) => Cloud;
  /** A fresh customer account, its stack created. */
  readonly connect: () => Promise<Party>;
  readonly callsOf: (account: CloudAccount, api: Api) => { atMs: number }[];
};

/** For calls that are answered: moto is slow when several tests use it. */
const TIMEOUT_MS = 30_000;

/** An emulator of a test's own, so that its faults meet no other test. */
export async function withWorld(
  options: { motoUrl: string; seed: number },
  play: (world: World) => Promise<void>,
): Promise<void> {
  const emulator = await startEmulator(options);
  const newCloud = (timeoutMs = TIMEOUT_MS): Cloud =>
    createAws({
      templateUrl: "https://bucket.s3.amazonaws.com/connection-v2.yaml",
      endpoint: emulator.url,
      policy: createCallPolicy({ callMs: 10 * TIMEOUT_MS, attemptMs: timeoutMs, firstPauseMs: 20 }),
    }).cloud;
  try {
    await play({
      emulator,
      newCloud,
      cloud: newCloud(),
      async connect() {
        const connectionId = `aws_${randomBytes(13).toString("hex")}`;
        const account = { connectionId, ...emulator.trust.createRole(connectionId) };
        return { account, customer: await customerOf(options.motoUrl, account.roleArn) };
      },
      callsOf: ({ accountId }, api) =>
        emulator.calls.filter((call) => call.accountId === accountId && call.api === api),
    });
  } finally {
    await emulator.stop();
  }
}

export function newDomain(): string {
  return `d${randomBytes(6).toString("hex")}.example`;
}

/** How long an account may fail: after calls that were not answered, none is made for ten seconds. */
const PATIENCE_MS = 300_000;

/** As the worker does: again, after a pause, until it is done, for what may pass. */
export async function work<T>(step: () => Promise<T>): Promise<T> {
  const sinceMs = performance.now();
  for (;;) {
    try {
      return await step();
    } catch (error) {
      const waitedMs = performance.now() - sinceMs;
      if (!(error instanceof CloudError) || error.kind !== "retryable" || waitedMs > PATIENCE_MS) throw error;
      await setTimeout(pauseMs(waitedMs, 1));
    }
  }
}
