/**
 * The reconcilers on a real database against a platform of a few lines: what a crash at each step leaves
 * behind, workers that overtake each other, deployments that race, and clouds that fail.
 */
import assert from "node:assert/strict";
import { rm } from "node:fs/promises";
import path from "node:path";
import { after, before, beforeEach, describe, it } from "node:test";
import { copyPgliteTemplate, makeTempDir } from "../../../test/helpers/template.ts";
import { type Actor, FULL_ACCESS } from "../../lib/actor.ts";
import { CloudError } from "../../cloud/cloud.ts";
import type {
  ObservedStore,
  PlacedStore,
  StoreRequest,
  ObservedBuild,
  ObservedRelease,
  Platform,
  RuntimeVariable,
  SourceCredentials,
} from "../../cloud/platform.ts";
import { type Database, readStatement, writeStatement } from "../../db/database.ts";
import { openPgliteDatabase } from "../../db/drivers/pglite.ts";
import { type Git, GitError } from "../../git/git.ts";
import { newConnectionId, newId } from "../../lib/ids.ts";
import type { Reconcile } from "../../jobs/jobs.ts";
import { stepsInARow } from "../../jobs/testing.ts";
import { createOrganization } from "../organizations/commands.ts";
import { findUserByEmail } from "../users/queries.ts";
import { applyConfiguration } from "../environments/apply-configuration.ts";
import { protectEnvironment } from "../projects/commands.ts";
import { getProject, listEnvironmentServices, listProjectEnvironments } from "../projects/queries.ts";
import { startPostDeploy } from "../executions/commands.ts";
import { listUnderWay } from "../executions/queries.ts";
import { deleteProject } from "../project-changes/delete-project.ts";
import { createConfigurationParser } from "../configuration/configuration.ts";
import { openSealing } from "../../sealing/open-sealing.ts";
import { Secret } from "../../sealing/secret.ts";
import { approveDeployment } from "./approval-commands.ts";
import { cancelDeployment, createDeployment, rollBackTo } from "./commands.ts";
import { hasEnded } from "./deployment.ts";
import { getDeploymentDetails } from "./queries.ts";
import { NO_PLATFORM, reconcileDeployment } from "./reconcile-deployment.ts";
import { reconcileEnvironment } from "./reconcile-environment.ts";
import type { StartPostDeploy } from "./service-step.ts";
import { reconcileEnvironmentRemoval, reconcileServiceRemoval } from "../releases/reconcile-removals.ts";
import { reconcileStoreChecks } from "../data-stores/reconcile-checks.ts";
import { reconcileDataStore } from "../data-stores/reconcile-data-stores.ts";
import { dataStores } from "../data-stores/store.ts";
import { deleteSnapshot, takeSnapshot } from "../data-stores/snapshot-commands.ts";
import { findFinalSnapshot, findSnapshot } from "../data-stores/queries.ts";
import { listStoreDeletions } from "../releases/queries.ts";
import { NO_PULL_REQUESTS } from "../../../test/helpers/git/no-pull-requests.ts";

const MAKE_AVAILABLE = writeStatement(
  "tests_make_store_available",
  `UPDATE data_stores SET status = 'AVAILABLE', version = '17' WHERE organization_id = $1 AND service_id = $2`,
);
const FAIL_SNAPSHOT = writeStatement(
  "tests_fail_snapshot",
  `UPDATE snapshots SET status = 'FAILED' WHERE organization_id = $1 AND id = $2`,
);
const COUNT_EVENTS = readStatement<{ type: string }>(
  "tests_events_of_subject",
  `SELECT type FROM event_outbox WHERE organization_id = $1 AND subject_id = $2 AND type = $3`,
);

class Crash extends Error {}

/** Counts a worker's outside effects, and kills it at the given step, before or after its effect. */
class Fuse {
  at = Number.POSITIVE_INFINITY;
  count = 0;
  when: "before" | "after" = "before";
  get isBlown(): boolean {
    return this.count >= this.at;
  }
  async run<T>(work: () => Promise<T>): Promise<T> {
    this.count += 1;
    const dies = this.count === this.at;
    if (dies && this.when === "before") throw new Crash();
    const result = await work();
    if (dies) throw new Crash();
    return result;
  }
}

/** The same database through a fuse: a crash in a transaction undoes it, one after its end does not. */
function fused(db: Database, fuse: Fuse): Database {
  return {
    ...db,
    // A death at a read is the same as one before the next write.
    query: (one, values) =>
      one.text.startsWith("SELECT") ? db.query(one, values) : fuse.run(() => db.query(one, values)),
    transaction: (work) => fuse.run(() => db.transaction(work)),
  };
}

type Scripted = Platform & {
  readonly builds: {
    readonly started: string[];
    /** What each start was given, to fetch the source with. */
    readonly credentials: (SourceCredentials | null)[];
    /** Whether a build that runs lost its credentials. */
    hasLost: boolean;
    /** Of each service's last build. */
    readonly variables: Map<string, readonly RuntimeVariable[]>;
  };
  readonly live: Map<string, string>;
  readonly removed: string[];
  /** Of each build and release, by commit or artifact. */
  readonly outcomes: { build: ObservedBuild["status"]; release: ObservedRelease["status"] };
  error: CloudError | null;
};

/** Of a cloud that creates no data stores: it has none, and creates none. */
const NO_STORES: Platform["stores"] = {
  ensure: () => Promise.reject(noStores("stores.ensure")),
  describe: () => Promise.resolve(null),
  remove: () => Promise.resolve(null),
  listDown: () => Promise.resolve(new Map()),
  snapshots: {
    create: () => Promise.reject(noStores("stores.snapshots.create")),
    describe: () => Promise.resolve(null),
    remove: () => Promise.resolve(),
  },
};

function noStores(operation: string): CloudError {
  return new CloudError("invalid", "INVALID_REQUEST", operation, "This cloud creates no data stores.");
}

const unused = (): Promise<never> => Promise.reject(new Error("No execution is expected."));

/** Ends a build and a release at the second look. */
function createScriptedPlatform(fuse: Fuse): Scripted {
  const builds = new Map<string, ObservedBuild>();
  const releases = new Map<string, ObservedRelease & { serviceId: string; artifact: string }>();
  const started: string[] = [];
  const variablesOf = new Map<string, readonly RuntimeVariable[]>();
  const live = new Map<string, string>();
  const removed: string[] = [];
  const outcomes: Scripted["outcomes"] = { build: "SUCCEEDED", release: "LIVE" };
  const call = <T>(work: () => T): Promise<T> =>
    fuse.run(async () => {
      if (platform.error !== null) throw platform.error;
      return work();
    });
  const noLogs = () => call(() => ({ lines: [], next: "0" }));
  const platform: Scripted = {
    error: null,
    live,
    removed,
    outcomes,
    builds: {
      started,
      credentials: [],
      hasLost: false,
      variables: variablesOf,
      start: async (_account, { token, source, service, variables }, openCredentials) => {
        const given = (await openCredentials?.()) ?? null;
        return await call(() => {
          platform.builds.credentials.push(given);
          platform.builds.hasLost = false;
          const known = builds.get(token);
          if (known !== undefined) return known;
          started.push(token);
          variablesOf.set(service.serviceId, variables);
          const at = { waitingFor: null, startedAt: new Date(), endedAt: null };
          const build = {
            id: source.commit,
            status: "RUNNING",
            artifact: null,
            failure: null,
            ...at,
          } as const;
          builds.set(token, build);
          return build;
        });
      },
      describe: (_account, token) =>
        call(() => {
          const build = builds.get(token);
          if (build === undefined) return null;
          if (platform.builds.hasLost) return { ...build, needsCredentials: true };
          if (build.status === "RUNNING" && outcomes.build !== "RUNNING") {
            const artifact = outcomes.build === "SUCCEEDED" ? `artifact of ${build.id}` : null;
            builds.set(token, { ...build, status: outcomes.build, artifact });
          }
          return build;
        }),
      cancel: (_account, token) =>
        call(() => {
          const build = builds.get(token);
          if (build !== undefined) builds.set(token, { ...build, status: "CANCELLED" });
        }),
      logs: noLogs,
    },
    releases: {
      start: (_account, { token, service, artifact }) =>
        call(() => {
          const known = releases.get(token);
          if (known !== undefined) return known;
          const { serviceId } = service;
          const release = {
            token,
            serviceId,
            artifact,
            status: "STARTING",
            failure: null,
            url: null,
            waitingFor: null,
          } as const;
          releases.set(token, release);
          return release;
        }),
      describe: (_account, token) =>
        call(() => {
          const release = releases.get(token);
          if (release?.status === "STARTING" && outcomes.release !== "STARTING") {
            releases.set(token, { ...release, status: outcomes.release, url: "http://127.0.0.1:1" });
            if (outcomes.release === "LIVE") live.set(release.serviceId, release.artifact);
          }
          return release ?? null;
        }),
      cancel: (_account, token) =>
        call(() => {
          const release = releases.get(token);
          if (release?.status === "STARTING") releases.set(token, { ...release, status: "SUPERSEDED" });
        }),
      health: () => Promise.resolve(null),
      logs: noLogs,
    },
    // None of these tests runs a command.
    executions: { start: unused, describe: unused, cancel: unused, logs: unused },
    services: {
      instances: () => Promise.resolve(null),
      scale: () => Promise.resolve(),
      remove: (_account, { serviceId }) =>
        call(() => {
          live.delete(serviceId);
          removed.push(serviceId);
        }),
    },
    stackNameOf: ({ id }) => id,
    stores: NO_STORES,
    environments: {
      activity: () => Promise.resolve([]),
      sleep: () => Promise.resolve(null),
      remove: (_account, { environmentId }) => call(() => void removed.push(environmentId)),
    },
  };
  return platform;
}

const SITE = { id: "site", type: "static", outputDirectory: "public" };
const API = { id: "api", type: "web", startCommand: "run", port: 3000 };
const WORKER = { id: "worker", type: "worker", startCommand: "run", dependsOn: ["site"] };
const WARMED = { ...WORKER, postDeployCommand: ["warm", "the cache"] };
const configOf = (services: readonly object[], more: readonly object[] = []) => ({
  environments: [{ id: "production", region: "us-west-2", source: { branch: "main" }, services }, ...more],
});
const commitOf = (digit: number) => String(digit).repeat(40);

describe("a worker", () => {
  let nowMs = Date.now();
  const clock = { now: () => new Date(nowMs) };
  const parseConfiguration = createConfigurationParser(null);
  let folder: string;
  let db: Database;
  let actor: Actor;
  let atRest: Awaited<ReturnType<typeof openSealing>>["atRest"];
  /** What the repository has: configurations by commit. */
  const repository = new Map<string, object>();
  let hostError: GitError | null = null;
  let loginError: GitError | null = null;
  let fuse: Fuse;
  let platform: Scripted;

  const jobs = { async enqueue() {} };
  const git: Git = {
    ...NO_PULL_REQUESTS,
    credentialsFor: ({ token }) => {
      if (loginError !== null) throw loginError;
      return { username: "git", token: token ?? "" };
    },
    listBranches: async () => [],
    readFile: (_access, _repository, commit) =>
      fuse.run(async () => {
        if (hostError !== null) throw hostError;
        const config = repository.get(commit);
        return config === undefined ? null : JSON.stringify(config);
      }),
    readCommit: async () => null,
    listCommits: async () => [],
    listChangesBetween: async () => null,
    userCanRead: async () => true,
    checkToken: async () => {},
    listFolder: async () => null,
    listRepositories: async () => ({ repositories: [], hasMore: false }),
  };

  before(async () => {
    folder = await makeTempDir("deployments");
    await copyPgliteTemplate(path.join(folder, "database"));
    db = await openPgliteDatabase({ folder: path.join(folder, "database") });
    ({ atRest } = await openSealing({ folder: path.join(folder, "keys"), clock }));
    const { organizationId } = await db.transaction((tx) => createOrganization(tx, "Test", null));
    const admin = await findUserByEmail(db, organizationId, "admin@localhost");
    assert.ok(admin !== null);
    actor = {
      organizationId,
      userId: admin.id,
      credential: { kind: "api-key", id: "key_1" },
      role: "admin",
      access: FULL_ACCESS,
      requestId: "request",
    };
  });
  after(async () => {
    await db.close();
    await rm(folder, { recursive: true, force: true });
  });
  beforeEach(() => {
    fuse = new Fuse();
    platform = createScriptedPlatform(fuse);
    hostError = null;
    loginError = null;
  });

  /** An `iac` project that was created with the configuration of commit 0. */
  async function createProject(config: object): Promise<string> {
    const { organizationId } = actor;
    const ids = { account: newConnectionId(), project: newId("proj"), git: newId("git") };
    await db.query(INSERT_ACCOUNT, [organizationId, ids.account]);
    const token = await atRest.seal(["git integration token", organizationId, ids.git], new Secret("any"));
    await db.query(INSERT_INTEGRATION, [organizationId, ids.git, token]);
    await db.query(INSERT_PROJECT, [organizationId, ids.project, ids.account]);
    await db.transaction(async (tx) => {
      const project = await getProject(tx, organizationId, ids.project);
      await applyConfiguration(tx, jobs, actor, project, [], parseConfiguration(config));
    });
    return ids.project;
  }

  async function deploy(
    projectId: string,
    commit: number,
    config: object,
    trigger: "api" | "push" = "api",
  ): Promise<string> {
    repository.set(commitOf(commit), config);
    const prepared = {
      projectId,
      environmentId: null,
      isForOneEnvironment: false,
      isPreview: false,
      branch: "main",
      commitHash: commitOf(commit),
    };
    const source = { trigger, rollbackOf: null };
    return (await db.transaction((tx) => createDeployment(tx, jobs, actor, prepared, source))).id;
  }

  const details = (id: string) => getDeploymentDetails(db, actor.organizationId, id);

  /** Takes steps of everything that may have work, each time as a new worker. @returns whether it crashed */
  async function look(projectId: string, ids: readonly string[], withPlatform: Platform | null = platform) {
    const through = fused(db, fuse);
    const limits = { buildMs: 30 * 60_000, releaseMs: 60 * 60_000 };
    const deps = {
      db: through,
      git,
      atRest,
      parseConfiguration,
      platform: withPlatform,
      clock,
      jobs,
      limits,
      startPostDeploy: ((tx, ...of) => startPostDeploy(tx, jobs, ...of)) satisfies StartPostDeploy,
    };
    const { organizationId } = actor;
    const environments = await listProjectEnvironments(db, organizationId, projectId);
    const signal = new AbortController().signal;
    const work: readonly (readonly [Reconcile, string])[] = [
      ...ids.map((id) => [reconcileDeployment(deps), id] as const),
      ...environments.map(({ id }) => [reconcileEnvironment(deps), id] as const),
    ];
    for (const [reconcile, id] of work) {
      try {
        await stepsInARow(reconcile)({ organizationId, id }, signal);
      } catch (error) {
        if (error instanceof Crash) return;
        if (!(error instanceof CloudError || error instanceof GitError)) throw error;
      }
    }
  }

  async function lookUntilEnded(projectId: string, ...ids: readonly string[]) {
    for (let turn = 0; turn < 60; turn += 1) {
      await look(projectId, ids);
      const all = await Promise.all(ids.map(details));
      if (all.every(({ deployment }) => hasEnded(deployment.status))) return all;
    }
    throw new Error(`It does not end: ${JSON.stringify(await Promise.all(ids.map(details)), null, 1)}`);
  }

  const servicesOf = async (projectId: string) => {
    const [environment] = await listProjectEnvironments(db, actor.organizationId, projectId);
    const services = await listEnvironmentServices(db, actor.organizationId, environment?.id ?? "");
    return new Map(services.map(({ configId, id }) => [configId, id]));
  };

  for (const when of ["before", "after"] as const) {
    it(`that dies ${when} any step leaves a deployment that another ends, with each build and command begun once`, async () => {
      const gone = { ...SITE, id: "gone" };
      for (let at = 1; ; at += 1) {
        fuse = new Fuse();
        platform = createScriptedPlatform(fuse);
        const projectId = await createProject(configOf([SITE, gone]));
        const id = await deploy(projectId, 1, configOf([SITE, WARMED]));
        Object.assign(fuse, { at, when, count: 0 });
        const [done] = await lookUntilEnded(projectId, id);
        const place = `dying ${when} step ${at}`;
        assert.equal(done?.deployment.status, "SUCCESS", place);
        assert.deepEqual(
          done.services.map(({ status }) => status),
          ["SUCCESS", "SUCCESS"],
          place,
        );
        const services = await servicesOf(projectId);
        assert.deepEqual([...services.keys()].toSorted(), ["site", "worker"], place);
        assert.equal(platform.builds.started.length, 2, place);
        const commands = await listUnderWay(db, actor.organizationId, services.get("worker") ?? "");
        assert.deepEqual(
          commands.map(({ id: executionId, command, deploymentId }) => [executionId, command, deploymentId]),
          [
            [
              done.services.find(({ type }) => type === "worker")?.postDeploy?.executionId,
              "warm 'the cache'",
              id,
            ],
          ],
          place,
        );
        for (const serviceId of services.values())
          assert.equal(platform.live.get(serviceId), `artifact of ${commitOf(1)}`, place);
        // The last rounds get by without reaching the step: every step had its turn.
        if (!fuse.isBlown) {
          assert.ok(at > 10, `only ${at} steps`);
          return;
        }
      }
    });
  }

  it("leaves a service of an image as it is at a push, unless its settings changed, and deploys it by hand", async () => {
    const api = { id: "api", type: "worker", image: "acme/api:1" };
    const next = { ...api, image: "acme/api:2" };
    const onPush = (service: object) => {
      const [environment] = configOf([SITE, service]).environments;
      return { environments: [{ ...environment, source: { branch: "main", trigger: "push" } }] };
    };
    const projectId = await createProject(onPush(api));
    const deployed = async (commit: number, service: object, trigger: "api" | "push") => {
      const id = await deploy(projectId, commit, onPush(service), trigger);
      const [done] = await lookUntilEnded(projectId, id);
      assert.equal(done?.deployment.status, "SUCCESS", done?.deployment.error?.message);
      const kept = done.runs.flatMap(({ plan }) => plan?.kept?.map((one) => one.service) ?? []);
      return [done.services.map(({ configId }) => configId).toSorted(), kept];
    };
    assert.deepEqual(await deployed(1, api, "push"), [["api", "site"], []]);
    assert.deepEqual(await deployed(2, api, "push"), [["site"], ["api"]]);
    assert.deepEqual(await deployed(3, api, "api"), [["api", "site"], []]);
    assert.deepEqual(await deployed(4, next, "push"), [["api", "site"], []]);
  });

  for (const when of ["before", "after"] as const) {
    it(`that dies ${when} any step of what waits for an approval leaves it to the decision`, async () => {
      for (let at = 1; ; at += 1) {
        const place = `dying ${when} step ${at}`;
        const end = async (decide: (id: string) => Promise<void>) => {
          fuse = new Fuse();
          platform = createScriptedPlatform(fuse);
          const projectId = await createProject(configOf([SITE]));
          await askForApproval(projectId);
          const id = await deploy(projectId, 1, configOf([SITE]));
          Object.assign(fuse, { at, when, count: 0 });
          for (let turn = 0; (await details(id)).deployment.status !== "PENDING_APPROVAL"; turn += 1) {
            assert.ok(turn < 60, place);
            await look(projectId, [id]);
          }
          await look(projectId, [id]);
          assert.deepEqual(platform.builds.started, [], place);
          await decide(id);
          const [done] = await lookUntilEnded(projectId, id);
          return { status: done?.deployment.status, code: done?.deployment.error?.code };
        };
        const approved = await end(async (id) => {
          const decision = { environmentId: null, comment: "Nobody else.", isBypass: true };
          await db.transaction(async (tx) => void (await approveDeployment(tx, jobs, actor, id, decision)));
        });
        assert.deepEqual(approved, { status: "SUCCESS", code: undefined }, place);
        assert.equal(platform.builds.started.length, 1, place);
        const isBlown = fuse.isBlown;
        const late = await end(async () => void (nowMs += 2 * 3_600_000));
        nowMs = Date.now();
        assert.deepEqual(late, { status: "CANCELLED", code: "APPROVAL_TIMED_OUT" }, place);
        assert.deepEqual(platform.builds.started, [], place);
        if (!isBlown) {
          assert.ok(at > 8, `only ${at} steps`);
          return;
        }
      }
    });
  }

  async function askForApproval(projectId: string): Promise<void> {
    const [environment] = await listProjectEnvironments(db, actor.organizationId, projectId);
    assert.ok(environment !== undefined);
    const protection = { deployers: "developer", approvers: "admin", approvalHours: 1 } as const;
    await db.transaction(async (tx) => void (await protectEnvironment(tx, actor, environment, protection)));
  }

  it("that was overtaken does nothing twice", async () => {
    const projectId = await createProject(configOf([SITE, WORKER]));
    const id = await deploy(projectId, 1, configOf([SITE, WORKER]));
    for (let turn = 0; turn < 20; turn += 1) {
      await Promise.all([look(projectId, [id]), look(projectId, [id]), look(projectId, [id])]);
    }
    const { deployment } = await details(id);
    assert.equal(deployment.status, "SUCCESS");
    assert.equal(platform.builds.started.length, 2);
  });

  it("ends two racing deployments with the newer one live", async () => {
    const projectId = await createProject(configOf([SITE]));
    const older = await deploy(projectId, 1, configOf([SITE]));
    const newer = await deploy(projectId, 2, configOf([SITE]));
    for (let turn = 0; turn < 10; turn += 1) {
      await Promise.all([look(projectId, [newer]), look(projectId, [older]), look(projectId, [newer])]);
    }
    const all = await lookUntilEnded(projectId, older, newer);
    assert.match(all[0]?.deployment.status ?? "", /^(SUCCESS|SUPERSEDED)$/);
    assert.equal(all[1]?.deployment.status, "SUCCESS");
    const site = (await servicesOf(projectId)).get("site") ?? "";
    assert.equal(platform.live.get(site), `artifact of ${commitOf(2)}`);
  });

  it("never prepares a deployment after a newer one of its branch", async () => {
    const projectId = await createProject(configOf([SITE]));
    const older = await deploy(projectId, 1, configOf([SITE, { ...SITE, id: "old" }]));
    const newer = await deploy(projectId, 2, configOf([SITE]));
    await lookUntilEnded(projectId, newer);
    const [one] = await lookUntilEnded(projectId, older);
    assert.equal(one?.deployment.status, "SUPERSEDED");
    assert.deepEqual(one.runs, []);
  });

  it("never runs an older deployment after a newer one in an environment, but runs it in the others", async () => {
    const pushed = {
      id: "pushed",
      region: "us-west-2",
      source: { branch: "main", trigger: "push" },
      services: [SITE],
    };
    const config = configOf([SITE], [pushed]);
    const projectId = await createProject(config);
    const older = await deploy(projectId, 1, config);
    await lookUntilEnded(projectId, await deploy(projectId, 2, config, "push"));
    const [one] = await lookUntilEnded(projectId, older);
    const ran = one?.runs.map(({ configId, status }) => `${configId} ${status}`) ?? [];
    assert.deepEqual(ran.toSorted(), ["production SUCCESS", "pushed SUPERSEDED"]);
    assert.equal(one?.deployment.status, "SUCCESS");
  });

  it("ends a run, and its services, when the cloud account is no longer connected", async () => {
    const projectId = await createProject(configOf([SITE]));
    platform.outcomes.build = "RUNNING";
    const id = await deploy(projectId, 1, configOf([SITE]));
    for (let turn = 0; turn < 3; turn += 1) await look(projectId, [id]);
    await db.query(DISCONNECT, [actor.organizationId, projectId]);
    const [done] = await lookUntilEnded(projectId, id);
    assert.equal(done?.deployment.error?.code, "AWS_ACCOUNT_NOT_CONNECTED");
    assert.equal(done.services[0]?.status, "CANCELLED");
  });

  it("runs a deployment in every environment of the branch, creates new ones and removes old ones", async () => {
    const other = (id: string, branch = "main") => ({
      id,
      region: "us-west-2",
      source: { branch },
      services: [SITE],
    });
    const projectId = await createProject(configOf([SITE], [other("old"), other("else", "develop")]));
    const id = await deploy(projectId, 1, configOf([SITE], [other("new")]));
    const [done] = await lookUntilEnded(projectId, id);
    assert.equal(done?.deployment.status, "SUCCESS");
    const ran = done.runs.map(({ configId, change, status }) => `${configId} ${change} ${status}`);
    assert.deepEqual(ran.toSorted(), [
      "new CREATED SUCCESS",
      "old REMOVED SUCCESS",
      "production KEPT SUCCESS",
    ]);
    const left = await listProjectEnvironments(db, actor.organizationId, projectId);
    assert.deepEqual(left.map(({ configId }) => configId).toSorted(), ["else", "new", "production"]);
  });

  it("removes a removed service from the platform, and repeats it when no call can still arrive", async () => {
    const projectId = await createProject(configOf([SITE, { ...SITE, id: "gone" }]));
    const gone = (await servicesOf(projectId)).get("gone") ?? "";
    await lookUntilEnded(projectId, await deploy(projectId, 1, configOf([SITE, { ...SITE, id: "gone" }])));
    await lookUntilEnded(projectId, await deploy(projectId, 2, configOf([SITE])));
    const remove = (at: Date) =>
      reconcileServiceRemoval({ db, platform, clock: { now: () => at }, jobs })(
        { organizationId: actor.organizationId, id: gone },
        new AbortController().signal,
      );
    assert.notEqual(await remove(new Date()), "done");
    assert.equal(await remove(new Date(Date.now() + 61_000)), "done");
    assert.deepEqual(platform.removed, [gone, gone]);
    assert.equal(await remove(new Date()), "done", "it is forgotten");
  });

  it("sees when a data store stops and works again, with one look for all of an account", async () => {
    const stores = ["one", "two", "three"].map((id) => ({ id, type: "postgres" }));
    const services = await servicesOf(await createProject(configOf([SITE, ...stores])));
    const { organizationId } = actor;
    const idOf = (name: string) => services.get(name) ?? "";
    const failure = { code: "STORE_STOPPED", message: "It is stopped." };
    const up: ObservedStore = {
      status: "AVAILABLE",
      failure: null,
      waitingFor: null,
      version: "17",
      values: { host: { kind: "plainText", value: "db" } },
    };
    const down = new Map<string, typeof failure>();
    const [looks, enqueued]: [string[][], string[]] = [[], []];
    const deps = {
      db,
      clock: { now: () => new Date() },
      jobs: {
        enqueue: (_tx: unknown, kind: string, { id }: { readonly id: string }) => {
          enqueued.push(`${kind} ${id}`);
          return Promise.resolve();
        },
      },
      platform: {
        ...platform,
        stores: {
          ...NO_STORES,
          ensure: (_account: unknown, { service }: StoreRequest) => {
            const why = down.get(service.serviceId);
            return Promise.resolve<ObservedStore>(
              why === undefined ? up : { ...up, status: "CHANGING", failure: why, values: {} },
            );
          },
          listDown: (_account: unknown, of: readonly PlacedStore[]) => {
            looks.push(of.map(({ serviceId }) => serviceId));
            return Promise.resolve(down);
          },
        },
      },
    };
    const { awsAccountId } = (await dataStores.find(db, organizationId, idOf("one"))) ?? assert.fail();
    const check = () => {
      enqueued.length = 0;
      return reconcileStoreChecks(deps)({ organizationId, id: awsAccountId }, new AbortController().signal);
    };
    const look = (name: string) =>
      reconcileDataStore(deps)({ organizationId, id: idOf(name) }, new AbortController().signal);
    const emitted = async (type: string) =>
      (await db.query(COUNT_EVENTS, [organizationId, idOf("two"), type])).length;
    const own = () => enqueued.filter((one) => [...services.values()].some((id) => one.endsWith(id)));

    for (const name of ["one", "two", "three"]) assert.equal(await look(name), "done");
    assert.ok(enqueued.includes(`data-store-checks ${awsAccountId}`), "once it is available, it is checked");
    assert.deepEqual(await check(), { runAfterMs: 120_000 });
    assert.equal(looks.length, 1);
    for (const name of ["one", "two", "three"]) assert.ok(looks[0]?.includes(idOf(name)));
    assert.deepEqual(own(), [], "a data store that works gets no work");

    down.set(idOf("two"), failure);
    await check();
    assert.deepEqual(own(), [`data-store ${idOf("two")}`]);
    for (const _time of [1, 2]) assert.equal(await look("two"), "done");
    const seen = await dataStores.find(db, organizationId, idOf("two"));
    assert.deepEqual([seen?.status, seen?.failure, seen?.values], ["CHANGING", failure, {}]);
    assert.equal(await emitted("data_store.stopped"), 1, "once, however often it is seen");
    await check();
    assert.deepEqual(own(), [], "what is known gets no work");

    down.clear();
    await check();
    assert.deepEqual(own(), [`data-store ${idOf("two")}`]);
    for (const _time of [1, 2]) assert.equal(await look("two"), "done");
    assert.equal((await dataStores.find(db, organizationId, idOf("two")))?.status, "AVAILABLE");
    assert.equal(await emitted("data_store.recovered"), 1);
    assert.equal(await emitted("data_store.created"), 1);
    const none = { organizationId, id: newConnectionId() };
    assert.equal(await reconcileStoreChecks(deps)(none, new AbortController().signal), "done");
    assert.equal(looks.length, 4, "an account without data stores is not asked");
  });

  it("takes at most 100 snapshots of a data store, and names one to delete", async () => {
    const services = await servicesOf(
      await createProject(configOf([SITE, { id: "orders", type: "postgres" }])),
    );
    const id = services.get("orders") ?? "";
    const take = () => db.transaction((tx) => takeSnapshot(tx, jobs, actor, id));
    const first = await take();
    for (let count = 2; count <= 100; count += 1) await take();
    await assert.rejects(take(), {
      code: "TOO_MANY_SNAPSHOTS",
      message: new RegExp(`Delete .* ${first.id}`),
    });
    await db.query(FAIL_SNAPSHOT, [actor.organizationId, first.id]);
    await db.transaction((tx) => deleteSnapshot(tx, jobs, actor, first.id));
    await take();
    await assert.rejects(take(), { code: "TOO_MANY_SNAPSHOTS" });
  });

  it("says why a data store cannot be removed, and removes it when the cause has ended", async () => {
    const files = { id: "files", type: "bucket", deletionProtection: false };
    const orders = { id: "orders", type: "postgres", deletionProtection: false };
    const projectId = await createProject(configOf([SITE, files, orders]));
    const services = await servicesOf(projectId);
    const id = services.get("files") ?? "";
    const { organizationId } = actor;
    await db.query(MAKE_AVAILABLE, [organizationId, services.get("orders") ?? ""]);
    await lookUntilEnded(projectId, await deploy(projectId, 1, configOf([SITE])));
    const failure = { code: "NOT_DELETED", message: "The bucket is not empty." };
    const full = { status: "AVAILABLE", failure, waitingFor: null, version: null, values: {} } as const;
    const removeFrom = (left: typeof full | null, serviceId = id) =>
      reconcileServiceRemoval({
        db,
        platform: { ...platform, stores: { ...NO_STORES, remove: () => Promise.resolve(left) } },
        clock: { now: () => new Date(Date.now() + 61_000) },
        jobs,
      })({ organizationId, id: serviceId }, new AbortController().signal);
    const deletions = async () =>
      (await listStoreDeletions(db, organizationId, projectId)).map(
        ({ configId, failure: why }) => [configId, why] as const,
      );
    const emitted = async (type: "data_store.deletion_failed" | "data_store.deleted") =>
      (await db.query(COUNT_EVENTS, [organizationId, id, type])).length;
    assert.deepEqual(
      new Map(await deletions()),
      new Map([
        ["files", null],
        ["orders", null],
      ]),
    );
    for (const message of [failure.message, "Its words differ."]) {
      const refused = { ...full, failure: { ...failure, message } };
      await assert.rejects(removeFrom(refused), { kind: "invalid", message });
      assert.deepEqual(new Map(await deletions()).get("files"), { ...failure, message });
      assert.equal(await emitted("data_store.deletion_failed"), 1, "once for each cause");
    }
    const last = await findFinalSnapshot(db, organizationId, services.get("orders") ?? "");
    await assert.rejects(removeFrom(full, services.get("orders")), { message: failure.message });
    const stuck = last && (await findSnapshot(db, organizationId, last.id));
    assert.deepEqual([stuck?.status, stuck?.failure], ["CREATING", failure]);

    assert.equal(await removeFrom(null), "done");
    assert.deepEqual(
      (await deletions()).map(([configId]) => configId),
      ["orders"],
    );
    assert.equal(await emitted("data_store.deleted"), 1);
    await assert.rejects(listStoreDeletions(db, organizationId, newId("proj")), { code: "NOT_FOUND" });
  });

  it("cancels waiting deployments at once, and stops builds and releases", async () => {
    const projectId = await createProject(configOf([SITE]));
    platform.outcomes.build = "RUNNING";
    const building = await deploy(projectId, 1, configOf([SITE]));
    await look(projectId, [building]);
    const waiting = await deploy(projectId, 2, configOf([SITE]));
    await look(projectId, [waiting]);
    await db.transaction((tx) => cancelDeployment(tx, jobs, actor, waiting));
    assert.equal((await details(waiting)).deployment.status, "CANCELLED");
    await db.transaction((tx) => cancelDeployment(tx, jobs, actor, building));
    const [one] = await lookUntilEnded(projectId, building);
    assert.equal(one?.deployment.status, "CANCELLED");
    assert.equal(one.services[0]?.error?.code, "CANCELLED");

    platform.outcomes.build = "SUCCEEDED";
    platform.outcomes.release = "STARTING";
    const releasing = await deploy(projectId, 3, configOf([SITE]));
    for (let turn = 0; turn < 5; turn += 1) await look(projectId, [releasing]);
    assert.equal((await details(releasing)).deployment.status, "DEPLOYING");
    await db.transaction((tx) => cancelDeployment(tx, jobs, actor, releasing));
    const [two] = await lookUntilEnded(projectId, releasing);
    assert.equal(two?.deployment.status, "CANCELLED");
    assert.deepEqual([...platform.live.keys()], []);
  });

  it("keeps what is live when a release fails, and says why", async () => {
    const projectId = await createProject(configOf([SITE, WORKER]));
    await lookUntilEnded(projectId, await deploy(projectId, 1, configOf([SITE, WORKER])));
    platform.outcomes.release = "FAILED";
    const [done] = await lookUntilEnded(projectId, await deploy(projectId, 2, configOf([SITE, WORKER])));
    assert.equal(done?.deployment.error?.code, "RELEASE_FAILED");
    const ends = done.services.map((one) => `${one.configId} ${one.status} ${one.error?.code}`);
    assert.deepEqual(ends.toSorted(), ["site ERROR RELEASE_FAILED", "worker CANCELLED DEPENDENCY_FAILED"]);
    for (const artifact of platform.live.values()) assert.equal(artifact, `artifact of ${commitOf(1)}`);
  });

  it("removes an environment's shared resources after its services, also for a deleted project", async () => {
    const { organizationId } = actor;
    const staging = {
      id: "staging",
      region: "us-west-2",
      source: { branch: "main" },
      services: [{ ...SITE, id: "other" }],
    };
    const projectId = await createProject(configOf([SITE], [staging]));
    const before = await listProjectEnvironments(db, organizationId, projectId);
    const ids = await Promise.all(
      ["staging", "production"].map(async (configId) => {
        const id = before.find((one) => one.configId === configId)?.id ?? "";
        return [id, (await listEnvironmentServices(db, organizationId, id))[0]?.id ?? ""] as const;
      }),
    );
    const later = { now: () => new Date(Date.now() + 70_000) };
    const signal = new AbortController().signal;
    const removeService = reconcileServiceRemoval({ db, platform, clock: later, jobs });
    const removeEnvironment = reconcileEnvironmentRemoval({ db, platform, jobs });
    async function goes([environmentId, serviceId]: readonly [string, string], what: string) {
      const waits = await removeEnvironment({ organizationId, id: environmentId }, signal);
      assert.notEqual(waits, "done", what);
      assert.deepEqual(platform.removed, [], what);
      assert.equal(await removeService({ organizationId, id: serviceId }, signal), "done");
      assert.equal(await removeEnvironment({ organizationId, id: environmentId }, signal), "done");
      assert.deepEqual(platform.removed.splice(0), [serviceId, environmentId], what);
      assert.equal(await removeEnvironment({ organizationId, id: environmentId }, signal), "done");
      assert.deepEqual(platform.removed, [], what);
    }
    const [first, second] = ids;
    assert.ok(first !== undefined && second !== undefined);
    await lookUntilEnded(projectId, await deploy(projectId, 1, configOf([SITE], [staging])));
    await lookUntilEnded(projectId, await deploy(projectId, 2, configOf([SITE])));
    await goes(first, "an environment that the configuration no longer has");
    await db.transaction((tx) => deleteProject(tx, { jobs, platform }, actor, projectId));
    await goes(second, "the environment of a deleted project");
  });

  it("gives a build the effective variables, without links that have no address yet", async () => {
    const envVariables = { PLAIN: "one", API: { fromService: { id: "api", value: "host" } } };
    const worker = { id: "worker", type: "worker", startCommand: "run", envVariables };
    const config = configOf([worker, API]);
    const projectId = await createProject(config);
    await lookUntilEnded(projectId, await deploy(projectId, 1, config));
    const reader = (await servicesOf(projectId)).get("worker") ?? "";
    const given = platform.builds.variables.get(reader) ?? [];
    const isOfCommit = ({ name }: { name: string }) => name.startsWith("SLIPWAY_");
    assert.deepEqual(
      given.filter((one) => !isOfCommit(one)),
      [{ name: "PLAIN", kind: "plainText", value: "one" }],
    );
    assert.deepEqual(
      given.filter(isOfCommit).map(({ name }) => name),
      ["SLIPWAY_GIT_COMMIT_SHA", "SLIPWAY_GIT_BRANCH", "SLIPWAY_GIT_REPOSITORY", "SLIPWAY_DEPLOYMENT_ID"],
    );
  });

  it("builds a static site once the addresses that its visitors reach are known", async () => {
    const envVariables = { API: { fromService: { id: "api", value: "url" } } };
    const config = configOf([{ ...SITE, envVariables }, API]);
    const projectId = await createProject(config);
    const id = await deploy(projectId, 1, config);
    const services = await servicesOf(projectId);
    const site = services.get("site") ?? "";
    for (let turn = 0; turn < 3; turn += 1) await look(projectId, [id]);
    assert.ok(!platform.builds.variables.has(site), "its build waits");
    await db.query(NAME_DISTRIBUTION, [actor.organizationId, services.get("api") ?? ""]);
    await lookUntilEnded(projectId, id);
    const given = platform.builds.variables.get(site)?.find(({ name }) => name === "API");
    assert.deepEqual(given, { name: "API", kind: "plainText", value: "https://d1.cdn.test" });
  });

  it("rolls back without building, except for a service that was removed since", async () => {
    const other = { ...SITE, id: "other" };
    const projectId = await createProject(configOf([SITE]));
    const [first] = await lookUntilEnded(projectId, await deploy(projectId, 1, configOf([SITE, other])));
    await lookUntilEnded(projectId, await deploy(projectId, 2, configOf([SITE])));
    const begun = platform.builds.started.length;
    const id = first?.deployment.id ?? "";
    const back = await db.transaction((tx) => rollBackTo(tx, jobs, actor, id));
    // The repository has lost the commit's configuration; the deployment has not.
    repository.clear();
    const [done] = await lookUntilEnded(projectId, back.id);
    assert.equal(done?.deployment.status, "SUCCESS");
    assert.deepEqual(done.runs[0]?.plan?.created, ["other"]);
    assert.equal(platform.builds.started.length, begun + 1, "only the removed service is built");
    const site = (await servicesOf(projectId)).get("site") ?? "";
    assert.equal(platform.live.get(site), `artifact of ${commitOf(1)}`);
  });

  it("retries temporary failures, and ends with the reason of permanent ones", async () => {
    const projectId = await createProject(configOf([SITE]));
    const id = await deploy(projectId, 1, configOf([SITE]));
    platform.error = new CloudError("retryable", "THROTTLED", "builds.start", "Rate exceeded.");
    await look(projectId, [id]);
    const { deployment } = await details(id);
    assert.equal(deployment.status, "BUILDING");
    assert.equal(deployment.statusReason, "Rate exceeded.");
    platform.error = null;
    const [done] = await lookUntilEnded(projectId, id);
    assert.equal(done?.deployment.status, "SUCCESS");
    assert.equal(done.deployment.statusReason, null);

    platform.error = new CloudError("invalid", "INVALID_REQUEST", "builds.start", "It is refused.");
    const [refused] = await lookUntilEnded(projectId, await deploy(projectId, 2, configOf([SITE])));
    assert.equal(refused?.deployment.status, "BUILD_ERROR");
    assert.deepEqual(refused.services[0]?.error, {
      code: "INVALID_REQUEST",
      message: "It is refused.",
    });
  });

  it("hands over the credentials of the source, again if they were lost, and none that it does not have", async () => {
    const projectId = await createProject(configOf([SITE]));
    const id = await deploy(projectId, 1, configOf([SITE]));
    Object.assign(platform.outcomes, { build: "RUNNING" });
    await look(projectId, [id]);
    platform.builds.hasLost = true;
    await look(projectId, [id]);
    assert.equal(platform.builds.hasLost, false);
    const given = { username: "git", token: "any" };
    assert.deepEqual(platform.builds.credentials, [given, given]);
    assert.equal(platform.builds.started.length, 1);
    Object.assign(platform.outcomes, { build: "SUCCEEDED" });
    const [done] = await lookUntilEnded(projectId, id);
    assert.equal(done?.deployment.status, "SUCCESS");

    loginError = new GitError("HOST_REFUSED", "It is another host.");
    const [refused] = await lookUntilEnded(projectId, await deploy(projectId, 2, configOf([SITE])));
    assert.equal(refused?.deployment.status, "BUILD_ERROR");
    assert.deepEqual(refused.services[0]?.error, { code: "HOST_REFUSED", message: "It is another host." });
  });

  it("waits for a git host that is away, and fails if it stays away", async () => {
    const projectId = await createProject(configOf([SITE]));
    const id = await deploy(projectId, 1, configOf([SITE]));
    hostError = new GitError("HOST_UNAVAILABLE", "It does not answer.");
    nowMs = Date.now();
    await look(projectId, [id]);
    const waiting = (await details(id)).deployment;
    assert.equal(waiting.status, "PENDING");
    assert.equal(waiting.statusReason, "Waiting for the git host. It does not answer.");
    nowMs += 16 * 60_000;
    const [done] = await lookUntilEnded(projectId, id);
    assert.equal(done?.deployment.error?.code, "HOST_UNAVAILABLE");
  });

  it("of a cloud without a platform leaves deployments waiting, and says so", async () => {
    const projectId = await createProject(configOf([SITE]));
    const id = await deploy(projectId, 1, configOf([SITE]));
    await look(projectId, [id], null);
    const { deployment } = await details(id);
    assert.equal(deployment.status, "PENDING");
    assert.equal(deployment.statusReason, NO_PLATFORM);
    const [done] = await lookUntilEnded(projectId, id);
    assert.equal(done?.deployment.status, "SUCCESS", "and continues when there is one");
  });
});

const INSERT_ACCOUNT = writeStatement(
  "test_insert_account",
  `INSERT INTO aws_accounts (organization_id, id, given_id, name, status, connected_aws_account_id, role_arn)
   VALUES ($1, $2, $2, 'Test', 'CONNECTED', '123456789012', 'arn:aws:iam::123456789012:role/Test')`,
);
const INSERT_INTEGRATION = writeStatement(
  "test_insert_integration",
  `INSERT INTO git_integrations (organization_id, id, provider, host, sealed_token) VALUES ($1, $2, 'provider_a', '', $3)
   ON CONFLICT DO NOTHING`,
);
const INSERT_PROJECT = writeStatement(
  "test_insert_project",
  `INSERT INTO projects (organization_id, id, name, aws_account_id, repo_url, normalized_repo_url, provider, host,
                         config_type, config_file_path, config_file_branch, config)
   VALUES ($1, $2, 'Test', $3, 'https://github.com/a/b', 'https://github.com/a/b', 'provider_a', '', 'iac',
           'slipway.json', 'main', '{}')`,
);
const NAME_DISTRIBUTION = writeStatement(
  "test_name_distribution",
  "UPDATE distributions SET domain_name = 'd1.cdn.test' WHERE organization_id = $1 AND service_id = $2",
);
const DISCONNECT = writeStatement(
  "test_disconnect",
  `UPDATE aws_accounts SET status = 'DISCONNECTED'
    WHERE organization_id = $1 AND id = (SELECT aws_account_id FROM projects WHERE organization_id = $1 AND id = $2)`,
);
