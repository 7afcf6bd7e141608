import assert from "node:assert/strict";
import { after, before, describe, it, type TestContext } from "node:test";
import { type Instance, startInstance } from "../helpers/instance.ts";
import { type Receiver, startReceiver } from "../helpers/webhooks/receiver.ts";
import { createProject } from "../helpers/customers/scenario.ts";
import { until } from "../helpers/until.ts";

describe("webhooks", () => {
  let instance: Instance;
  let aheadMs = 0;
  const clock = { now: () => new Date(Date.now() + aheadMs) };
  before(async () => {
    instance = await startInstance({ clock, withOtherOrganization: true });
    // An endpoint also gets what happened just before it was created and had no number yet.
    await until(
      async () => (await instance.admin.get("/v1/events?types=api_key.created")).body.events.length > 0,
      "the organization's own events have their numbers",
    );
  });
  after(() => instance.dispose());

  async function receiverFor(t: TestContext): Promise<Receiver> {
    const receiver = await startReceiver();
    t.after(() => receiver.close());
    return receiver;
  }

  type Made = { readonly id: string; readonly secret: string };

  async function makeEndpoint(t: TestContext, url: string, more: object = {}): Promise<Made> {
    const made = await instance.admin.post("/v1/webhook-endpoints", { url, types: ["user.*"], ...more });
    assert.equal(made.status, 201, made.text);
    t.after(() => instance.admin.delete(`/v1/webhook-endpoints/${made.body.id}`));
    return made.body as Made;
  }

  let users = 0;
  /** @returns the user's id */
  async function createUser(name = "someone"): Promise<string> {
    users += 1;
    const made = await instance.admin.post("/v1/users", {
      email: `u${users}@example.com`,
      name,
      role: "viewer",
    });
    assert.equal(made.status, 201, made.text);
    return made.body.id;
  }
  const rename = async (id: string, name: string): Promise<void> => {
    const answer = await instance.admin.patch(`/v1/users/${id}`, { name });
    assert.equal(answer.status, 200, answer.text);
  };
  /** @param name of the user that was created last */
  const untilNumbered = (name: string) =>
    until(async () => {
      const { events, hasMore } = (await instance.admin.get("/v1/events?types=user.created&limit=100")).body;
      return !hasMore && events.at(-1)?.data.name === name;
    }, "the event has its number");
  const get = async (id: string) => (await instance.admin.get(`/v1/webhook-endpoints/${id}`)).body;
  const listDeliveries = async (id: string, query = "") =>
    (await instance.admin.get(`/v1/webhook-endpoints/${id}/deliveries${query}`)).body.deliveries;
  const post = (id: string, verb: string, body?: object) =>
    instance.admin.post(`/v1/webhook-endpoints/${id}/${verb}`, body);

  describe("a webhook", () => {
    it("brings events of its filter, signed, in order, with their places", async (t) => {
      const receiver = await receiverFor(t);
      const { id, secret } = await makeEndpoint(t, receiver.url, {
        headers: { "X-Token": "for the receiver" },
      });
      const user = await createUser("first");
      await rename(user, "second");
      await instance.admin.post("/v1/api-keys", { name: "not for this endpoint" });
      await rename(user, "third");
      // An event may come twice, if the machine is so busy that a claim is lost.
      const once = () => [...new Map(receiver.received.map((one) => [one.event.id, one])).values()];
      await until(() => once().length === 3, "all have come");
      const names = once().map(({ event }) => [event.type, event.data.name]);
      assert.deepEqual(names, [
        ["user.created", "first"],
        ["user.updated", "second"],
        ["user.updated", "third"],
      ]);
      for (const one of receiver.received) {
        receiver.verify(one, secret);
        assert.throws(() => receiver.verify({ ...one, text: `${one.text} ` }, secret));
        assert.equal(one.headers["webhook-id"], one.event.id);
        assert.equal(one.headers["x-token"], "for the receiver");
        assert.equal(one.headers["content-type"], "application/json");
      }
      const [first, second, third] = once();
      assert.equal(second?.headers["slipway-previous-sequence"], String(first?.event.sequence));
      assert.equal(third?.headers["slipway-previous-sequence"], String(second?.event.sequence));
      const read = await instance.admin.get(
        `/v1/events?types=user.*&after=${first?.event.sequence - 1}&limit=1`,
      );
      assert.deepEqual(first?.event, read.body.events[0], "the envelope is the API's");

      await until(
        async () => (await listDeliveries(id, "?status=DELIVERED")).length === 3,
        "they are logged",
      );
      const [logged] = await listDeliveries(id);
      const delivery = (await instance.admin.get(`/v1/webhook-endpoints/${id}/deliveries/${logged.id}`)).body;
      const [attempt] = delivery.log;
      assert.deepEqual(
        [attempt.number, attempt.status, attempt.address, attempt.error, attempt.trigger, attempt.url],
        [1, 204, "127.0.0.1", null, "auto", receiver.url],
      );
      assert.ok(
        attempt.totalMs > 0 && attempt.firstByteMs > 0 && attempt.connectMs >= 0 && attempt.tlsMs === null,
      );
      assert.deepEqual((await get(id)).headerNames, ["x-token"]);
    });

    it("of a project or an environment brings only its events", async (t) => {
      const [mine, other] = [
        await createProject(instance.admin, "hooked"),
        await createProject(instance.admin, "elsewhere"),
      ];
      const [ofProject, ofEnvironment] = [await receiverFor(t), await receiverFor(t)];
      const filters = { types: ["project.*", "env_variables.*"] };
      await makeEndpoint(t, ofProject.url, { ...filters, projectId: mine.projectId });
      await makeEndpoint(t, ofEnvironment.url, { ...filters, environmentId: mine.environmentId });
      for (const { projectId, environmentId } of [other, mine]) {
        const name = `renamed-${projectId.slice(-6)}`;
        const renamed = await instance.admin.patch(`/v1/projects/${projectId}`, { name });
        assert.equal(renamed.status, 200, renamed.text);
        const path = `/v1/environments/${environmentId}/env-variables`;
        assert.equal((await instance.admin.post(path, { plainText: { A: projectId } })).status, 200);
      }
      const isLast = ({ event }: { event: { type: string } }) => event.type.startsWith("env_variables.");
      await until(() => [ofProject, ofEnvironment].every(({ received }) => received.some(isLast)), "both");
      const placesOf = (receiver: Receiver, field: string) => [
        ...new Set(receiver.received.map(({ event }) => event[field])),
      ];
      assert.deepEqual(placesOf(ofProject, "projectId"), [mine.projectId]);
      assert.ok(ofProject.received.some(({ event }) => event.type === "project.changed"));
      assert.deepEqual(placesOf(ofEnvironment, "environmentId"), [mine.environmentId]);
    });

    it("comes no faster than its endpoint wants", async (t) => {
      const receiver = await receiverFor(t);
      const { id } = await makeEndpoint(t, receiver.url, { maxPerSecond: 2 });
      const startedAt = Date.now();
      for (let count = 0; count < 6; count += 1) await createUser(`paced-${count}`);
      await until(() => new Set(receiver.ids()).size === 6, "all have come");
      await until(
        async () =>
          (await listDeliveries(id)).every(({ status }: { status: string }) => status === "DELIVERED"),
        "all are recorded",
      );
      const times = (await listDeliveries(id)).map(({ lastAttemptAt }: { lastAttemptAt: string }) =>
        Date.parse(lastAttemptAt),
      );
      // From the start: a first attempt that takes long does not delay the second second.
      const lasted = Math.max(...times) - startedAt;
      assert.ok(lasted >= 1_900, `six in ${lasted} ms`);
    });

    it("is sent again until it is answered with 2xx, with the same id and a new signature", async (t) => {
      const receiver = await receiverFor(t);
      receiver.answer = (_one, response, count) => void response.writeHead(count === 1 ? 500 : 200).end("no");
      const { id, secret } = await makeEndpoint(t, receiver.url);
      await createUser();
      await until(() => receiver.received.length === 1, "the first attempt");
      await until(() => receiver.received.length === 2, "the second attempt, after five seconds");
      const [first, second] = receiver.received;
      assert.equal(first?.event.id, second?.event.id);
      assert.equal(second?.headers["slipway-attempt"], "2");
      assert.notEqual(first?.headers["webhook-signature"], second?.headers["webhook-signature"]);
      for (const one of receiver.received) receiver.verify(one, secret);
      const delivered = await until(
        async () => (await listDeliveries(id, "?status=DELIVERED"))[0],
        "it is logged",
      );
      const { log } = (await instance.admin.get(`/v1/webhook-endpoints/${id}/deliveries/${delivered.id}`))
        .body;
      assert.deepEqual(
        log.map((one: { error: { code: string } | null }) => one.error?.code ?? null),
        [null, "SERVER_ERROR"],
      );
      assert.equal(log[1].responseBody, "no");
      assert.match(log[1].error.action, /receiver's log/);
      assert.ok(log[1].nextAttemptAt !== null);
    });

    it("waits for its predecessor of the same subject, while other subjects pass", async (t) => {
      const receiver = await receiverFor(t);
      const held = await createUser("held");
      await untilNumbered("held");
      const { id } = await makeEndpoint(t, receiver.url);
      let isOpen = false;
      receiver.answer = ({ event }, response) =>
        void response.writeHead(event.subject.id === held && !isOpen ? 500 : 200).end();
      await rename(held, "one");
      await until(
        async () => (await listDeliveries(id)).some((one: { lastStatus: number }) => one.lastStatus === 500),
        "it failed",
      );
      for (const name of ["two", "three", "four"]) await rename(held, name);
      const other = await createUser("other");
      await until(() => receiver.received.some(({ event }) => event.subject.id === other), "another passes");
      isOpen = true;
      const namesOf = () =>
        receiver.received
          .filter(({ event }) => event.subject.id === held)
          .map(({ event }) => event.data.name);
      await until(() => namesOf().includes("four"), "the others follow");
      const names = namesOf();
      assert.deepEqual([...new Set(names)], ["one", "two", "three", "four"]);
      assert.equal(names.filter((name) => name !== "one").length, 3, "events that waited spent no attempt");
      const previous = receiver.received.filter(({ event }) => event.data.name === "three")[0];
      const before = receiver.received.find(({ event }) => event.data.name === "two");
      assert.equal(previous?.headers["slipway-previous-sequence"], String(before?.event.sequence));
    });

    it("a ping comes only to its endpoint, whatever its filter, and is not repeated", async (t) => {
      const receiver = await receiverFor(t);
      const other = await receiverFor(t);
      receiver.answer = (_one, response) => void response.writeHead(500).end();
      const { id } = await makeEndpoint(t, receiver.url, { types: ["api_key.*"] });
      const { id: otherId } = await makeEndpoint(t, other.url, { types: ["*"] });
      const ping = await post(id, "ping");
      assert.equal(ping.status, 202, ping.text);
      const path = ping.headers.get("location") ?? "";
      await until(
        async () => (await instance.admin.get(path)).body.status === "FAILED",
        "its result is there",
      );
      const delivery = (await instance.admin.get(path)).body;
      assert.deepEqual([delivery.trigger, delivery.attempts, delivery.lastStatus], ["ping", 1, 500]);
      assert.equal(delivery.eventId, receiver.received[0]?.headers["webhook-id"]);
      await createUser();
      await until(() => other.received.some(({ event }) => event.type === "user.created"), "a later event");
      assert.ok(!other.received.some(({ event }) => event.type === "webhook_endpoint.ping"), otherId);
    });

    it("410 disables the endpoint, and an event reports it", async (t) => {
      const [receiver, other] = [await receiverFor(t), await receiverFor(t)];
      receiver.answer = (_one, response) => void response.writeHead(410).end();
      await makeEndpoint(t, other.url, { types: ["webhook_endpoint.*"] });
      const { id } = await makeEndpoint(t, receiver.url);
      await createUser();
      await until(async () => (await get(id)).status === "DISABLED", "it is disabled");
      assert.equal((await get(id)).disabledReason, "GONE");
      const told = await until(
        () => other.received.find(({ event }) => event.type === "webhook_endpoint.disabled"),
        "the other receives it",
      );
      assert.deepEqual([told.event.subject.id, told.event.data.reason], [id, "GONE"]);
      for (const verb of ["ping", "replay"]) {
        const refused = await post(id, verb, verb === "replay" ? {} : undefined);
        assert.deepEqual([refused.status, refused.body.code], [409, "WEBHOOK_ENDPOINT_DISABLED"]);
      }
      receiver.answer = (_one, response) => void response.writeHead(204).end();
      await createUser("meanwhile");
      const enabled = await post(id, "enable", {});
      assert.equal(enabled.body.status, "HEALTHY");
      await until(
        () => receiver.received.some(({ event }) => event.data.name === "meanwhile"),
        "it continues",
      );
    });

    it("has a changed description in its audit entries, before and after", async (t) => {
      const { id } = await makeEndpoint(t, "http://127.0.0.1:9/", { description: "Chat" });
      const changed = await instance.admin.patch(`/v1/webhook-endpoints/${id}`, { description: "Alerts" });
      assert.equal(changed.status, 200, changed.text);
      const query = `/v1/audit-entries?resourceId=${id}&action=webhook-endpoint.updated`;
      const [entry] = (await instance.admin.get(query)).body.auditEntries;
      assert.deepEqual(entry.details, { before: { description: "Chat" }, after: { description: "Alerts" } });
    });

    it("enabled from now, it skips what happened meanwhile", async (t) => {
      const receiver = await receiverFor(t);
      const { id } = await makeEndpoint(t, receiver.url);
      assert.equal((await post(id, "disable")).body.status, "DISABLED");
      await createUser("skipped");
      await untilNumbered("skipped");
      assert.equal((await post(id, "enable", { from: "now" })).body.status, "HEALTHY");
      await createUser("sent");
      await until(() => receiver.received.length > 0, "the next event");
      assert.deepEqual(
        receiver.received.map(({ event }) => event.data.name),
        ["sent"],
      );
    });
  });

  describe("a receiver that", () => {
    const ways: readonly (readonly [what: string, code: string, answer: Receiver["answer"]])[] = [
      [
        "answers 302",
        "REDIRECTED",
        (_one, response) => void response.writeHead(302, { location: "/else" }).end(),
      ],
      ["answers 413", "TOO_LARGE", (_one, response) => void response.writeHead(413).end()],
      ["answers 401", "REFUSED", (_one, response) => void response.writeHead(401).end()],
      ["closes the connection", "CONNECTION_CLOSED", (_one, response) => void response.destroy()],
      [
        "answers 200 after 20 s",
        "ANSWER_TIMEOUT",
        (_one, response) => {
          const timer = setTimeout(() => response.writeHead(200).end(), 20_000);
          response.on("close", () => clearTimeout(timer));
        },
      ],
    ];
    for (const [what, code, answer] of ways) {
      it(`${what} gets the event again, and the log says ${code}`, async (t) => {
        const receiver = await receiverFor(t);
        receiver.answer = answer;
        const { id } = await makeEndpoint(t, receiver.url);
        const ping = await post(id, "ping");
        const path = ping.headers.get("location") ?? "";
        const delivery = await until(async () => {
          const { body } = await instance.admin.get(path);
          return body.status === "FAILED" ? body : null;
        }, "the attempt ended");
        assert.equal(delivery.log[0].error.code, code);
        assert.equal(receiver.received.length, 1, "no redirect was followed");
      });
    }

    it("never stops talking has accepted the event with its status; the log keeps 16 KiB", async (t) => {
      const receiver = await receiverFor(t);
      receiver.answer = (_one, response) => {
        response.writeHead(200);
        const more = (): void => {
          if (response.write("x".repeat(1_024))) setImmediate(more);
          else response.once("drain", more);
        };
        more();
      };
      const { id } = await makeEndpoint(t, receiver.url);
      const path = (await post(id, "ping")).headers.get("location") ?? "";
      await until(
        async () => (await instance.admin.get(path)).body.status === "DELIVERED",
        "it is delivered",
      );
      const [attempt] = (await instance.admin.get(path)).body.log;
      assert.deepEqual([attempt.isCut, attempt.responseBody.length], [true, 16_384]);
    });

    it("is not there makes the endpoint fail, and gets all events in order when it returns", async (t) => {
      const receiver = await receiverFor(t);
      const { port } = new URL(receiver.url);
      await receiver.close();
      const other = await receiverFor(t);
      await makeEndpoint(t, other.url, { types: ["webhook_endpoint.*"] });
      const { id } = await makeEndpoint(t, receiver.url);
      const created: string[] = [];
      for (let count = 0; count < 6; count += 1) created.push(await createUser(`away ${count}`));
      await until(async () => (await get(id)).status === "FAILING", "it is failing");
      for (let count = 6; count < 12; count += 1) created.push(await createUser(`away ${count}`));
      const back = await startReceiver(Number(port));
      t.after(() => back.close());
      await until(async () => (await get(id)).status === "HEALTHY", "it is back", 90_000);
      await until(
        () => created.every((user) => back.received.some(({ event }) => event.subject.id === user)),
        "all came",
      );
      assert.equal(new Set(back.ids()).size, created.length);
      const told = () =>
        other.received
          .filter(({ event }) => event.subject.id === id && /failing|recovered/.test(event.type))
          .map(({ event }) => event.type);
      await until(() => told().length === 2, "the other receives it");
      assert.deepEqual(told(), ["webhook_endpoint.failing", "webhook_endpoint.recovered"]);
      assert.equal((await get(id)).failingSince, null);
    });

    it("has failed for five days is disabled", async (t) => {
      const receiver = await receiverFor(t);
      receiver.answer = (_one, response) => void response.writeHead(503).end();
      const { id } = await makeEndpoint(t, receiver.url);
      await post(id, "ping");
      await until(async () => (await get(id)).failingSince !== null, "it failed");
      t.after(() => (aheadMs = 0));
      aheadMs = 5 * 86_400_000 + 1_000;
      await post(id, "ping");
      await until(async () => (await get(id)).status === "DISABLED", "it is disabled");
      assert.equal((await get(id)).disabledReason, "FAILING");
    });

    it("asks for a pause by Retry-After gets nothing before", async (t) => {
      const receiver = await receiverFor(t);
      receiver.answer = (_one, response, count) =>
        void response.writeHead(count === 1 ? 429 : 200, count === 1 ? { "retry-after": "8" } : {}).end();
      await makeEndpoint(t, receiver.url);
      const startedMs = Date.now();
      await createUser();
      await until(() => receiver.received.length === 1, "the first attempt");
      await createUser();
      await until(() => new Set(receiver.ids()).size === 2, "both came");
      assert.ok(Date.now() - startedMs >= 8_000);
    });
  });

  describe("sending again", () => {
    it("one delivery, or all of a time, has the same webhook-id", async (t) => {
      const receiver = await receiverFor(t);
      const { id, secret } = await makeEndpoint(t, receiver.url);
      for (const name of ["a", "b", "c"]) await createUser(name);
      await until(
        async () => (await listDeliveries(id, "?status=DELIVERED")).length === 3,
        "all are delivered",
      );
      const ids = receiver.ids();
      const [first] = await listDeliveries(id);
      const again = await post(id, `deliveries/${first.id}/redeliver`);
      assert.deepEqual([again.status, again.body.trigger, again.body.status], [202, "manual", "PENDING"]);
      await until(() => receiver.received.length === 4, "it came again");
      assert.equal(receiver.ids()[3], ids[0]);
      assert.equal(receiver.received[3]?.headers["slipway-attempt"], "2");

      assert.deepEqual((await post(id, "replay", {})).body, { count: 0, isMore: false }, "none has failed");
      const replay = await post(id, "replay", {
        only: "all",
        from: first.createdAt.replace(/T.*/, "T00:00:00Z"),
        types: ["user.created"],
      });
      assert.equal(replay.status, 202, replay.text);
      assert.ok(replay.body.count >= 3, replay.text);
      await until(() => ids.every((one) => receiver.ids().slice(4).includes(one)), "all came again");
      await until(async () => !(await get(id)).isReplaying, "the replay ends");
      for (const one of receiver.received) receiver.verify(one, secret);
    });

    it("replays only what failed, by default", async (t) => {
      const receiver = await receiverFor(t);
      receiver.answer = (_one, response, count) => void response.writeHead(count === 1 ? 500 : 200).end();
      const { id } = await makeEndpoint(t, receiver.url);
      await post(id, "ping");
      await until(async () => (await listDeliveries(id, "?status=FAILED")).length === 1, "the ping failed");
      await createUser();
      await until(() => receiver.received.length === 2, "another event came");
      // Pings are not replayed.
      assert.deepEqual((await post(id, "replay", {})).body, { count: 0, isMore: false });
    });
  });

  describe("the secret of a webhook", () => {
    it("is rotated with an overlap, and a second rotation within it is refused", async (t) => {
      const receiver = await receiverFor(t);
      const { id, secret: old } = await makeEndpoint(t, receiver.url);
      const rotated = await post(id, "rotate-secret", {});
      assert.equal(rotated.status, 200, rotated.text);
      const { secret } = rotated.body;
      assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
      await createUser();
      const both = await until(() => receiver.received[0], "an event");
      for (const one of [old, secret]) receiver.verify(both, one);
      const refused = await post(id, "rotate-secret", {});
      assert.deepEqual([refused.status, refused.body.code], [409, "WEBHOOK_SECRET_OVERLAPS"]);
      assert.equal((await post(id, "revoke-previous-secret")).body.previousSecretUntil, null);
      await createUser();
      const one = await until(() => receiver.received[1], "the next event");
      receiver.verify(one, secret);
      assert.throws(() => receiver.verify(one, old));
      const leaked = await post(id, "rotate-secret", { overlapHours: 0 });
      assert.equal(leaked.body.previousSecretUntil, null);
      await createUser();
      const last = await until(() => receiver.received[2], "the last event");
      receiver.verify(last, leaked.body.secret);
      assert.throws(() => receiver.verify(last, secret));
      const logged = instance.logged();
      for (const one of [old, secret, leaked.body.secret]) assert.ok(!logged.includes(one.slice(6, 30)));
    });
  });

  describe("a webhook endpoint is refused", () => {
    const bodies: readonly (readonly [string, object, number, string, string?])[] = [
      ["without HTTPS", { url: "http://hooks.example.com/" }, 400, "URL_NOT_HTTPS"],
      ["with user-info", { url: "https://user:pass@hooks.example.com/" }, 400, "URL_WITH_CREDENTIALS"],
      ["that is not a URL", { url: "hooks" }, 400, "WRONG_FORM"],
      ["inside the network", { url: "https://10.0.0.1/" }, 422, "WEBHOOK_URL_REFUSED"],
      ["at a metadata service", { url: "https://169.254.169.254/" }, 422, "WEBHOOK_URL_REFUSED"],
      ["that does not resolve", { url: "https://nobody.invalid/" }, 422, "WEBHOOK_URL_REFUSED"],
      ["with an unknown type", { types: ["domain.atached"] }, 400, "UNKNOWN_EVENT_TYPE", "user"],
      ["with a header of HTTP", { headers: { Host: "elsewhere" } }, 400, "HEADER_NOT_ALLOWED"],
      ["with a header of the webhook", { headers: { "webhook-id": "x" } }, 400, "HEADER_NOT_ALLOWED"],
      ["with a header of two lines", { headers: { "x-a": "b\r\nc: d" } }, 400, "HEADER_NOT_ALLOWED"],
      ["of an unknown project", { projectId: "proj_01h455vb4pex5vsknk084sn02q" }, 404, "NOT_FOUND"],
      ["of an unknown environment", { environmentId: "env_01h455vb4pex5vsknk084sn02q" }, 404, "NOT_FOUND"],
      ["with a URL too long", { url: `https://example.com/${"a".repeat(2_048)}` }, 400, "TOO_LARGE"],
    ];
    for (const [what, body, status, code] of bodies) {
      it(what, async () => {
        const answer = await instance.admin.post("/v1/webhook-endpoints", {
          url: "http://127.0.0.1:9/",
          types: ["*"],
          ...body,
        });
        assert.equal(answer.status, status, answer.text);
        assert.equal(answer.body.errors?.[0]?.code ?? answer.body.code, code, answer.text);
      });
    }

    it("the 51st", async (t) => {
      const ids: string[] = [];
      t.after(async () => {
        for (const id of ids) await instance.other.delete(`/v1/webhook-endpoints/${id}`);
      });
      const create = () =>
        instance.other.post("/v1/webhook-endpoints", { url: "http://127.0.0.1:9/", types: ["*"] });
      for (let count = 0; count < 50; count += 1) ids.push((await create()).body.id);
      const refused = await create();
      assert.deepEqual([refused.status, refused.body.code], [409, "TOO_MANY_WEBHOOK_ENDPOINTS"]);
    });
  });
});
