/** Deaths of the whole service, by `kill -9`, at calls of its own. */
import assert from "node:assert/strict";
import type { Api } from "../../src/cloud/aws/calls/apis.ts";
import type { Emulator, Moment } from "./emulator/emulator.ts";
import type { startSlipway } from "./slipway.ts";

/** A death at a call that only reads leaves what one before the next effect leaves, and each start takes seconds. */
const DIES_READING = process.env["SLIPWAY_TEST_FULL"] === "1";

export type DyingCall = Api | "sts:AssumeRole" | "sts:GetCallerIdentity";

export type Deaths = {
  /** Takes a step during which the service dies at these calls: twice at calls with an effect. */
  dyingAt(
    deaths: { readonly effects: readonly DyingCall[]; readonly reads: readonly DyingCall[] },
    step: () => Promise<void>,
  ): Promise<void>;
  /** Whether the service has died at all calls of the step. */
  haveCome(): boolean;
  /** No further deaths; resolves when the service runs again. */
  end(): Promise<void>;
};

/** @param onAfter called after each call */
export function watchDeaths(
  emulator: Emulator,
  slipway: Awaited<ReturnType<typeof startSlipway>>,
  onAfter: () => Promise<void> = () => Promise.resolve(),
): Deaths {
  /** `api moment`, still to come. */
  const armed = new Set<string>();
  let death: Promise<void> | null = null;
  let reviving: Promise<void> = Promise.resolve();

  async function die(): Promise<void> {
    await slipway.kill();
    emulator.disconnectAll();
    death = null;
    reviving = slipway.replace();
  }

  emulator.watch(async (api, moment, isCallerGone) => {
    if (moment === "after") await onAfter();
    const isArmed = armed.delete(`${api} ${moment}`);
    if (isCallerGone) return;
    if (death === null && !isArmed) return;
    // Calls that are under way together die one death.
    death ??= die();
    await death;
  });

  return {
    async dyingAt(deaths, step) {
      const moments = (calls: readonly DyingCall[], all: readonly Moment[]) =>
        calls.flatMap((call) => all.map((moment) => `${call} ${moment}`));
      for (const one of moments(deaths.effects, ["before", "after"])) armed.add(one);
      for (const one of moments(DIES_READING ? deaths.reads : [], ["after"])) armed.add(one);
      await step();
      assert.deepEqual([...armed], [], "calls at which the service should have died");
      await reviving;
    },
    haveCome: () => armed.size === 0,
    async end() {
      armed.clear();
      await reviving;
    },
  };
}
