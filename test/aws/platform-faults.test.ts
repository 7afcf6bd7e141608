/** What goes wrong on the way: answers that are lost, stacks that fail, tokens that CodeBuild has forgotten. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe } from "node:test";
import type { Platform, Workload } from "../../src/cloud/platform.ts";
import { customerOf } from "./emulator/customer.ts";
import { MOTO_URL, NEEDS_MOTO } from "./moto-url.ts";
import { play, REGION, SEED, SITE, SIZE, until, WEB } from "./platform-world.ts";
import { work } from "./world.ts";

type Json = Readonly<Record<string, unknown>>;

const SKIP = MOTO_URL === null ? NEEDS_MOTO : false;

describe(`the aws platform when things go wrong (seed ${SEED})`, { skip: SKIP, concurrency: 3 }, () => {
  for (const api of [
    "s3:PutObject",
    "cloudformation:CreateStack",
    "cloudformation:UpdateStack",
    "codebuild:StartBuild",
    "cloudfront:UpdateDistribution",
  ]) {
    play(
      `a lost answer of ${api} leaves one build and one release, whichever process continues`,
      async ({ emulator, account, service, newPlatform, newRequest }) => {
        const request = newRequest("deployment-1", WEB, "web");
        // Each process loses the answers of this call until its retries are used up, and then dies.
        const throughLoss = async <T>(step: (platform: Platform) => Promise<T>): Promise<T> => {
          emulator.faults.add({ api, kind: "lost-response", count: 3 });
          await step(newPlatform()).catch(() => undefined);
          emulator.faults.clear();
          return await work(() => step(newPlatform()));
        };
        await throughLoss((platform) => platform.builds.start(account, request));
        const built = await until(
          () => throughLoss((platform) => platform.builds.describe(account, request.token)),
          ({ status }) => status !== "RUNNING",
        );
        assert.equal(built.status, "SUCCEEDED", built.failure?.message);
        const { token, workload } = request;
        const wanted = { token, service, workload, artifact: built.artifact ?? "", variables: [] };
        await throughLoss((platform) => platform.releases.start(account, wanted));
        const released = await until(
          () => throughLoss((platform) => platform.releases.describe(account, token)),
          ({ status }) => status !== "STARTING",
        );
        assert.equal(released.status, "LIVE", released.failure?.message);
        assert.equal(emulator.platform.builds.builds.length, 1);
        assert.deepEqual(
          emulator.platform.stacks.operations.map(({ api: operation, name }) => [
            operation,
            name.slice(0, 11),
          ]),
          [
            ["cloudformation:CreateStack", "slipway-svc"],
            ["cloudformation:CreateStack", "slipway-env"],
            ["cloudformation:UpdateStack", "slipway-svc"],
          ],
        );
      },
    );
  }

  play(
    "a build whose start was lost is found again when CodeBuild has forgotten its token",
    async ({ emulator, account, newPlatform, newRequest }) => {
      const request = newRequest("deployment-1", SITE, "static");
      emulator.faults.add({ api: "codebuild:StartBuild", kind: "lost-response" });
      const first = newPlatform();
      await until(
        async () => {
          await first.builds.start(account, request).catch(onlyWhenLost);
          return emulator.platform.builds.builds.length;
        },
        (started) => started > 0,
      );
      emulator.faults.clear();
      emulator.platform.builds.forgetTokens();
      const platform = newPlatform();
      const seen = await until(
        () => platform.builds.describe(account, request.token),
        ({ status }) => status !== "RUNNING",
      );
      assert.equal(seen.status, "SUCCEEDED", seen.failure?.message);
      assert.equal(emulator.platform.builds.builds.length, 1);
    },
  );

  play(
    "a service's stack that cannot be made fails the build in words, and the next build makes it anew",
    async ({ emulator, build }) => {
      emulator.platform.stacks.setTrouble({
        prefix: "slipway-svc",
        reason: "Bucket name is taken.",
        of: ["create"],
      });
      const { status, failure } = await build("deployment-1", SITE, "static");
      assert.deepEqual([status, failure?.code], ["FAILED", "STACK_FAILED"]);
      assert.match(failure?.message ?? "", /Files .*: Bucket name is taken\.$/);
      emulator.platform.stacks.setTrouble(null);
      const again = await build("deployment-2", SITE, "static");
      assert.equal(again.status, "SUCCEEDED", again.failure?.message);
    },
  );

  play(
    "an environment's stack that cannot be made fails the release in words, and the next one makes it anew",
    async ({ emulator, build, release }) => {
      emulator.platform.stacks.setTrouble({
        prefix: "slipway-env",
        reason: "No more networks.",
        of: ["create"],
      });
      const { artifact } = await build("deployment-1", WEB, "web");
      const { status, failure } = await release("deployment-1", WEB, artifact ?? "");
      assert.deepEqual([status, failure?.code], ["FAILED", "STACK_FAILED"]);
      assert.match(failure?.message ?? "", /could not prepare the network .*: No more networks\.$/);
      emulator.platform.stacks.setTrouble(null);
      const again = await release("deployment-2", WEB, artifact ?? "");
      assert.equal(again.status, "LIVE", again.failure?.message);
    },
  );

  play(
    "a release is not live while no distribution of its service answers",
    async ({ account, service, newCloud, newPlatform, build }) => {
      const { distributions } = newCloud();
      const { serviceId } = service;
      const setEnabled = (enabled: boolean) =>
        work(async () => {
          const request = { token: serviceId.slice(4), origin: { kind: "none", serviceId } } as const;
          const { id, aliases, certificateId, etag } = await distributions.create(account, request);
          await distributions.update(account, id, { aliases, certificateId, enabled, etag });
        });
      await setEnabled(false);
      const { artifact } = await build("deployment-1", SITE, "static");
      const { releases } = newPlatform();
      const request = {
        token: "deployment-1",
        service,
        workload: SITE,
        artifact: artifact ?? "",
        variables: [],
      };
      await work(() => releases.start(account, request));
      const describe = () => releases.describe(account, request.token);
      const waiting = await until(
        describe,
        ({ status, waitingFor }) => status !== "STARTING" || /distribution to be/.test(waitingFor ?? ""),
      );
      assert.equal(waiting.status, "STARTING");
      await setEnabled(true);
      await until(describe, ({ status }) => status === "LIVE");
    },
  );

  play(
    "a release that ECS's circuit breaker rolls back has failed, the one before serves, and the next goes live",
    async ({ emulator, account, service, newPlatform, build, release }) => {
      const good = await build("deployment-1", WEB, "web");
      await release("deployment-1", WEB, good.artifact ?? "");
      const bad = await build("deployment-2", WEB, "web-tripping");
      const { instances } = emulator.platform;
      const killed = "OutOfMemoryError: Container killed due to memory usage";
      instances.tell({
        stopped: [
          { stoppedReason: "Scaling activity initiated by deployment", ageMs: 600_000 },
          { stoppedReason: "Essential container in task exited", exitCode: 137, reason: killed },
        ],
      });
      const { status, failure } = await release("deployment-2", WEB, bad.artifact ?? "");
      assert.deepEqual([status, failure?.code], ["FAILED", "UNHEALTHY"]);
      const words = `Essential container in task exited (exit code 137, ${killed})`;
      assert.ok(failure?.message.includes(words), failure?.message);
      const family = `slipway-${service.serviceId.slice(4)}`;
      assert.ok(
        instances.asked.some((input) => input["family"] === family && input["desiredStatus"] === "STOPPED"),
      );

      instances.tell({ events: ["has started 1 tasks", "was unable to place a task: no capacity."] });
      const unplaced = await release("deployment-2b", WEB, bad.artifact ?? "");
      assert.match(unplaced.failure?.message ?? "", /last one: was unable to place a task: no capacity\. /);
      // A role of before may not ask; the release has failed all the same.
      emulator.faults.add({ api: "ecs:ListTasks", kind: { code: "AccessDeniedException", status: 400 } });
      const unknown = await release("deployment-2c", WEB, bad.artifact ?? "");
      assert.equal(unknown.failure?.code, "UNHEALTHY");
      assert.doesNotMatch(unknown.failure?.message ?? "", /ECS reports/);
      const first = await newPlatform().releases.describe(account, "deployment-1");
      assert.equal(first?.status, "LIVE");
      const third = await release("deployment-3", WEB, good.artifact ?? "");
      assert.equal(third.status, "LIVE", third.failure?.message);
    },
  );

  play(
    "a release whose template is too large for a call goes through the bucket",
    async ({ emulator, build, release }) => {
      const { artifact } = await build("deployment-1", WEB, "web");
      const variables = Array.from({ length: 20 }, (_, index) => ({
        name: `LARGE_${index}`,
        kind: "plainText" as const,
        value: "v".repeat(3_000),
      }));
      const { status, failure } = await release("deployment-1", WEB, artifact ?? "", variables);
      assert.equal(status, "LIVE", failure?.message);
      assert.ok(emulator.calls.some(({ api }) => api === "cloudformation:UpdateStack"));
    },
  );

  play(
    "an image of a registry runs without a build, by the digest that its tag had, also after the tag has moved",
    async ({ emulator, account, service, newPlatform, newRequest, build, release }) => {
      let digest = `sha256:${"1".repeat(64)}`;
      let isDown = true;
      const registry = createServer((_request, response) => {
        response.writeHead(isDown ? 503 : 200, { "docker-content-digest": digest }).end();
      }).listen(0, "127.0.0.1");
      await once(registry, "listening");
      try {
        const name = `127.0.0.1:${(registry.address() as AddressInfo).port}/acme/api`;
        const server = WEB as Extract<Workload, { type: "web" }>;
        const workload = { ...server, image: `${name}:1.4`, buildCommand: null, startCommand: null };
        const request = newRequest("deployment-1", workload, "web");
        await assert.rejects(newPlatform().builds.start(account, request), { kind: "retryable" });
        assert.equal(await newPlatform().builds.describe(account, request.token), null, "it is asked again");
        isDown = false;
        const { artifact } = await build("deployment-1", workload, "web");
        assert.equal(artifact, `${name}@${digest}`);
        digest = `sha256:${"2".repeat(64)}`;
        assert.equal((await build("deployment-1", workload, "web")).artifact, artifact);
        const prepared = { ...workload, preDeployCommand: "true" };
        for (const [token, wanted] of [
          ["deployment-1", prepared],
          ["restart", workload],
        ] as const) {
          const released = await release(token, wanted, artifact ?? "");
          assert.equal(released.status, "LIVE", released.failure?.message);
        }
        const [stack] = emulator.platform.stacks
          .of(account.accountId)
          .filter(({ now }) => now.Resources["Task"] !== undefined);
        for (const task of ["Task", "Runs"]) {
          const definitions = stack?.now.Resources[task]?.Properties["ContainerDefinitions"] as
            | Json[]
            | undefined;
          assert.equal(definitions?.[0]?.["Image"], artifact, task);
        }
        assert.equal((await build("deployment-2", workload, "web")).artifact, `${name}@${digest}`);
        const own = `${account.accountId}.dkr.ecr.${REGION}.amazonaws.com`;
        for (const [index, [image, code]] of (
          [
            [`${own}/slipway-${service.serviceId.slice(4)}:1`, "IMAGE_NOT_ALLOWED"],
            [`${own}/acme/api:1`, "IMAGE_NOT_FOUND"],
          ] as const
        ).entries()) {
          const refused = await build(`refused-${index}`, { ...workload, image }, "web");
          assert.deepEqual([refused.status, refused.failure?.code], ["FAILED", code]);
        }
        const pushed = await customerOf(MOTO_URL ?? "", account.roleArn).then((customer) =>
          customer.pushImage({ region: REGION, name: "acme/api" }, "2"),
        );
        const fromEcr = await build("ecr", { ...workload, image: `${own}/acme/api:2` }, "web");
        assert.equal(fromEcr.artifact, `${own}/acme/api@${pushed}`, fromEcr.failure?.message);
        assert.equal(emulator.platform.builds.builds.length, 0);
      } finally {
        registry.close();
      }
    },
  );

  play(
    "a size that Fargate does not have, and a value that CloudFormation would replace, fail at once",
    async ({ emulator, build, release }) => {
      const { artifact } = await build("deployment-1", WEB, "web");
      const odd = { ...WEB, size: { ...SIZE, cpu: 3 } } as Workload;
      assert.equal((await release("odd", odd, artifact ?? "")).failure?.code, "SIZE_NOT_AVAILABLE");
      const value = "{{resolve:secretsmanager:theirs}}";
      const trick = await release("trick", WEB, artifact ?? "", [
        { name: "TRICK", kind: "plainText", value },
      ]);
      assert.match(trick.failure?.message ?? "", /TRICK/);
      assert.ok(!emulator.calls.some(({ api }) => api === "cloudformation:UpdateStack"));
    },
  );

  play(
    "all distributions of a service point to what is released, those too that are made later",
    async ({ emulator, account, service, newCloud, build, release }) => {
      const { serviceId } = service;
      const origin = { kind: "none", serviceId } as const;
      const cloud = newCloud();
      await work(() => cloud.distributions.create(account, { token: "group-1", origin }));
      const { artifact } = await build("deployment-1", SITE, "static");
      const released = await release("deployment-1", SITE, artifact ?? "");
      assert.equal(released.status, "LIVE", released.failure?.message);
      await work(() => cloud.distributions.create(account, { token: "group-2", origin }));
      const external = { kind: "host", hostname: "elsewhere.example.com" } as const;
      await work(() => cloud.distributions.create(account, { token: "other", origin: external }));
      const customer = await customerOf(MOTO_URL ?? "", account.roleArn);
      const origins = await customer.distributionOrigins();
      const file = `slipway-${serviceId.slice(4)}-${account.accountId}.s3.${REGION}.amazonaws.com/${artifact}`;
      assert.deepEqual(origins.toSorted(), ["elsewhere.example.com", file, file, file]);

      const second = await build("deployment-2", SITE, "static");
      const later = await release("deployment-2", SITE, second.artifact ?? "");
      assert.deepEqual([later.status, later.url], ["LIVE", released.url]);
      assert.ok(emulator.calls.some(({ api }) => api === "cloudfront:UpdateDistribution"));
    },
  );

  for (const kind of ["throttled", "server-error", "reset", "lost-response"] as const) {
    play(
      `with ${kind} on 20 % of all calls, two deployments end live, each built and released once`,
      async ({ emulator, build, release }) => {
        emulator.faults.add({ api: "*", kind, rate: 0.2 });
        for (const token of ["deployment-1", "deployment-2"]) {
          const built = await build(token, WEB, "web");
          assert.equal(built.status, "SUCCEEDED", built.failure?.message);
          const released = await release(token, WEB, built.artifact ?? "");
          assert.equal(released.status, "LIVE", released.failure?.message);
        }
        assert.equal(emulator.platform.builds.builds.length, 2);
        const updates = emulator.platform.stacks.operations.filter(({ api }) => api.endsWith("UpdateStack"));
        assert.equal(updates.length, 2);
      },
    );
  }
});

function onlyWhenLost(error: unknown): null {
  assert.equal((error as { kind?: string }).kind, "retryable");
  return null;
}
