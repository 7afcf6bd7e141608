/**
 * An environment whose web services have a load balancer each moves to one for all of them. While it does, and in
 * releases, rollbacks and removals, requests go through what the emulator has at each moment: none may fail.
 */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { describe, test } from "node:test";
import type { CloudAccount } from "../../src/cloud/cloud.ts";
import type {
  ObservedRelease,
  PlatformService,
  RuntimeVariable,
  Workload,
} from "../../src/cloud/platform.ts";
import type { Played } from "./emulator/platform/build-rules.ts";
import type { Emulator } from "./emulator/emulator.ts";
import { seeMoto } from "./emulator/see-moto.ts";
import { MOTO_URL, NEEDS_MOTO } from "./moto-url.ts";
import { REGION, requestBuild, SEED, SIZE, startAccount, until, WEB } from "./platform-world.ts";
import { createTraffic, type Traffic } from "./traffic.ts";
import { work } from "./world.ts";

const SKIP = MOTO_URL === null ? NEEDS_MOTO : false;
const WORKER: Workload = { type: "worker", buildCommand: null, startCommand: "npm start", size: SIZE };

type Team = {
  readonly emulator: Emulator;
  readonly account: CloudAccount;
  readonly traffic: Traffic;
  readonly networkId: string;
  /** A service with a distribution, in an environment of the network. */
  readonly add: (name: string, environmentId?: string) => Promise<PlatformService>;
  readonly build: (service: PlatformService, program: Played["program"]) => Promise<string>;
  readonly release: (
    service: PlatformService,
    artifact: string,
    options?: { readonly knows?: string; readonly workload?: Workload },
  ) => Promise<ObservedRelease>;
  readonly remove: (service: PlatformService) => Promise<void>;
  /** How many load balancers there are. */
  readonly balancers: () => number;
};

/** A team whose connection is of version 1, so that each web service gets a load balancer of its own. */
function play(name: string, story: (team: Team) => Promise<void>): void {
  test(name, async () => {
    const { emulator, account, open } = await startAccount(20_000);
    emulator.trust.deny(account.roleArn, "lambda:InvokeFunction");
    const networkId = `env_${randomBytes(6).toString("hex")}`;
    const see = await seeMoto(emulator, {
      motoUrl: MOTO_URL ?? "",
      roleArn: account.roleArn,
      region: REGION,
    });
    const traffic = createTraffic(() => see(account.accountId));
    // After each call of Slipway: every state that it leaves.
    emulator.watch((_api, moment) => (moment === "after" ? traffic.burst() : Promise.resolve()));
    let count = 0;
    try {
      await story({
        emulator,
        account,
        traffic,
        networkId,
        async add(serviceName, environmentId = networkId) {
          const serviceId = `svc_${serviceName}${randomBytes(6).toString("hex")}`;
          const origin = { kind: "none", serviceId } as const;
          await work(() => open().cloud.distributions.create(account, { token: serviceId, origin }));
          return { serviceId, environmentId, networkId, region: REGION };
        },
        async build(service, program) {
          count += 1;
          const token = `build-${count}`;
          const request = requestBuild(emulator, { service, token, workload: WEB }, program);
          await work(() => open().platform.builds.start(account, request));
          const built = await until(
            () => open().platform.builds.describe(account, token),
            ({ status }) => status !== "RUNNING",
          );
          assert.equal(built.status, "SUCCEEDED", built.failure?.message);
          return built.artifact ?? "";
        },
        async release(service, artifact, { knows, workload = WEB } = {}) {
          count += 1;
          const token = `release-${count}`;
          const variables: RuntimeVariable[] =
            knows === undefined ? [] : [{ name: "OTHER", kind: "plainText", value: knows }];
          const request = { token, service, workload, artifact, variables };
          await work(() => open().platform.releases.start(account, request));
          const seen = await until(
            () => open().platform.releases.describe(account, token),
            ({ status }) => status !== "STARTING",
          );
          if (seen.url !== null) traffic.own(seen.url, service.serviceId);
          if (seen.status === "LIVE")
            traffic.expect(service.serviceId, workload.type === "web" ? "web" : "worker");
          return seen;
        },
        async remove(service) {
          traffic.forget(service.serviceId);
          for (let times = 0; times < 2; times += 1)
            await work(() => open().platform.services.remove(account, service));
        },
        balancers() {
          const types = emulator.platform.stacks.typesOf(account.accountId);
          return types.filter((type) => type === "AWS::ElasticLoadBalancingV2::LoadBalancer").length;
        },
      });
    } finally {
      emulator.watch(() => Promise.resolve());
      await emulator.stop();
    }
  });
}

async function live(release: Promise<ObservedRelease>): Promise<string> {
  const { status, failure, url } = await release;
  assert.equal(status, "LIVE", failure?.message);
  return url ?? "";
}

describe(`one load balancer for an environment (seed ${SEED})`, { skip: SKIP, concurrency: 3 }, () => {
  play(
    "services with a load balancer each move to one, without a failed request, and can be rolled back",
    async ({ emulator, account, traffic, add, build, release, remove, balancers }) => {
      const [shop, cart, mail] = [await add("shop"), await add("cart"), await add("mail")];
      const first = await build(shop, "web");
      const old = await live(release(shop, first));
      const image = await build(cart, "web");
      await live(release(cart, image, { knows: old }));
      const mailer = await build(mail, "worker");
      await live(release(mail, mailer, { knows: old, workload: WORKER }));
      assert.equal(balancers(), 2);

      // The customer updates the connection's stack. Nothing moves before a release.
      emulator.trust.allow(account.roleArn, "lambda:InvokeFunction");
      const second = await build(shop, "web");
      assert.equal(balancers(), 2);
      const url = await live(release(shop, second));
      assert.notEqual(url, old);
      // Its own stays, because others know its address.
      assert.equal(balancers(), 3);
      assert.equal(await live(release(shop, second)), url);
      assert.equal(balancers(), 3);

      // A release that fails while there are two leaves both.
      const bad = await build(shop, "web-tripping");
      assert.equal((await release(shop, bad)).status, "FAILED");
      await live(release(cart, image, { knows: url }));
      assert.equal(await live(release(shop, second)), url, "the worker still knows the old address");
      assert.equal(balancers(), 3);
      await live(release(mail, mailer, { knows: url, workload: WORKER }));
      assert.equal((await release(shop, bad)).status, "FAILED");
      assert.equal(balancers(), 3);
      assert.equal(await live(release(shop, second)), url);
      assert.equal(balancers(), 2);
      await live(release(cart, image, { knows: url }));
      assert.equal(balancers(), 1);

      // Rollbacks, also to what was built before the move.
      assert.equal(await live(release(shop, first)), url);
      assert.equal(await live(release(shop, second)), url);

      // Another service comes and goes.
      const extra = await add("extra");
      await live(release(extra, await build(extra, "web"), { knows: url }));
      await remove(extra);
      assert.equal(balancers(), 1);
      await traffic.burst();
      assert.deepEqual(traffic.failures, []);
      assert.ok(traffic.sent() > 1_000, String(traffic.sent()));
    },
  );

  play("requests do fail if what they need is taken away", async (team) => {
    const { emulator, account, traffic, add, build, release } = team;
    emulator.trust.allow(account.roleArn, "lambda:InvokeFunction");
    const shop = await add("shop");
    await live(release(shop, await build(shop, "web")));
    await traffic.burst();
    assert.deepEqual(traffic.failures, []);
    await emulator.platform.stacks.deleteByHand("slipway-svc");
    await traffic.burst();
    assert.match(traffic.failures[0] ?? "", /^edge .* answers 404$/);
  });

  play("the previews of a template share its network and load balancer", async (team) => {
    const { emulator, account, traffic, networkId, add, build, release, remove, balancers } = team;
    emulator.trust.allow(account.roleArn, "lambda:InvokeFunction");
    const [one, two] = [await add("one", "env_preview1"), await add("two", "env_preview2")];
    const urls = [];
    for (const service of [one, two]) urls.push(await live(release(service, await build(service, "web"))));
    assert.equal(new Set(urls).size, 2);
    assert.equal(balancers(), 1);
    const environments = emulator.platform.stacks.names.filter((name) => name.startsWith("slipway-env-"));
    assert.deepEqual(environments, [`slipway-env-${networkId.slice(4)}`]);
    await remove(one);
    await traffic.burst();
    assert.deepEqual(traffic.failures, []);
    assert.ok(traffic.sent() > 50, String(traffic.sent()));
  });
});
