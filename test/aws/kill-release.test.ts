/**
 * `kill -9` of the whole service at each changing AWS call of the releases that move a web service to the load balancer
 * of its environment. Requests go through what the emulator has after each call; none fails.
 */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { until } from "../helpers/until.ts";
import { type Deaths, watchDeaths } from "./deaths.ts";
import { type Emulator, startEmulator } from "./emulator/emulator.ts";
import { seeMoto } from "./emulator/see-moto.ts";
import { MOTO_URL, NEEDS_MOTO } from "./moto-url.ts";
import { patient, type Project, startSlipway } from "./slipway.ts";
import { createTraffic, type Traffic } from "./traffic.ts";

const REGION = "us-west-2";
/** Of one step, with all its deaths, on a busy machine. */
const STEP_MS = 600_000;

describe(
  "a service killed while it moves a web service",
  { skip: MOTO_URL === null ? NEEDS_MOTO : false },
  () => {
    const motoUrl = MOTO_URL ?? "";
    let emulator: Emulator;
    let slipway: Awaited<ReturnType<typeof startSlipway>>;
    let deaths: Deaths;
    /** Once there is something to reach. */
    let traffic: Traffic | null = null;

    before(async () => {
      emulator = await startEmulator({ motoUrl, seed: 29 });
      slipway = await startSlipway(emulator);
      deaths = watchDeaths(emulator, slipway, () => traffic?.burst() ?? Promise.resolve());
    });
    after(async () => {
      traffic = null;
      await deaths.end();
      await slipway.stop();
      await emulator.stop();
    });

    const services = [{ id: "api", name: "API", type: "web", startCommand: "node server.js", port: 3000 }];
    let moving: Project;

    async function deploy(digit: string): Promise<void> {
      const commit = digit.repeat(40);
      emulator.platform.builds.setProgram(commit, { program: "web", word: `word ${digit}` });
      slipway.setHead(commit);
      const { repoUrl } = moving;
      const { body } = await patient(slipway.api).post("/v1/deployments", { repoUrl });
      await until(
        async () => {
          const { status, errors } = (await patient(slipway.api).get(`/v1/deployments/${body.id}`)).body;
          assert.notEqual(status, "ERROR", JSON.stringify(errors));
          return status === "SUCCESS";
        },
        `the deployment of ${digit} succeeds`,
        STEP_MS,
      );
    }
    const balancers = (): number =>
      emulator.platform.stacks
        .typesOf(moving.accountId)
        .filter((type) => type === "AWS::ElasticLoadBalancingV2::LoadBalancer").length;
    const EFFECTS = ["cloudformation:UpdateStack", "cloudfront:UpdateDistribution", "s3:PutObject"] as const;

    test("has one of its own in a connection of version 1", async () => {
      moving = await slipway.createProject("moving", services);
      emulator.trust.deny(moving.roleArn, "lambda:InvokeFunction");
      await deploy("1");
      assert.equal(balancers(), 1);
      const { roleArn, accountId } = moving;
      const see = await seeMoto(emulator, { motoUrl, roleArn, region: REGION });
      traffic = createTraffic(() => see(accountId));
      traffic.expect(moving.serviceId, "web");
      emulator.trust.allow(roleArn, "lambda:InvokeFunction");
    });

    test("is attached to both, and no request fails", async () => {
      await deaths.dyingAt({ effects: EFFECTS, reads: [] }, () => deploy("2"));
      assert.equal(balancers(), 2);
      assert.deepEqual(traffic?.failures, []);
    });

    test("gives up its own, and no request fails", async () => {
      await deaths.dyingAt({ effects: ["cloudformation:UpdateStack", "s3:PutObject"], reads: [] }, () =>
        deploy("3"),
      );
      assert.equal(balancers(), 1);
      const { operations } = emulator.platform.stacks;
      const updates = operations.filter(({ api }) => api === "cloudformation:UpdateStack");
      // Of the network once, and of the service with each release.
      assert.deepEqual(
        updates.map(({ name }) => name.slice(0, 11)),
        ["slipway-svc", "slipway-env", "slipway-svc", "slipway-svc"],
      );
      assert.deepEqual(traffic?.failures, []);
      assert.ok((traffic?.sent() ?? 0) > 100, String(traffic?.sent()));
    });
  },
);
