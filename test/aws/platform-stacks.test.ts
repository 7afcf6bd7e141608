/** Stacks that failed, or were changed or deleted by hand, and the deletion of all of them in order. */
import assert from "node:assert/strict";
import { describe } from "node:test";
import { CloudError } from "../../src/cloud/cloud.ts";
import type { PlatformService, StoreRequest } from "../../src/cloud/platform.ts";
import { tokenDigest } from "../../src/cloud/aws/calls/tags.ts";
import { storeStackOf } from "../../src/cloud/aws/platform/stacks/names.ts";
import { ofMoto } from "./emulator/customer.ts";
import { NEEDS_MOTO, MOTO_URL } from "./moto-url.ts";
import { play, SEED, SITE, until, WEB } from "./platform-world.ts";
import { work } from "./world.ts";

const SKIP = MOTO_URL === null ? NEEDS_MOTO : false;
const GONE = "Resource of type 'AWS::ECS::Service' with identifier 'arn:x' was not found";

describe(`stacks of the aws platform (seed ${SEED})`, { skip: SKIP, concurrency: 3 }, () => {
  play(
    "a change that CloudFormation could not take back is taken back before the next release",
    async ({ emulator, build, release }) => {
      const { artifact } = await build("deployment-1", WEB, "web");
      await release("deployment-1", WEB, artifact ?? "");
      const { stacks } = emulator.platform;
      stacks.leave("slipway-svc", "UPDATE_ROLLBACK_FAILED");
      const { status, failure } = await release("deployment-2", WEB, artifact ?? "");
      assert.equal(status, "LIVE", failure?.message);
      const continued = stacks.operations.filter(({ api }) => api.endsWith("ContinueUpdateRollback"));
      assert.equal(continued.length, 1);
    },
  );

  play(
    "an update that cannot be rolled back is reported with what to do, and after that the next release goes live",
    async ({ emulator, build, release }) => {
      const { artifact } = await build("deployment-1", WEB, "web");
      await release("deployment-1", WEB, artifact ?? "");
      const { stacks } = emulator.platform;
      stacks.setTrouble({ prefix: "slipway-svc", reason: GONE, of: ["update", "rollback"] });
      const second = await release("deployment-2", WEB, artifact ?? "");
      assert.deepEqual([second.status, second.failure?.code], ["FAILED", "STACK_STUCK"]);
      const third = await release("deployment-3", WEB, artifact ?? "");
      assert.deepEqual([third.status, third.failure?.code], ["FAILED", "STACK_STUCK"]);
      for (const { failure } of [second, third]) {
        assert.match(
          failure?.message ?? "",
          /Service .*: Resource .*not found\. Fix .* delete the stack slipway-svc-/,
        );
      }
      stacks.setTrouble(null);
      const fourth = await release("deployment-4", WEB, artifact ?? "");
      assert.equal(fourth.status, "LIVE", fourth.failure?.message);
    },
  );

  play(
    "a resource that was deleted by hand fails the release with what to do, and the previous release still serves",
    async ({ emulator, account, newPlatform, build, release }) => {
      const { artifact } = await build("deployment-1", WEB, "web");
      await release("deployment-1", WEB, artifact ?? "");
      emulator.platform.stacks.setTrouble({ prefix: "slipway-svc", reason: GONE, of: ["update"] });
      const { status, failure } = await release("deployment-2", WEB, artifact ?? "");
      assert.deepEqual([status, failure?.code], ["FAILED", "STACK_FAILED"]);
      assert.match(failure?.message ?? "", /deleted by hand, delete the stack slipway-svc-.* deploy again/);
      const first = await work(() => newPlatform().releases.describe(account, "deployment-1"));
      assert.equal(first?.status, "LIVE");
    },
  );

  play(
    "a change that CloudFormation does not begin ends the release at once, in its words",
    async ({ emulator, build, release }) => {
      const { artifact } = await build("deployment-1", WEB, "web");
      const kind = { code: "ValidationError", status: 400 };
      emulator.faults.add({ api: "cloudformation:UpdateStack", kind });
      const { status, failure } = await release("deployment-1", WEB, artifact ?? "");
      assert.deepEqual([status, failure?.code], ["FAILED", "STACK_FAILED"]);
      assert.match(failure?.message ?? "", /As the test asked for\./);
    },
  );

  play(
    "a service whose stack was deleted by hand is built and released anew",
    async ({ emulator, build, release }) => {
      const { artifact } = await build("deployment-1", WEB, "web");
      await release("deployment-1", WEB, artifact ?? "");
      await emulator.platform.stacks.deleteByHand("slipway-svc");
      const old = await release("deployment-2", WEB, artifact ?? "");
      assert.equal(old.failure?.code, "ARTIFACT_NOT_FOUND");
      const again = await build("deployment-3", WEB, "web");
      const released = await release("deployment-3", WEB, again.artifact ?? "");
      assert.equal(released.status, "LIVE", released.failure?.message);
    },
  );

  play(
    "a stack that could not be deleted, because files and distributions need it, is deleted and created again",
    async ({ emulator, build, release }) => {
      const { artifact } = await build("deployment-1", SITE, "static");
      await release("deployment-1", SITE, artifact ?? "");
      const { stacks } = emulator.platform;
      stacks.leave("slipway-svc", "DELETE_FAILED");
      const again = await build("deployment-2", SITE, "static");
      assert.equal(again.status, "SUCCEEDED", again.failure?.message);
      const released = await release("deployment-2", SITE, again.artifact ?? "");
      assert.equal(released.status, "LIVE", released.failure?.message);
      assert.deepEqual(
        stacks.operations.map(({ api }) => api.slice("cloudformation:".length)),
        ["CreateStack", "UpdateStack", "DeleteStack", "CreateStack", "UpdateStack"],
      );
    },
  );

  play("a stack that cannot be deleted is reported as stuck", async ({ emulator, build }) => {
    const { stacks } = emulator.platform;
    await build("deployment-1", SITE, "static");
    stacks.leave("slipway-svc", "DELETE_FAILED");
    stacks.setTrouble({ prefix: "slipway-svc", reason: "A policy forbids it.", of: ["delete"] });
    const { status, failure } = await build("deployment-2", SITE, "static");
    assert.deepEqual([status, failure?.code], ["FAILED", "STACK_STUCK"]);
    assert.match(failure?.message ?? "", /A policy forbids it\./);
  });

  play(
    "a change set that was never executed does not stand in the way",
    async ({ emulator, account, service, build }) => {
      const name = `slipway-svc-${service.serviceId.slice(4)}`;
      emulator.platform.stacks.review(account.accountId, service.region, name);
      const { status, failure } = await build("deployment-1", SITE, "static");
      assert.equal(status, "SUCCEEDED", failure?.message);
    },
  );

  play(
    "a CodeBuild project that was deleted by hand is reported with what to do",
    async ({ emulator, build }) => {
      await build("deployment-1", SITE, "static");
      emulator.platform.stacks.deleteResource("AWS::CodeBuild::Project");
      const { status, failure } = await build("deployment-2", SITE, "static");
      assert.deepEqual([status, failure?.code], ["FAILED", "STACK_FAILED"]);
      assert.match(failure?.message ?? "", /CodeBuild project slipway-.* delete the stack slipway-svc-/);
    },
  );

  play(
    "a release that takes its time says what it waits for",
    async ({ account, newPlatform, service, build }) => {
      const { artifact } = await build("deployment-1", WEB, "web-unhealthy");
      const platform = newPlatform();
      const request = {
        token: "deployment-1",
        service,
        workload: WEB,
        artifact: artifact ?? "",
        variables: [],
      };
      await work(() => platform.releases.start(account, request));
      await until(
        () => platform.releases.describe(account, "deployment-1"),
        ({ waitingFor }) =>
          /^CloudFormation to finish the stack slipway-svc-.*, which is at Service$/.test(waitingFor ?? ""),
      );
    },
  );

  play(
    "an environment's stack is deleted after those of its services, and says what is still in the way",
    async ({ emulator, account, service, newPlatform, build, release }) => {
      const { artifact } = await build("deployment-1", WEB, "web");
      await release("deployment-1", WEB, artifact ?? "");
      const { services, environments } = newPlatform();
      const reasons = new Set<string>();
      const remove = async () => {
        try {
          await environments.remove(account, service);
          return true;
        } catch (error) {
          assert.ok(error instanceof CloudError && error.kind === "retryable", String(error));
          reasons.add(error.message);
          return false;
        }
      };
      await until(
        async () =>
          (await remove()) || [...reasons].some((reason) => reason.includes("in use by slipway-svc")),
        (isTold) => isTold,
      );
      // Ordered, and then done.
      await work(() => services.remove(account, service));
      await work(() => services.remove(account, service));
      await until(remove, (isRemoved) => isRemoved);
      assert.deepEqual(emulator.platform.stacks.names, []);
      await environments.remove(account, service);
    },
  );

  play(
    "S15: what a release runs with is its environment's, made by the connection's stack and removed with it",
    async ({ emulator, account, service, newPlatform, build, release }) => {
      const { artifact } = await build("deployment-1", WEB, "web");
      const run = `slipway-run-${service.environmentId}`;
      const deploy = `slipway-deploy-${service.environmentId}`;
      const own = `slipway-build-${service.serviceId}`;
      const { roles, stacks } = emulator.platform;
      assert.deepEqual(roles.of(account.accountId), [own]);
      const { status, failure } = await release("deployment-1", WEB, artifact ?? "");
      assert.equal(status, "LIVE", failure?.message);
      assert.deepEqual(roles.of(account.accountId), [own, deploy, run]);
      const path = `arn:aws:iam::${account.accountId}:role/slipway/${account.connectionId}`;
      const update = stacks.operations.find(({ api }) => api.endsWith("UpdateStack"));
      assert.equal(update?.roleArn, `${path}/${deploy}`);
      assert.equal(update.template.Resources["Task"]?.Properties["ExecutionRoleArn"], `${path}/${run}`);
      const made = stacks.operations.filter(({ api }) => api.endsWith("CreateStack"));
      const base = `arn:aws:iam::${account.accountId}:role/slipway-deploy-${account.connectionId}`;
      assert.deepEqual(
        made.map(({ roleArn }) => roleArn),
        [base, base],
      );

      const { services, environments } = newPlatform();
      const repeat = (step: () => Promise<void>) =>
        until(
          () =>
            step().then(
              () => true,
              () => false,
            ),
          (isDone) => isDone,
        );
      await work(() => services.remove(account, service));
      await repeat(() => services.remove(account, service));
      await repeat(() => environments.remove(account, service));
      assert.deepEqual(roles.of(account.accountId), []);
    },
  );

  play(
    "S15: a connection whose stack is of version 1 builds and releases as before",
    async ({ emulator, account, build, release }) => {
      // Its stack has no function that makes roles.
      emulator.trust.deny(account.roleArn, "lambda:InvokeFunction");
      const { artifact } = await build("deployment-1", WEB, "web");
      const { status, failure } = await release("deployment-1", WEB, artifact ?? "");
      assert.equal(status, "LIVE", failure?.message);
      const update = emulator.platform.stacks.operations.find(({ api }) => api.endsWith("UpdateStack"));
      const { accountId, connectionId } = account;
      assert.equal(update?.roleArn, `arn:aws:iam::${accountId}:role/slipway-deploy-${connectionId}`);
      const { Task, BuildRole } = update.template.Resources;
      assert.equal(
        Task?.Properties["ExecutionRoleArn"],
        `arn:aws:iam::${accountId}:role/slipway-run-${connectionId}`,
      );
      assert.equal(BuildRole?.Type, "AWS::IAM::Role");
      assert.deepEqual(emulator.platform.roles.of(accountId), []);
    },
  );

  play(
    "S15: a release that the update of the connection's stack to version 2 broke is taken back by the next one",
    async ({ emulator, account, service, build, release }) => {
      emulator.trust.deny(account.roleArn, "lambda:InvokeFunction");
      const { artifact } = await build("deployment-1", WEB, "web");
      await release("deployment-1", WEB, artifact ?? "");
      // Half-way, DeployRole lost the right to change the service, forth and back.
      const { stacks } = emulator.platform;
      const reason = "not authorized to perform: ecs:UpdateService";
      stacks.setTrouble({ prefix: "slipway-svc", reason, of: ["update", "rollback"] });
      const broken = await release("deployment-2", WEB, artifact ?? "");
      assert.equal(broken.status, "FAILED");
      stacks.setTrouble(null);
      emulator.trust.allow(account.roleArn, "lambda:InvokeFunction");
      const { status, failure } = await release("deployment-3", WEB, artifact ?? "");
      assert.equal(status, "LIVE", failure?.message);
      const continued = stacks.operations.findLast(({ api }) => api.endsWith("ContinueUpdateRollback"));
      // The one role that may change the service.
      assert.match(continued?.roleArn ?? "", new RegExp(`/slipway-deploy-${service.environmentId}$`));
    },
  );

  play(
    "a database is created, changed, backed up, restored and removed, and its data is never replaced",
    async ({ emulator, account, service, newPlatform }) => {
      const { stacks } = emulator.platform;
      const stores = () => newPlatform().stores;
      const store = { type: "postgres", deletionProtection: true } as const;
      const ensure = (more: object = {}, of: Partial<StoreRequest> = {}) =>
        work(() =>
          stores().ensure(account, { service, store: { ...store, ...more }, snapshot: null, ...of }),
        );
      const settled = (one = service) =>
        until(
          () => stores().describe(account, one),
          ({ status }) => status === "AVAILABLE" || status === "FAILED",
        );
      const dataOf = (prefix: string) =>
        stacks.of(account.accountId).find(({ name }) => name.startsWith(prefix))?.now.Resources["Data"]
          ?.Properties;

      assert.equal((await ensure()).status, "CREATING");
      const created = await settled();
      assert.deepEqual([created.status, created.failure, created.version], ["AVAILABLE", null, "17"]);
      const { host, dbConnectionString, password, ...rest } = created.values;
      assert.deepEqual(rest, {
        dbName: { kind: "plainText", value: "app" },
        port: { kind: "plainText", value: "5432" },
        username: { kind: "plainText", value: "slipway" },
      });
      assert.ok(host?.kind === "plainText" && host.value !== "");
      for (const secret of [dbConnectionString, password])
        assert.ok(secret?.kind === "fromSecretsManager" && secret.reference.startsWith("arn:"));

      // Stopped in AWS, it is not used.
      const ask = await ofMoto(MOTO_URL ?? "", account.roleArn, service.region);
      const instance = { DBInstanceIdentifier: storeStackOf(service.serviceId) };
      assert.match(await ask("rds", "StopDBInstance", instance), /<StopDBInstanceResult>/);
      const stopped = await work(() => stores().describe(account, service));
      assert.deepEqual(
        [stopped?.status, stopped?.failure?.code, stopped?.values],
        ["CHANGING", "STORE_STOPPED", {}],
      );
      const placed = [{ ...service, type: "postgres" }] as const;
      const down = await work(() => stores().listDown(account, placed));
      assert.deepEqual([...down], [[service.serviceId, stopped?.failure]]);
      await ask("rds", "StartDBInstance", instance);
      assert.deepEqual(await work(() => stores().describe(account, service)), created);

      // The stack has a policy, and the role of no service.
      const [creation] = stacks.operations.filter(({ name }) => name.startsWith("slipway-store-"));
      assert.ok(creation?.roleArn.includes("role/slipway-deploy-"));
      assert.match(creation?.policy ?? "", /"Deny".*"Update:Replace".*LogicalResourceId\/Data/);

      // Nothing changes without a change, and what would replace data is refused before anything is called.
      const before = stacks.operations.length;
      assert.equal((await ensure()).status, "AVAILABLE");
      for (const more of [{ type: "mysql" }, { version: "18" }, { storageGb: 19 }])
        await assert.rejects(ensure(more), /would replace the data, so nothing was changed/);
      await assert.rejects(ensure({ storageGb: 21 }), /RDS adds at least 10 %. Write storageGb: 22 or more/);
      assert.equal(stacks.operations.length, before);
      assert.equal((await ensure({ storageGb: 50, size: "small" })).status, "CHANGING");
      assert.equal((await settled()).failure, null);
      assert.deepEqual(
        [dataOf("slipway-store-")?.["AllocatedStorage"], dataOf("slipway-store-")?.["DBInstanceClass"]],
        ["50", "db.t4g.small"],
      );

      // A change that fails leaves it as it was, and can be taken back.
      const grow = async () => {
        stacks.setTrouble({ prefix: "slipway-store-", reason: "Storage is busy.", of: ["update"] });
        await ensure({ storageGb: 60, size: "small" });
        return await settled();
      };
      await grow();
      stacks.setTrouble(null);
      await assert.rejects(ensure({ storageGb: 49, size: "small" }), /It has 50 GB of storage/);
      await ensure({ storageGb: 50, size: "small" });
      assert.equal((await settled()).failure, null);
      const kept = await grow();
      assert.deepEqual([kept.status, kept.failure?.code], ["AVAILABLE", "STACK_FAILED"]);
      assert.match(kept.failure?.message ?? "", /Storage is busy\. Its data is as it was before\./);
      assert.equal(kept.values["dbName"]?.kind, "plainText");
      stacks.setTrouble(null);

      // A snapshot is taken once, and outlives its store.
      emulator.faults.add({ api: "rds:CreateDBSnapshot", kind: "lost-response", count: 1 });
      await work(() => stores().snapshots.create(account, service, "snap_1")).catch(() => undefined);
      const taken = await until(
        () => stores().snapshots.create(account, service, "snap_1"),
        ({ status }) => status !== "CREATING",
      );
      assert.deepEqual([taken.status, taken.sizeBytes], ["AVAILABLE", 50 * 2 ** 30]);

      // A last snapshot that is lost is taken again.
      await work(() => stores().snapshots.create(account, service, "snap_2"));
      await work(() => stores().snapshots.describe(account, service, "snap_2"));
      const named = { DBSnapshotIdentifier: `slipway-store-${tokenDigest("snap_2").slice(0, 24)}` };
      assert.match(await ask("rds", "DeleteDBSnapshot", named), /<DeleteDBSnapshotResult>/);
      const causes = new Set<string>();
      await until(
        async () => {
          const left = await stores().remove(account, service, "snap_2");
          if (left !== null && left.failure !== null) causes.add(left.failure.code);
          return left ?? "removed";
        },
        (seen) => seen === "removed",
      );
      assert.deepEqual([...causes], ["SNAPSHOT_FAILED"]);
      assert.ok(!stacks.names.some((name) => name.startsWith("slipway-store-")));
      assert.equal(await work(() => stores().describe(account, service)), null);
      for (const token of ["snap_1", "snap_2"]) {
        const seen = await work(() => stores().snapshots.describe(account, service, token));
        assert.equal(seen?.status, "AVAILABLE", token);
      }

      // Another store gets its data, with the password of its own.
      const second = { ...service, serviceId: `${service.serviceId}2` };
      const lost = await ensure(
        {},
        { service: second, snapshot: { serviceId: service.serviceId, token: "none" } },
      );
      assert.deepEqual([lost.status, lost.failure?.code], ["FAILED", "SNAPSHOT_NOT_FOUND"]);
      const small = await ensure(
        { storageGb: 49 },
        { service: second, snapshot: { serviceId: service.serviceId, token: "snap_2" } },
      );
      assert.deepEqual([small.status, small.failure?.code], ["FAILED", "SNAPSHOT_DIFFERS"]);
      assert.match(small.failure?.message ?? "", /It has 50 GB of storage, which cannot become 49 GB/);
      // Its stack fails, and then it is created from another snapshot.
      stacks.setTrouble({ prefix: "slipway-store-", reason: "The snapshot is lost.", of: ["create"] });
      await ensure({}, { service: second, snapshot: { serviceId: service.serviceId, token: "snap_1" } });
      assert.deepEqual((await settled(second)).status, "FAILED");
      stacks.setTrouble(null);
      await ensure({}, { service: second, snapshot: { serviceId: service.serviceId, token: "snap_2" } });
      assert.equal((await settled(second)).status, "AVAILABLE");
      const restored = dataOf("slipway-store-");
      assert.equal(restored?.["DBSnapshotIdentifier"], named.DBSnapshotIdentifier);
      // The last change had failed.
      assert.deepEqual([restored?.["DBName"], restored?.["AllocatedStorage"]], [undefined, "50"]);

      // Data that went behind our back is not replaced by an empty store.
      await stacks.deleteByHand("slipway-store-");
      const gone = await work(() => stores().describe(account, second));
      assert.deepEqual([gone?.status, gone?.failure?.code], ["AVAILABLE", "STORE_DELETED"]);
      await work(() => stores().snapshots.remove(account, service, "snap_1"));
      assert.equal(await work(() => stores().snapshots.describe(account, service, "snap_1")), null);
    },
  );

  play(
    "a cache has TLS, a token and snapshots; a bucket has none, and is only deleted when it is empty",
    async ({ emulator, account, service, newPlatform }) => {
      const { stacks } = emulator.platform;
      const stores = () => newPlatform().stores;
      const settled = (one: PlatformService) =>
        until(
          () => stores().describe(account, one),
          ({ status }) => status === "AVAILABLE" || status === "FAILED",
        );
      const removed = (one: PlatformService, snapshot: string | null) =>
        until(
          async () => (await stores().remove(account, one, snapshot)) ?? "removed",
          (seen) => seen === "removed" || seen.failure !== null,
        );
      const ensure = (one: PlatformService, store: StoreRequest["store"]) =>
        work(() => stores().ensure(account, { service: one, store, snapshot: null }));

      stacks.setTrouble({ prefix: "slipway-store-", reason: "No capacity.", of: ["create"] });
      await ensure(service, { type: "redis", deletionProtection: true });
      const refused = await settled(service);
      assert.deepEqual([refused.status, refused.failure?.code], ["FAILED", "STACK_FAILED"]);
      stacks.setTrouble(null);
      await ensure(service, { type: "redis", deletionProtection: true });
      const cache = await settled(service);
      assert.deepEqual([cache.status, cache.version], ["AVAILABLE", "8"], cache.failure?.message);
      assert.deepEqual(
        Object.entries(cache.values).map(([name, { kind }]) => [name, kind]),
        [
          ["connectionString", "fromSecretsManager"],
          ["authToken", "fromSecretsManager"],
          ["host", "plainText"],
          ["port", "plainText"],
        ],
      );
      assert.equal(await removed(service, "snap_of_cache"), "removed");
      const snapshot = await work(() => stores().snapshots.describe(account, service, "snap_of_cache"));
      assert.equal(snapshot?.status, "AVAILABLE");

      const bucket = { ...service, serviceId: `${service.serviceId}b` };
      const denied = { code: "AccessDenied", status: 403 };
      emulator.faults.add({ api: "cloudformation:DescribeStacks", kind: denied, count: 1 });
      const outdated = await ensure(bucket, { type: "bucket", deletionProtection: true });
      assert.deepEqual([outdated.status, outdated.failure?.code], ["FAILED", "STACK_OUTDATED"]);
      // What a role without stacks of data stores never began can be removed with that role.
      const operationsBefore = stacks.operations.length;
      emulator.faults.add({ api: "cloudformation:DescribeStacks", kind: denied, count: 1 });
      assert.equal(await work(() => stores().remove(account, bucket, null)), null);
      emulator.faults.clear();
      assert.equal(stacks.operations.length, operationsBefore);
      await ensure(bucket, { type: "bucket", deletionProtection: true });
      const made = await settled(bucket);
      const name = `data-slipway-${bucket.serviceId.slice(4)}-${account.accountId}`;
      assert.deepEqual(
        made.values,
        { bucketName: { kind: "plainText", value: name } },
        made.failure?.message,
      );
      await assert.rejects(
        work(() => stores().snapshots.create(account, bucket, "snap_of_bucket")),
        /A bucket has no snapshots/,
      );
      stacks.setTrouble({
        prefix: "slipway-store-",
        reason: "The bucket you tried to delete is not empty",
        of: ["delete"],
      });
      const full = await removed(bucket, null);
      assert.ok(full !== "removed");
      assert.deepEqual([full.status, full.failure?.code], ["AVAILABLE", "NOT_DELETED"]);
      assert.match(full.failure?.message ?? "", /not empty\. Delete all versions of its files/);
      assert.deepEqual(full.values, made.values);
      stacks.setTrouble(null);
      assert.equal(await removed(bucket, null), "removed");
      assert.equal(await removed(bucket, null), "removed");
    },
  );
});
