/** The SDK against a whole Slipway with its sandbox: what its types and methods promise is what the service does. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { after, before, describe, it } from "node:test";
import {
  ApiError,
  type Domain,
  type Event,
  SignatureError,
  Slipway,
  WaitFailedError,
  webhooks,
} from "../../sdk/src/index.ts";
import { configOf, push, urlOf, withConfig } from "../helpers/customers/deployments.ts";
import { createStack } from "../helpers/customers/sandbox-account.ts";
import { ADMIN_KEY, type Instance, startInstance } from "../helpers/instance.ts";
import { until } from "../helpers/until.ts";

const SERVICES = [{ id: "site", name: "Site", type: "static", outputDirectory: "public" }];

describe("the SDK against Slipway", () => {
  let instance: Instance;
  let slipway: Slipway;
  let projectId: string;
  let environmentId: string;
  let serviceId: string;

  before(async () => {
    instance = await startInstance();
    slipway = new Slipway({ url: instance.url, token: ADMIN_KEY });
  });
  after(() => instance.dispose());

  it("connects an account, and waits until its role is verified", async () => {
    const account = await slipway.awsAccounts.create({ givenId: "acme" });
    assert.equal(account.status, "AWAITING_CONNECTION");
    const connected = slipway.awsAccounts.waitUntilConnected(account.id);
    await createStack(instance.admin, account.id);
    assert.equal((await connected).givenId, "acme");
  });

  it("creates a project, and lists what it has", async () => {
    await slipway.gitIntegrations.create({ provider: "provider_a", token: "any" });
    await push(instance, "shop", withConfig(configOf(SERVICES), { "public/index.html": "hello" }));
    const project = await slipway.projects.create({
      name: "Shop",
      repoUrl: urlOf("shop"),
      awsAccountId: "acme",
      codeSource: { provider: "provider_a" },
      configType: "iac",
      configFilePath: "slipway.json",
      configFileBranch: "main",
    });
    projectId = project.id;
    const { environments } = await slipway.environments.list(projectId);
    environmentId = environments[0]?.id ?? "";
    const { services } = await slipway.services.list(environmentId);
    serviceId = services[0]?.id ?? "";
    assert.equal((await slipway.services.get(serviceId)).environmentId, environmentId);
  });

  it("reads lists page by page", async () => {
    const names = ["Ada", "Bert", "Cleo", "Dora"];
    for (const name of names)
      await slipway.users.create({ name, email: `${name}@example.com`, role: "viewer" });
    const seen: string[] = [];
    for await (const { name } of slipway.users.list({ limit: 2 })) seen.push(name);
    assert.deepEqual(seen.slice(-names.length), names);
    let pages = 0;
    for await (const _page of slipway.users.list({ limit: 2 }).pages()) pages += 1;
    assert.equal(pages, Math.ceil(seen.length / 2));
  });

  it("gives the answer of the first call again, and refuses the key with another request", async () => {
    const options = { idempotencyKey: "once" };
    const body = { name: "Elsa", email: "elsa@example.com", role: "viewer" } as const;
    const first = await slipway.users.create(body, options).withResponse();
    const second = await slipway.users.create(body, options).withResponse();
    assert.deepEqual([first.replayed, second.replayed], [false, true]);
    assert.deepEqual(second.data, first.data);
    assert.notEqual(second.requestId, first.requestId);
    await assert.rejects(
      async () => await slipway.users.create({ ...body, name: "Eva" }, options),
      isCode("IDEMPOTENCY_KEY_REUSED"),
    );
    const { data, etag } = await slipway.users.get(first.data.id).withResponse();
    await slipway.users.update(data.id, { name: "Elsie" }, { ifMatch: etag ?? "" });
    await assert.rejects(
      async () => await slipway.users.update(data.id, { name: "Eva" }, { ifMatch: etag ?? "" }),
      isCode("PRECONDITION_FAILED"),
    );
    assert.equal(await slipway.users.delete(data.id), undefined);
  });

  it("sets variables of an environment and a service, and waits until they are stored", async () => {
    const environment = { environmentId };
    assert.deepEqual(await slipway.variables.set(environment, { plainText: { LOG_LEVEL: "debug" } }), {
      status: "completed",
      savedCount: 1,
    });
    const saved = await slipway.variables.set({ serviceId }, { secretsManager: { TOKEN: "a", KEY: "b" } });
    assert.equal(saved.status, "processing");
    const run = await slipway.variables.wait({ serviceId }, saved.runId);
    assert.deepEqual(Object.keys(run.storedEnvVariables).toSorted(), ["KEY", "TOKEN"]);
    const names: string[] = [];
    for await (const { name } of slipway.variables.listEffective(serviceId, { limit: 1 })) names.push(name);
    assert.deepEqual(names, ["KEY", "LOG_LEVEL", "TOKEN"]);
    assert.equal((await slipway.variables.get(environment, "LOG_LEVEL")).value, "debug");
    await slipway.variables.delete(environment, "LOG_LEVEL");
    await assert.rejects(
      async () => await slipway.variables.get(environment, "LOG_LEVEL"),
      isCode("NOT_FOUND"),
    );
  });

  it("deploys, streams the log to its end, and waits; a build that fails is an error", async () => {
    const deployment = await slipway.deployments.create({ repoUrl: urlOf("shop") });
    const waited = slipway.deployments.wait(deployment.id);
    const kinds = new Set<string>();
    let text = "";
    for await (const event of slipway.deployments.streamLogs(deployment.id)) {
      kinds.add(event.event);
      if (event.event === "line") text += `${event.data.text}\n`;
    }
    assert.deepEqual([...kinds].toSorted(), ["end", "line", "status"]);
    assert.equal((await waited).status, "SUCCESS");
    const page = await slipway.deployments.getLogs(deployment.id);
    assert.equal(page.lines.map((line) => `${line.text}\n`).join(""), text);

    const broken = [{ ...SERVICES[0], buildCommand: "exit 3" }];
    await push(instance, "shop", withConfig(configOf(broken), { "public/index.html": "hello" }));
    const failing = await slipway.deployments.create({ repoUrl: urlOf("shop") });
    const error: unknown = await slipway.deployments.wait(failing.id).catch((thrown: unknown) => thrown);
    assert.ok(error instanceof WaitFailedError, String(error));
    assert.equal((error.last as { status: string }).status, "BUILD_ERROR");
  });

  it("waits until a domain is served, and until it is deleted", async () => {
    const group = await slipway.domainGroups.create(serviceId, { domains: ["www.shop.example.com"] });
    const domainId = group.createdDomains[0]?.id ?? "";
    const seen: string[] = [];
    const waiting = await slipway.domains.waitUntil(domainId, "AWAITING_VERIFICATION_RECORDS_TO_BE_SET");
    await setRecords(waiting);
    const attached = await slipway.domains.waitUntil(domainId, "ATTACHED", {
      onChange: ({ status }) => void seen.push(status),
    });
    assert.equal(seen.at(-1), "ATTACHED");
    assert.equal(attached.name, "www.shop.example.com");
    await slipway.domainGroups.waitUntilActive(group.id);
    const gone = slipway.domains.waitUntilDeleted(domainId);
    await slipway.domainGroups.delete(group.id);
    await Promise.all([gone, slipway.domainGroups.waitUntilDeleted(group.id)]);
  });

  it("takes the deliveries of webhooks, and refuses others", async () => {
    const taken: Event[] = [];
    const failures: unknown[] = [];
    let secret = "";
    const receiver = createServer((request, response) => {
      void buffer(request).then(async (body) => {
        try {
          taken.push(await webhooks.unwrap(body, request.headers, secret));
          await assert.rejects(webhooks.unwrap(`${String(body)} `, request.headers, secret), SignatureError);
        } catch (error) {
          failures.push(error);
        }
        response.writeHead(204).end();
      });
    });
    receiver.listen(0, "127.0.0.1");
    await once(receiver, "listening");
    try {
      const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
      const endpoint = await slipway.webhookEndpoints.create({ url, types: ["user.*"] });
      ({ secret } = endpoint);
      const user = await slipway.users.create({ name: "Finn", email: "finn@example.com", role: "viewer" });
      const event = await until(() => taken[0] ?? failures[0], "the endpoint gets the event");
      assert.deepEqual(failures, []);
      const { events } = await slipway.events.list({ subjectId: user.id });
      assert.deepEqual(event, events[0]);
      const deliveries = slipway.webhookEndpoints.listDeliveries(endpoint.id);
      const ids: string[] = [];
      for await (const { eventId } of deliveries) ids.push(eventId ?? "none");
      assert.deepEqual(ids, [events[0]?.id]);
      await slipway.webhookEndpoints.delete(endpoint.id);
    } finally {
      receiver.close();
      receiver.closeAllConnections();
    }
  });

  it("continues watching while Slipway is started again", async () => {
    const { url } = instance;
    // It comes back at another port.
    const follow: typeof fetch = async (address, init) =>
      await fetch((address as string).replace(url, instance.url), init);
    const watching = new Slipway({ url, token: ADMIN_KEY, fetch: follow });
    const seen: string[] = [];
    for await (const { name } of watching.projects.watch(projectId)) {
      seen.push(name);
      if (seen.length === 2) break;
      instance = await instance.restart();
      await watching.projects.update(projectId, { name: "Store" });
    }
    assert.deepEqual(seen, ["Shop", "Store"]);
  });

  async function setRecords({ dnsRecords }: Domain): Promise<void> {
    for (const { name, type, value } of dnsRecords)
      await slipway.request("PUT", "/sandbox/dns/records", { body: { name, type, values: [value] } });
  }
});

function isCode(code: string): (error: unknown) => boolean {
  return (error) => error instanceof ApiError && error.code === code;
}
