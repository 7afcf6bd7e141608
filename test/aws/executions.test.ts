/** Commands in the image of a live release: how each can end, and what ECS forgets or loses. */
import assert from "node:assert/strict";
import { describe } from "node:test";
import type { ExecutionRequest, ObservedExecution, Workload } from "../../src/cloud/platform.ts";
import { MOTO_URL, NEEDS_MOTO } from "./moto-url.ts";
import { play, SEED, SIZE, until, WEB, type World } from "./platform-world.ts";
import { work } from "./world.ts";

const SKIP = MOTO_URL === null ? NEEDS_MOTO : false;
const JOBS: Workload = { type: "scheduler", buildCommand: null, size: SIZE };

/** Deploys a service, then gives the means to run commands in it. */
async function deployed({ account, service, newPlatform, build, release }: World, workload: Workload = JOBS) {
  const { artifact } = await build("deployment-1", workload, "worker");
  const variables = [{ name: "WORD", kind: "plainText" as const, value: "of the release" }];
  const { status, failure } = await release("deployment-1", workload, artifact ?? "", variables);
  assert.equal(status, "LIVE", failure?.message);
  const request = (token: string, command: string, more: Partial<ExecutionRequest> = {}) => ({
    token,
    service,
    release: "deployment-1",
    command,
    size: { cpu: 0.5, memoryGb: 1 },
    timeLimitSeconds: 60,
    ...more,
  });
  const start = (one: ExecutionRequest) => work(() => newPlatform().executions.start(account, one));
  const describe = (token: string) => work(() => newPlatform().executions.describe(account, token));
  const end = (token: string): Promise<ObservedExecution> =>
    until(
      () => newPlatform().executions.describe(account, token),
      ({ endedAt }) => endedAt !== null,
    );
  const running = (token: string) =>
    until(
      () => newPlatform().executions.describe(account, token),
      ({ status: now }) => now === "RUNNING",
    );
  const linesOf = async (token: string) =>
    (await work(() => newPlatform().executions.logs(account, token, null))).lines.map(({ text }) => text);
  return { request, start, describe, end, running, linesOf };
}

describe(`executions on aws (seed ${SEED})`, { skip: SKIP, concurrency: 3 }, () => {
  play("a scheduler is live without instances, and its commands run in its network", async (world) => {
    const { request, start, end, linesOf } = await deployed(world);
    const types = world.emulator.platform.stacks.typesOf(world.account.accountId);
    assert.ok(types.includes("AWS::ECS::TaskDefinition") && !types.includes("AWS::ECS::Service"));
    await start(request("one", 'echo "word $WORD"'));
    const ended = await end("one");
    assert.deepEqual([ended.status, ended.exitCode, ended.failure], ["SUCCEEDED", 0, null]);
    assert.ok(ended.startedAt !== null && ended.endedAt !== null && ended.endedAt >= ended.startedAt);
    assert.deepEqual(await linesOf("one"), ["word of the release"]);
    const [asked] = world.emulator.platform.tasks.starts;
    const { environmentId } = world.service;
    assert.deepEqual(
      [asked?.environmentId, asked?.cpu, asked?.memory, asked?.cluster.startsWith("slipway-env-")],
      [environmentId, "512", "1024", true],
    );
    assert.match(asked?.definition ?? "", /:task-definition\/slipway-[0-9a-f]+-run:\d+$/);
  });

  play("a command of a web service is not in the release's log", async (world) => {
    const { request, start, end, linesOf } = await deployed(world, WEB);
    await start(request("one", "echo of the command; exit 3"));
    const { status, exitCode, failure } = await end("one");
    assert.deepEqual([status, exitCode, failure?.code], ["FAILED", 3, "COMMAND_FAILED"]);
    assert.deepEqual(await linesOf("one"), ["of the command"]);
    const { lines } = await work(() =>
      world.newPlatform().releases.logs(world.account, "deployment-1", null),
    );
    assert.deepEqual(
      lines.map(({ text }) => text),
      ["started deployment-1"],
    );
  });

  play("lost answers and dead processes start a command once", async (world) => {
    const { request, end } = await deployed(world);
    for (const api of ["s3:PutObject", "lambda:InvokeFunction"]) {
      world.emulator.faults.add({ api, kind: "lost-response", count: 3 });
      const { executions } = world.newPlatform();
      await executions.start(world.account, request(api, "true")).catch(() => undefined);
      world.emulator.faults.clear();
      await work(() => world.newPlatform().executions.start(world.account, request(api, "true")));
      assert.equal((await end(api)).status, "SUCCEEDED");
    }
    assert.equal(world.emulator.platform.tasks.starts.length, 2);
  });

  play(
    "lost answers and dead processes run preDeployCommand once, before the stack changes",
    async (world) => {
      const { account, service, emulator, newPlatform, build } = world;
      const workload = { ...WEB, preDeployCommand: ["sh", "-c", "echo migrated $WORD"] } as Workload;
      const { artifact } = await build("deployment-1", workload, "web");
      const request = {
        token: "deployment-1",
        service,
        workload,
        artifact: artifact ?? "",
        variables: [{ name: "WORD", kind: "plainText" as const, value: "it" }],
      };
      for (const api of ["s3:PutObject", "cloudformation:CreateStack", "lambda:InvokeFunction"])
        emulator.faults.add({ api, kind: "lost-response", count: 2 });
      await work(() => newPlatform().releases.start(account, request));
      const { failure } = await until(
        () => newPlatform().releases.describe(account, "deployment-1"),
        ({ status }) => status !== "STARTING",
      );
      assert.equal(failure, null);
      const commands = emulator.platform.tasks.starts.map(({ command, definition }) => [
        command,
        /task-definition\/(.*):/.exec(definition)?.[1]?.replace(/[0-9a-f]{12}/, "ID"),
      ]);
      assert.deepEqual(commands, [["sh -c 'echo migrated $WORD'", "slipway-ID-prepare-run"]]);
      const read = await work(() => newPlatform().releases.logs(account, "deployment-1", null));
      assert.deepEqual(
        read.lines.map(({ text }) => text),
        ["migrated it", "started deployment-1"],
      );
      const names = () => emulator.platform.stacks.names.filter((name) => name.includes("-svc-"));
      assert.equal(names().length, 2);
      await until(
        () =>
          newPlatform()
            .services.remove(account, service)
            .then(
              () => names().length,
              () => null,
            ),
        (left) => left === 0,
      );
    },
  );

  play("an end that was seen stays known when ECS has forgotten it", async (world) => {
    const { request, start, end, describe: describeOne } = await deployed(world);
    await start(request("one", "exit 0"));
    const seen = await end("one");
    world.emulator.platform.tasks.forget();
    assert.deepEqual(await describeOne("one"), seen);
  });

  play("a command is stopped at its limit, and when it is cancelled", async (world) => {
    const { request, start, running, end } = await deployed(world);
    await start(request("slow", "sleep 600", { timeLimitSeconds: 0.1 }));
    const slow = await end("slow");
    assert.deepEqual([slow.status, slow.exitCode, slow.failure?.code], ["TIMED_OUT", null, "TIMED_OUT"]);
    await start(request("unwanted", "sleep 600"));
    await running("unwanted");
    const cancel = () => work(() => world.newPlatform().executions.cancel(world.account, "unwanted"));
    await cancel();
    const unwanted = await end("unwanted");
    assert.deepEqual([unwanted.status, unwanted.failure?.code], ["CANCELLED", "CANCELLED"]);
    // It has ended, and the other was never started.
    await cancel();
    await work(() => world.newPlatform().executions.cancel(world.account, "never"));
  });

  play("what ECS ends fails with ECS's reason", async (world) => {
    const { request, start, running, end } = await deployed(world);
    const { tasks } = world.emulator.platform;
    const cases = [
      ["CannotPullContainerError: pull image manifest has been retried 1 time(s)", "IMAGE_NOT_AVAILABLE"],
      [
        "ResourceInitializationError: unable to pull secrets or registry auth: unable to retrieve secret",
        "VALUES_UNAVAILABLE",
      ],
      ["Timeout waiting for network interface provisioning to complete.", "NOT_STARTED"],
    ] as const;
    for (const [stoppedReason, code] of cases) {
      tasks.failNext({ stopCode: "TaskFailedToStart", stoppedReason });
      await start(request(code, "true"));
      const { status, failure, startedAt } = await end(code);
      assert.deepEqual([status, failure?.code, startedAt], ["FAILED", code, null]);
      assert.ok(failure?.message.includes(stoppedReason.replace(/\.$/, "")), failure?.message);
    }
    const killed = "OutOfMemoryError: Container killed due to memory usage";
    const ends = [
      [{ stopCode: "EssentialContainerExited", exitCode: 137, reason: killed }, "OUT_OF_MEMORY"],
      [{ stopCode: "SpotInterruption", exitCode: 143 }, "INTERRUPTED"],
      [{ stopCode: "UserInitiated", exitCode: 137 }, "INTERRUPTED"],
    ] as const;
    for (const [index, [how, code]] of ends.entries()) {
      const token = `${code}-${index}`;
      await start(request(token, "sleep 600"));
      await running(token);
      tasks.interrupt({ stoppedReason: "It was stopped.", ...how });
      const { status, failure } = await end(token);
      assert.deepEqual([status, failure?.code], ["FAILED", code]);
    }
  });

  play("a release that is not live, and a size that Fargate does not have, fail at once", async (world) => {
    const { request, start } = await deployed(world);
    const wrong = await start(request("wrong", "true", { release: "another" }));
    assert.deepEqual([wrong.status, wrong.failure?.code], ["FAILED", "RELEASE_NOT_LIVE"]);
    const odd = await start(request("odd", "true", { size: { cpu: 3, memoryGb: 1 } }));
    assert.deepEqual([odd.status, odd.failure?.code], ["FAILED", "SIZE_NOT_AVAILABLE"]);
    assert.deepEqual(world.emulator.platform.tasks.starts, []);
  });

  play(
    "a connection's stack of an earlier version deploys, and a command says to update it",
    async (world) => {
      world.emulator.platform.tasks.makeFunctionOld();
      const { request, start } = await deployed(world);
      const { status, failure } = await start(request("one", "true"));
      assert.deepEqual([status, failure?.code], ["FAILED", "STACK_OUTDATED"]);
      assert.match(failure?.message ?? "", /Update it with the current template/);
      const workload = { ...WEB, preDeployCommand: "true" } as Workload;
      const { artifact } = await world.build("deployment-2", workload, "web");
      const refused = await world.release("deployment-2", workload, artifact ?? "");
      assert.equal(refused.failure?.code, "PRE_DEPLOY_FAILED");
      assert.match(refused.failure?.message ?? "", /Update it with the current template/);
    },
  );

  play("removing a service stops its commands, and forgets them", async (world) => {
    const { account, service, newPlatform } = world;
    const { request, start, running, describe: describeOne } = await deployed(world);
    await start(request("one", "sleep 600"));
    await running("one");
    await until(
      () =>
        newPlatform()
          .services.remove(account, service)
          .then(
            () => "removed",
            (error: unknown) => {
              assert.equal((error as { kind?: string }).kind, "retryable");
              return "not yet";
            },
          ),
      (state) => state === "removed",
    );
    assert.equal(await describeOne("one"), null);
    assert.ok(world.emulator.calls.some(({ api }) => api === "ecs:StopTask"));
  });
});
