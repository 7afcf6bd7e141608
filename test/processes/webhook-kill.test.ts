/**
 * The whole service is killed with `kill -9` at each point of a delivery, and started again on the same folder. The
 * receiver decides when: before it reads, after it read, after its answer. No event is lost, and each repetition has the
 * same `webhook-id`.
 */
import assert from "node:assert/strict";
import { rm } from "node:fs/promises";
import path from "node:path";
import { after, before, describe, it } from "node:test";
import { type ApiClient, createApiClient } from "../helpers/api-client.ts";
import { ADMIN_KEY } from "../helpers/instance.ts";
import { type ServiceProcess, startProcess } from "../helpers/processes/service-process.ts";
import { copyPgliteTemplate, makeTempDir } from "../helpers/template.ts";
import { until } from "../helpers/until.ts";
import { type Receiver, startReceiver } from "../helpers/webhooks/receiver.ts";

describe("after kill -9 in the middle of a delivery", () => {
  let dataDir: string;
  let service: ServiceProcess;
  let admin: ApiClient;
  let receiver: Receiver;
  let endpoint: { readonly id: string; readonly secret: string };
  const created: string[] = [];

  async function startService(): Promise<void> {
    service = await startProcess({ SLIPWAY_DATA_DIR: dataDir, SLIPWAY_API_KEY: ADMIN_KEY });
    admin = createApiClient(service.url, ADMIN_KEY);
  }
  const kill = async (): Promise<void> => {
    service.process.kill("SIGKILL");
    assert.equal(await service.ended, "SIGKILL");
  };
  const createUser = async (): Promise<string> => {
    const email = `killed${created.length}@example.com`;
    const made = await admin.post("/v1/users", { email, role: "viewer" });
    assert.equal(made.status, 201, made.text);
    created.push(made.body.id);
    return made.body.id;
  };
  const cameFor = (user: string) => receiver.received.filter(({ event }) => event.subject.id === user);

  before(async () => {
    dataDir = await makeTempDir("webhook-kill");
    await copyPgliteTemplate(path.join(dataDir, "database"));
    await startService();
    receiver = await startReceiver();
    const made = await admin.post("/v1/webhook-endpoints", { url: receiver.url, types: ["user.created"] });
    endpoint = made.body;
  });
  after(async () => {
    service.process.kill("SIGKILL");
    await service.ended;
    await receiver.close();
    await rm(dataDir, { recursive: true, force: true, maxRetries: 5 });
  });

  it("before its event has a number, the event comes", async () => {
    const user = await createUser();
    await kill();
    await startService();
    await until(() => cameFor(user).length > 0, "the event");
  });

  for (const [when, answers] of [
    ["while the receiver works", false],
    ["after the receiver answered, before that is recorded", true],
  ] as const) {
    it(`${when}, the event comes again with the same id`, async () => {
      const killed = Promise.withResolvers<void>();
      receiver.answer = (_one, response) => {
        // A service that stands still cannot record the answer, however late the kill comes.
        service.process.kill("SIGSTOP");
        if (answers) response.writeHead(204).end();
        service.process.kill("SIGKILL");
        killed.resolve();
      };
      const user = await createUser();
      await killed.promise;
      assert.equal(await service.ended, "SIGKILL");
      receiver.answer = (_one, response) => void response.writeHead(204).end();
      await startService();
      await until(() => cameFor(user).length > 1, "the event comes again");
      const [first, second] = cameFor(user);
      assert.equal(first?.headers["webhook-id"], second?.headers["webhook-id"]);
      assert.deepEqual(
        [first, second].map((one) => one?.headers["slipway-attempt"]),
        ["1", "2"],
      );
      for (const one of cameFor(user)) receiver.verify(one, endpoint.secret);
      const list = `/v1/webhook-endpoints/${endpoint.id}/deliveries`;
      const delivery = await until(async () => {
        const { deliveries } = (await admin.get(`${list}?status=DELIVERED&order=desc&limit=1`)).body;
        return deliveries[0]?.subjectId === user ? deliveries[0] : null;
      }, "it is delivered");
      const { log } = (await admin.get(`${list}/${delivery.id}`)).body;
      assert.deepEqual(
        log.map((one: { endedAt: string | null; error: object | null }) => [one.endedAt === null, one.error]),
        [
          [false, null],
          [true, null],
        ],
        "the outcome of the first is unknown",
      );
    });
  }

  it("again and again among many events, every event comes", async () => {
    let arrivals = 0;
    receiver.answer = (_one, response) => {
      arrivals += 1;
      if (arrivals % 7 === 0) service.process.kill("SIGKILL");
      response.writeHead(204).end();
    };
    for (let round = 0; round < 3; round += 1) {
      // A request that the death interrupts has no answer, and nothing is expected of it.
      for (let count = 0; count < 8; count += 1) await createUser().catch(() => undefined);
      await until(() => service.process.signalCode !== null, "it was killed by an arrival");
      await startService();
    }
    receiver.answer = (_one, response) => void response.writeHead(204).end();
    await until(() => created.every((user) => cameFor(user).length > 0), "every event has come");
  });
});
