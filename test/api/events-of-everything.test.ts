/**
 * Walks through everything that happens to each resource, and finds its events. A type of the catalogue that no step
 * has seen fails the last test, unless another file has it (`ELSEWHERE`).
 */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { after, before, describe, it } from "node:test";
import type { TObject } from "typebox";
import { Check, Errors } from "typebox/value";
import { EVENT_CATALOGUE } from "../../src/start/event-catalogue.ts";
import {
  configOf,
  createIacProject,
  deploy,
  ended,
  listServices,
  push,
  withConfig,
} from "../helpers/customers/deployments.ts";
import { clearFaults, createStack, loseAccount, setFault } from "../helpers/customers/sandbox-account.ts";
import { connectAccount, createProjectIn, GIT_INTEGRATION } from "../helpers/customers/scenario.ts";
import { type Instance, startInstance } from "../helpers/instance.ts";
import { until } from "../helpers/until.ts";
import { createScratchUser } from "../helpers/users.ts";

/** Where the other types are found. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  // The sandbox's roles lack nothing.
  "aws_account.permissions_missing": "test/aws/acceptance.test.ts",
  "aws_account.permissions_restored": "test/aws/acceptance.test.ts",
  "data_store.created": "test/postgres/data-stores.test.ts",
  "data_store.failed": "test/postgres/data-stores.test.ts",
  "data_store.stopped": "src/features/deployments/reconcile.test.ts",
  "data_store.recovered": "src/features/deployments/reconcile.test.ts",
  "data_store.deleted": "src/features/deployments/reconcile.test.ts",
  "data_store.deletion_failed": "src/features/deployments/reconcile.test.ts",
  // Its instance has no mail server.
  "user.invited": "test/api/own-notifications.test.ts",
  "user.invitation_failed": "test/api/own-notifications.test.ts",
  // The sandbox takes every token.
  "git_integration.token_refused": "test/audit/git-tokens.test.ts",
  "git_integration.token_accepted": "test/audit/git-tokens.test.ts",
  "git_integration.report_refused": "test/api/git-reports.test.ts",
  "domain.connect_started": "test/api/domain-connect.test.ts",
  "domain.connect_returned": "test/api/domain-connect.test.ts",
  "domain.record_wrong": "test/api/domain-timeline.test.ts",
  "domain.dns_moved": "test/api/custom-domains-dns.test.ts",
  "domain.dns_records_set": "test/api/auto-dns.test.ts",
  "domain.dns_records_removed": "test/api/auto-dns.test.ts",
  // The sandbox runs one instance of each service, and caches nothing.
  "service.scaled": "test/aws/scaling.test.ts",
  "service.scaling_failed": "test/aws/scaling.test.ts",
  "service.invalidated": "test/api/invalidations.test.ts",
  "service.invalidation_failed": "test/aws/scaling.test.ts",
  "service.domains_imported": "test/api/domain-imports.test.ts",
  "domain.redirect_changed": "test/api/redirects.test.ts",
  "domain.redirect_served": "test/api/redirects.test.ts",
  "domain.redirect_failed": "test/api/redirects.test.ts",
  "domain_group.updated": "test/api/auto-dns.test.ts",
  "domain_group.share_link_created": "test/api/share-links.test.ts",
  "domain_group.share_link_opened": "test/api/share-page.test.ts",
  "domain_group.share_link_revoked": "test/api/share-links.test.ts",
  "domain_group.share_link_updated": "test/api/share-links.test.ts",
  "snapshot.created": "test/postgres/data-stores.test.ts",
  "snapshot.failed": "test/postgres/data-stores.test.ts",
  "execution.created": "test/api/executions.test.ts",
  "execution.succeeded": "test/api/executions.test.ts",
  "execution.failed": "test/api/executions.test.ts",
  "execution.cancelled": "test/api/executions.test.ts",
  "job.failed": "test/api/scheduled-jobs.test.ts",
  "job.missed": "test/api/scheduled-jobs.test.ts",
  "preview.cleanup_failed": "test/api/previews-cleanup.test.ts",
  "preview.ended": "test/api/previews-expiry.test.ts",
  "preview.slept": "test/api/preview-sleep.test.ts",
  "preview.woke": "test/api/preview-sleep.test.ts",
};
/** The same, for all types of a subject. */
const SUBJECTS_ELSEWHERE: Readonly<Record<string, string>> = {
  domain: "test/api/custom-domains-events.test.ts",
  certificate: "src/features/custom-domains/domain-events.test.ts",
  domain_group: "test/api/custom-domains-events.test.ts",
  webhook_endpoint: "test/api/webhooks.test.ts",
  notification_channel: "test/api/notifications.test.ts",
  preview: "test/api/previews.test.ts",
};

const CANARY = "canary-7d20-value-that-no-event-has";
const BYTES_MAX = 20_000;

type Shown = {
  readonly id: string;
  readonly sequence: number;
  readonly type: string;
  readonly subject: { readonly id: string; readonly type: string; readonly url: string };
  readonly projectId: string | null;
  readonly environmentId: string | null;
  readonly serviceId: string | null;
  readonly actor: { readonly kind: string; readonly id: string };
  // oxlint-disable-next-line typescript/no-explicit-any -- Its shape depends on the type.
  readonly data: any;
};

const SITE = { id: "site", type: "static", outputDirectory: "public" };
const page = (text: string) => ({ "public/index.html": text });

describe("events of everything", () => {
  let instance: Instance;
  const seen: Shown[] = [];
  let cursor = "0";

  before(async () => {
    instance = await startInstance();
  });
  after(() => instance.dispose());

  const admin = () => instance.admin;

  async function readOn(): Promise<void> {
    for (let hasMore = true; hasMore;) {
      const { body, status, text } = await admin().get(`/v1/events?after=${cursor}&limit=100`);
      assert.equal(status, 200, text);
      seen.push(...(body.events as Shown[]));
      ({ nextCursor: cursor, hasMore } = body);
    }
  }

  /** Waits for the events of a subject: exactly these, in this order, and among the others that are not named. */
  async function told(subjectId: string, ...types: readonly string[]): Promise<readonly Shown[]> {
    const found = () => seen.filter(({ subject, type }) => subject.id === subjectId && types.includes(type));
    try {
      await until(
        async () => {
          await readOn();
          return found().length >= types.length;
        },
        `${types.join(", ")} of ${subjectId}`,
      );
    } finally {
      const all = seen.filter(({ subject }) => subject.id === subjectId).map(({ type }) => type);
      assert.deepEqual(
        found().map(({ type }) => type),
        types,
        `of ${subjectId}: ${all.join(", ")}`,
      );
    }
    return found();
  }
  async function toldLast(subjectId: string, ...types: readonly string[]): Promise<Shown> {
    return (await told(subjectId, ...types)).at(-1) ?? assert.fail("no event");
  }

  it("report users and keys", async () => {
    const made = await admin().post("/v1/users", { email: "walk@example.com", role: "viewer" });
    const id = made.body.id as string;
    const key = await admin().post("/v1/api-keys", { name: "walk", userId: id });
    await admin().delete(`/v1/api-keys/${key.body.id}`);
    await admin().patch(`/v1/users/${id}`, { name: "Walker" });
    await admin().delete(`/v1/users/${id}`);
    await told(id, "user.created", "user.updated", "user.deleted");
    await told(key.body.id, "api_key.created", "api_key.deleted");
  });

  it("report the organization", async () => {
    const { body } = await admin().patch("/v1/organization", { name: "Walkers" });
    const renamed = await toldLast(body.id, "organization.updated");
    assert.deepEqual(renamed.data, { name: "Walkers" });
    assert.ok(renamed.subject.url.endsWith("/v1/organization"));
    await admin().patch("/v1/organization/branding", { name: "Walkers' sites" });
    const branded = await toldLast(body.id, "organization.branding_updated");
    assert.deepEqual(branded.data, { name: "Walkers' sites", accentColor: null, hasLogo: false });
  });

  it("report sessions", async () => {
    const { body } = await admin().post("/v1/sessions");
    await admin().delete(`/v1/sessions/${body.id}`);
    await told(body.id, "session.created", "session.ended");
  });

  it("report workload trusts", async () => {
    const service = await admin().post("/v1/users", { kind: "service", name: "CI", role: "viewer" });
    const { body } = await admin().post("/v1/workload-trusts", {
      name: "walk",
      userId: service.body.id,
      issuer: "https://issuer.example",
      audience: "slipway",
      conditions: { sub: "walk" },
      scopes: ["read"],
    });
    await admin().delete(`/v1/workload-trusts/${body.id}`);
    await told(body.id, "workload_trust.created", "workload_trust.deleted");
  });

  it("report cloud accounts", async () => {
    const id = await connectAccount(admin(), "walk");
    const [created, connected] = await told(id, "aws_account.created", "aws_account.connected");
    // The second time changes nothing.
    for (let times = 0; times < 2; times += 1)
      await admin().patch(`/v1/aws-accounts/${id}`, { name: "Walked" });
    const renamed = await told(id, "aws_account.created", "aws_account.connected", "aws_account.updated");
    assert.equal(renamed.at(-1)?.data.name, "Walked");
    assert.equal(created?.actor.kind, "user");
    assert.deepEqual(connected?.actor, { kind: "slipway", id: "slipway" });
    const accountNumber = connected?.data.connectedAwsAccountId;
    assert.match(accountNumber, /^\d{12}$/);
    assert.deepEqual(connected?.data, {
      givenId: "walk",
      name: "walk",
      status: "CONNECTED",
      connectedAwsAccountId: accountNumber,
      previousStatus: "AWAITING_CONNECTION",
    });
    await loseAccount(admin(), id);
    const lost = await toldLast(id, "aws_account.disconnected");
    assert.deepEqual([lost.data.reason, lost.data.error.code], ["ROLE_FAILED", "ACCESS_DENIED"]);
    // A check with the same result emits no event.
    const before = (await admin().get(`/v1/aws-accounts/${id}`)).body.lastCheckAt as string;
    await admin().post(`/v1/aws-accounts/${id}/check`);
    await until(
      async () => (await admin().get(`/v1/aws-accounts/${id}`)).body.lastCheckAt !== before,
      "the account is checked again",
    );
    await createStack(admin(), id);
    await told(id, "aws_account.connected", "aws_account.disconnected", "aws_account.connected");

    const unbound = await admin().post(`/v1/aws-accounts/${id}/unbind`);
    assert.equal(unbound.status, 200, unbound.text);
    const replaced = await toldLast(unbound.body.id, "aws_account.created");
    assert.equal(replaced.data.replaces, id);
    const disconnected = await toldLast(id, "aws_account.disconnected", "aws_account.disconnected");
    assert.deepEqual(
      [disconnected.data.reason, disconnected.data.status, disconnected.data.connectedAwsAccountId],
      ["UNBOUND", "AWAITING_CONNECTION", accountNumber],
    );
    await admin().delete(`/v1/aws-accounts/${unbound.body.id}`);
    const deleted = await toldLast(unbound.body.id, "aws_account.deleted");
    assert.equal(deleted.data.isAbandoned, false);

    const given = await connectAccount(admin(), "given-up");
    await loseAccount(admin(), given);
    await admin().post(`/v1/aws-accounts/${given}/abandon`);
    assert.equal((await toldLast(given, "aws_account.deleted")).data.isAbandoned, true);
  });

  it("report git integrations", async () => {
    const made = await admin().post("/v1/git-integrations", { provider: "provider_b", token: "any" });
    const path = `/v1/git-integrations/${made.body.id}`;
    await admin().patch(path, { token: "other" });
    await admin().post(`${path}/hook-secret`);
    await admin().delete(path);
    const [, token, secret] = await told(
      made.body.id,
      "git_integration.created",
      "git_integration.updated",
      "git_integration.updated",
      "git_integration.deleted",
    );
    assert.deepEqual([token?.data.updated, secret?.data.updated], ["token", "hookSecret"]);
    assert.equal((await admin().post("/v1/git-integrations", GIT_INTEGRATION)).status, 201);
  });

  it("report webhook endpoints", async () => {
    // Nothing listens there; other tests check that deliveries fail.
    const made = await admin().post("/v1/webhook-endpoints", {
      url: "http://127.0.0.1:9/",
      types: ["user.*"],
    });
    assert.equal(made.status, 201, made.text);
    const path = `/v1/webhook-endpoints/${made.body.id}`;
    await admin().patch(path, { types: ["user.created"] });
    await admin().post(`${path}/disable`);
    await admin().post(`${path}/enable`, {});
    await admin().post(`${path}/rotate-secret`, {});
    await admin().delete(path);
    await told(
      made.body.id,
      ...["created", "updated", "disabled", "enabled", "secret_rotated", "deleted"].map(
        (verb) => `webhook_endpoint.${verb}`,
      ),
    );
  });

  it("report notification channels", async () => {
    const made = await admin().post("/v1/notification-channels", {
      kind: "slack",
      name: "Chat",
      url: "http://127.0.0.1:9/",
      types: ["session.*"],
    });
    assert.equal(made.status, 201, made.text);
    const path = `/v1/notification-channels/${made.body.id}`;
    await admin().patch(path, { name: "Chat of the team" });
    await admin().patch(path, { enabled: false });
    await admin().patch(path, { enabled: true });
    await admin().delete(path);
    await told(
      made.body.id,
      ...["created", "updated", "disabled", "enabled", "deleted"].map(
        (verb) => `notification_channel.${verb}`,
      ),
    );
  });

  it("report projects, environments and services, and changes of a configuration", async () => {
    const account = await connectAccount(admin(), "main");
    const config = (...environments: readonly object[]) => ({ environments });
    const environment = (id: string, name: string, ...services: readonly object[]) => ({
      id,
      name,
      region: "us-west-2",
      source: { branch: "main" },
      services,
    });
    const first = environment("production", "Production", SITE, { ...SITE, id: "other" });
    const projectId = await createProjectIn(
      admin(),
      account,
      "walk",
      config(first, environment("extra", "Extra", SITE)),
    );
    const created = await toldLast(projectId, "project.created");
    assert.deepEqual(created.data, {
      name: "walk",
      status: "ACTIVE",
      repoUrl: (await admin().get(`/v1/projects/${projectId}`)).body.repoUrl,
    });
    const { environments } = (await admin().get(`/v1/projects/${projectId}/environments`)).body;
    const idOf = (configId: string): string =>
      environments.find((one: { configId: string }) => one.configId === configId).id;
    const services = await listServicesOf(idOf("production"));
    for (const id of [idOf("production"), idOf("extra")]) await told(id, "environment.created");
    for (const id of Object.values(services)) {
      const service = await toldLast(id, "service.created");
      assert.deepEqual(
        [service.projectId, service.environmentId, service.serviceId],
        [projectId, idOf("production"), id],
      );
    }

    const path = `/v1/projects/${projectId}`;
    const renamed = environment("production", "Renamed", { ...SITE, outputDirectory: "dist" });
    const changed = await admin().patch(path, {
      name: "walked",
      config: config({ ...renamed, envVariables: { SHOWN: CANARY } }),
    });
    assert.equal(changed.status, 200, changed.text);
    assert.deepEqual((await toldLast(projectId, "project.changed")).data.fields, ["name", "config"]);
    const { user } = (await admin().get("/v1/me")).body;
    assert.equal((await admin().put(`${path}/members/${user.id}`, { role: "viewer" })).status, 200);
    const member = { name: "walked", userId: user.id, role: "viewer" };
    assert.deepEqual((await toldLast(projectId, "project.member_changed")).data, member);
    const inPlace = await toldLast(idOf("production"), "environment.changed");
    assert.deepEqual([inPlace.data.fields, inPlace.data.name], [["name"], "Renamed"]);
    const settings = await toldLast(services["site"] ?? "", "service.changed");
    assert.deepEqual(settings.data.fields, ["outputDirectory"]);
    const removed = await toldLast(services["other"] ?? "", "service.deleted");
    assert.deepEqual([removed.projectId, removed.environmentId], [projectId, idOf("production")]);
    await told(idOf("extra"), "environment.created", "environment.deleted");
    const set = await toldLast(idOf("production"), "env_variables.stored");
    assert.deepEqual(set.data, {
      source: "config",
      variables: [{ name: "SHOWN", kind: "plainText", runId: null }],
      namesOmitted: 0,
    });
    // An unchanged variable is not in an event again.
    await admin().patch(path, { config: config({ ...renamed, envVariables: { SHOWN: CANARY, NEW: "1" } }) });
    const added = await toldLast(idOf("production"), "env_variables.stored", "env_variables.stored");
    assert.deepEqual(added.data.variables, [{ name: "NEW", kind: "plainText", runId: null }]);
    await admin().patch(path, { config: config(renamed) });
    const gone = await toldLast(idOf("production"), "env_variables.deleted");
    assert.deepEqual(
      gone.data.variables.map(({ name }: { name: string }) => name),
      ["NEW", "SHOWN"],
    );

    const deleted = await admin().delete(path);
    assert.equal(deleted.status, 202, deleted.text);
    const end = await toldLast(projectId, "project.deleted");
    assert.deepEqual([end.data.isAbandoned, end.actor.kind], [false, "slipway"]);
    const going = seen.filter(({ subject, type }) => subject.id === projectId && type === "project.changed");
    assert.deepEqual(
      going.map(({ data }) => [data.previousStatus, data.status]),
      [
        ["ACTIVE", "ACTIVE"],
        ["ACTIVE", "ACTIVE"],
        ["ACTIVE", "ACTIVE"],
        ["ACTIVE", "DELETING"],
      ],
    );
    await told(idOf("production"), "environment.created", "environment.deleted");
    await told(services["site"] ?? "", "service.created", "service.deleted");
  });

  it("report an abandoned project", async () => {
    const account = await connectAccount(admin(), "lost");
    const id = await createProjectIn(admin(), account, "lost", configOf([SITE]));
    await loseAccount(admin(), account);
    assert.equal((await admin().post(`/v1/projects/${id}/abandon`)).status, 200);
    const end = await toldLast(id, "project.created", "project.deleted");
    assert.equal(end.data.isAbandoned, true);
  });

  async function listServicesOf(environmentId: string): Promise<Record<string, string>> {
    const { body } = await admin().get(`/v1/environments/${environmentId}/services`);
    return Object.fromEntries(
      body.services.map(({ configId, id }: { configId: string; id: string }) => [configId, id]),
    );
  }

  it("report variables, by name and kind", async () => {
    const id = await createProjectIn(admin(), "main", "variables", configOf([SITE]));
    const [{ id: environmentId }] = (await admin().get(`/v1/projects/${id}/environments`)).body.environments;
    const { site: serviceId = "" } = await listServicesOf(environmentId);
    const path = `/v1/services/${serviceId}/env-variables`;
    const finished = (runId: string) =>
      until(async () => {
        const { body } = await admin().get(`${path}/status?runId=${runId}`);
        return body.isFinished === true && body;
      }, `run ${runId} ends`);
    const namesOf = ({ data }: Shown) => data.variables.map(({ name }: { name: string }) => name);

    await admin().post(path, { plainText: { B: CANARY, A: CANARY }, fromParameterStore: { C: "/c" } });
    const plain = await toldLast(serviceId, "env_variables.stored");
    assert.deepEqual(plain.data, {
      source: "api",
      variables: [
        { name: "A", kind: "plainText", runId: null },
        { name: "B", kind: "plainText", runId: null },
        { name: "C", kind: "fromParameterStore", runId: null },
      ],
      namesOmitted: 0,
    });
    assert.deepEqual(
      [plain.projectId, plain.environmentId, plain.serviceId, plain.actor.kind],
      [id, environmentId, serviceId, "user"],
    );
    await admin().post(`/v1/environments/${environmentId}/env-variables`, { plainText: { E: CANARY } });
    const shared = await toldLast(environmentId, "env_variables.stored");
    assert.deepEqual([shared.projectId, shared.environmentId, shared.serviceId], [id, environmentId, null]);

    await setFault(admin(), "parameters.put", "denied");
    const sent = await admin().post(path, {
      parameterStore: { NO: CANARY },
      secretsManager: { YES: CANARY },
    });
    const { runId } = sent.body;
    await finished(runId);
    const accepted = await toldLast(serviceId, "env_variables.accepted");
    assert.deepEqual(accepted.data.variables, [
      { name: "NO", kind: "parameterStore", runId },
      { name: "YES", kind: "secretsManager", runId },
    ]);
    const failed = await toldLast(serviceId, "env_variables.failed");
    assert.deepEqual([namesOf(failed), failed.data.error.code], [["NO"], "ACCESS_DENIED"]);
    const stored = await toldLast(serviceId, "env_variables.stored", "env_variables.stored");
    assert.deepEqual(stored.data.variables, [{ name: "YES", kind: "secretsManager", runId }]);

    await setFault(admin(), "parameters.put", "throttled");
    await admin().post(path, { parameterStore: { OVER: CANARY, GONE: CANARY } });
    await admin().post(path, { plainText: { OVER: CANARY } });
    await admin().delete(`${path}/GONE`);
    const ends = (await told(serviceId, ...Array.from({ length: 3 }, () => "env_variables.failed"))).slice(1);
    // Either run may notice it first.
    assert.deepEqual(ends.map((event) => `${namesOf(event)} ${event.data.error.code}`).toSorted(), [
      "GONE SUPERSEDED",
      "OVER SUPERSEDED",
    ]);
    await clearFaults(admin());
    await admin().delete(`${path}/A`);
    assert.deepEqual((await told(serviceId, "env_variables.deleted", "env_variables.deleted")).map(namesOf), [
      ["GONE"],
      ["A"],
    ]);
    assert.equal((await admin().delete(`${path}/A`)).status, 404);

    // More names than fit.
    const many = Array.from({ length: 200 }, (_, index) => `${"N".repeat(250)}_${index}`);
    await admin().post(path, { plainText: Object.fromEntries(many.map((name) => [name, "1"])) });
    const cut = await toldLast(serviceId, ...Array.from({ length: 4 }, () => "env_variables.stored"));
    assert.ok(cut.data.variables.length > 10);
    assert.equal(cut.data.variables.length + cut.data.namesOmitted, 200);
  });

  it("report deployments, each of their environments, and releases", async () => {
    await push(instance, "walk", withConfig(configOf([SITE]), page("one")));
    const projectId = await createIacProject(admin(), "walk");
    const first = await ended(admin(), await deploy(admin(), "walk"));
    const [environment] = first.environments;
    const all = await told(
      first.id,
      "deployment.created",
      "deployment.building",
      "deployment.deploying",
      "deployment.environment_succeeded",
      "deployment.succeeded",
    );
    for (const { projectId: of } of all) assert.equal(of, projectId);
    assert.equal(all[3]?.environmentId, environment.id);
    const { commitHash: commit } = first;
    assert.deepEqual(all[4]?.data, {
      status: "SUCCESS",
      previousStatus: "DEPLOYING",
      branch: "main",
      commit,
      trigger: "api",
      environments: [{ id: environment.id, environment: "production", status: "SUCCESS", error: null }],
    });
    const { site = "" } = await listServices(admin(), projectId);
    const released = await toldLast(site, "service.released");
    assert.deepEqual(released.data, {
      deploymentId: first.id,
      service: "site",
      commit,
      url: released.data.url,
    });

    await push(instance, "walk", withConfig(configOf([{ ...SITE, buildCommand: "exit 3" }]), page("two")));
    const broken = await ended(admin(), await deploy(admin(), "walk"), "BUILD_ERROR");
    const failed = await toldLast(broken.id, "deployment.failed");
    assert.equal(failed.data.error.code, broken.error.code);
    const inEnvironment = await toldLast(broken.id, "deployment.environment_failed");
    assert.deepEqual(
      inEnvironment.data.services.map(({ service, status }: { service: string; status: string }) => [
        service,
        status,
      ]),
      [["site", "BUILD_ERROR"]],
    );

    const slow = configOf([{ ...SITE, buildCommand: "sleep 300" }]);
    await push(instance, "walk", withConfig(slow, page("three")));
    const building = await deploy(admin(), "walk");
    await told(building, "deployment.building");
    const waiting = await deploy(admin(), "walk");
    await until(
      async () => (await admin().get(`/v1/deployments/${waiting}`)).body.environments.length === 1,
      "the second waits",
    );
    const third = await deploy(admin(), "walk");
    await ended(admin(), waiting, "SUPERSEDED");
    await told(waiting, "deployment.environment_superseded", "deployment.superseded");
    await until(
      async () => (await admin().get(`/v1/deployments/${third}`)).body.environments.length === 1,
      "the third waits",
    );
    await admin().post(`/v1/deployments/${third}/cancel`);
    const cancelled = await toldLast(third, "deployment.environment_cancelled", "deployment.cancelled");
    assert.equal(cancelled.actor.kind, "user");
    await admin().post(`/v1/deployments/${building}/cancel`);
    await ended(admin(), building, "CANCELLED");
    await told(building, "deployment.environment_cancelled", "deployment.cancelled");

    const last = await deploy(admin(), "walk");
    await told(last, "deployment.building");
    await admin().delete(`/v1/projects/${projectId}`);
    const cut = await toldLast(last, "deployment.cancelled");
    assert.equal(cut.data.error.code, "PROJECT_DELETED");
  });

  it("report approvals and decisions", async () => {
    await push(instance, "asked", withConfig(configOf([SITE]), page("one")));
    const projectId = await createIacProject(admin(), "asked");
    const [{ id: environmentId }] = (await admin().get(`/v1/projects/${projectId}/environments`)).body
      .environments;
    const protection = { approval: { approvers: "developer" } };
    await admin().patch(`/v1/environments/${environmentId}`, { protection });
    const { client: second, userId } = await createScratchUser(admin(), "developer");
    const held = await deploy(admin(), "asked");
    const asked = await toldLast(held, "deployment.approval_requested");
    const data = {
      branch: "main",
      commit: asked.data.commit,
      trigger: "api",
      startedBy: asked.data.startedBy,
      environment: "production",
    };
    assert.deepEqual(asked.data, { ...data, approvers: "developer", expiresAt: asked.data.expiresAt });
    assert.equal(asked.environmentId, environmentId);
    await second.post(`/v1/deployments/${held}/approve`, { comment: "Read." });
    await ended(admin(), held);
    const [approved] = await told(held, "deployment.approved", "deployment.succeeded");
    assert.deepEqual(approved?.data, { ...data, comment: "Read.", isBypass: false });
    assert.deepEqual(approved?.actor, { kind: "user", id: userId });
    const refused = await deploy(admin(), "asked");
    await told(refused, "deployment.approval_requested");
    await second.post(`/v1/deployments/${refused}/reject`, {});
    const [rejected, inEnvironment] = await told(
      refused,
      "deployment.rejected",
      "deployment.environment_cancelled",
      "deployment.cancelled",
    );
    assert.deepEqual(rejected?.data, { ...data, comment: null });
    assert.deepEqual(
      [inEnvironment?.data.previousStatus, inEnvironment?.data.error.code],
      ["PENDING_APPROVAL", "APPROVAL_REJECTED"],
    );
  });

  it("are numbered without a gap, emitted once, small, as declared, and without any value", async () => {
    await readOn();
    assert.deepEqual(
      seen.map(({ sequence }) => sequence),
      seen.map((_, index) => index + 1),
    );
    assert.equal(new Set(seen.map(({ id }) => id)).size, seen.length);
    assert.ok(!JSON.stringify(seen).includes(CANARY));
    for (const [subjectId, events] of Map.groupBy(seen, ({ subject }) => subject.id)) {
      const once = events.filter(
        ({ type }) => /\.(?:created|deleted)$/.test(type) && !type.startsWith("env_v"),
      );
      assert.equal(new Set(once.map(({ type }) => type)).size, once.length, subjectId);
      const ends = events.filter(({ type }) =>
        /^deployment\.(?:succeeded|failed|cancelled|superseded)$/.test(type),
      );
      const isDeployment = events.some(({ type }) => type === "deployment.created");
      assert.equal(ends.length, isDeployment ? 1 : 0, subjectId);
    }
    for (const { type, data } of seen) {
      const declared = EVENT_CATALOGUE.all.find((one) => one.type === type)?.data ?? assert.fail(type);
      assert.ok(Check(declared, data), `${type}: ${JSON.stringify([data, Errors(declared, data)])}`);
      const fields = Object.keys((declared as TObject).properties);
      assert.deepEqual(
        Object.keys(data as object).filter((name) => !fields.includes(name)),
        [],
        type,
      );
      assert.ok(Buffer.byteLength(JSON.stringify(data)) <= BYTES_MAX, type);
    }
  });

  it("are of every type of the catalogue", async () => {
    const types = new Set(seen.map(({ type }) => type));
    for (const { type, subject } of EVENT_CATALOGUE.all.filter((one) => !types.has(one.type))) {
      const file = ELSEWHERE[type] ?? SUBJECTS_ELSEWHERE[subject] ?? assert.fail(`${type} is found nowhere`);
      const text = await readFile(path.join(import.meta.dirname, "../..", file), "utf8");
      const isNamed = text.includes(`"${type}"`) || text.includes(`"${type} `) || text.includes(`\`${type} `);
      assert.ok(isNamed, `${file} has no ${type}`);
    }
  });
});
