import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { createInterface } from "node:readline";
import { pipeline } from "node:stream/promises";
import { after, before, describe, it } from "node:test";
import type { ApiClient } from "../helpers/api-client.ts";
import { type Instance, startInstance } from "../helpers/instance.ts";
import { assertRefused } from "../helpers/problems.ts";
import { until } from "../helpers/until.ts";
import { createUserClient } from "../helpers/users.ts";

type Shown = { sequence: number; type: string; subject: { id: string }; data: { name?: string } };

describe("events", () => {
  let instance: Instance;
  before(async () => {
    instance = await startInstance();
  });
  after(() => instance.dispose());

  const createUser = async (name: string): Promise<string> => {
    const made = await instance.admin.post("/v1/users", {
      email: `${name}@example.com`,
      name,
      role: "viewer",
    });
    assert.equal(made.status, 201, made.text);
    return made.body.id as string;
  };
  const allEvents = async (client: ApiClient): Promise<readonly Shown[]> => {
    const all: Shown[] = [];
    for (let [cursor, hasMore] = ["0", true]; hasMore;) {
      const { body, status, text } = await client.get(`/v1/events?after=${cursor}&limit=100`);
      assert.equal(status, 200, text);
      all.push(...(body.events as Shown[]));
      [cursor, hasMore] = [body.nextCursor as string, body.hasMore as boolean];
    }
    return all;
  };
  const untilEventOf = (subjectId: string, type: string): Promise<Shown> =>
    until(
      async () =>
        ((await instance.admin.get(`/v1/events?subjectId=${subjectId}`)).body.events as Shown[]).find(
          (event) => event.type === type,
        ) ?? null,
      `${type} of ${subjectId}`,
    );

  it("report changes, with the envelope of every event", async () => {
    const id = await createUser("enveloped");
    await untilEventOf(id, "user.created");
    const { body } = await instance.admin.get(`/v1/events?subjectId=${id}`);
    const me = (await instance.admin.get("/v1/me")).body;
    const [event] = body.events;
    assert.match(event.id, /^evt_/);
    assert.match(event.requestId, /./);
    assert.ok(Math.abs(Date.now() - Date.parse(event.timestamp)) < 60_000);
    assert.deepEqual(event, {
      ...event,
      type: "user.created",
      organizationId: me.organization.id,
      subject: { type: "user", id, url: `${instance.url}/v1/users/${id}` },
      projectId: null,
      environmentId: null,
      serviceId: null,
      actor: { kind: "user", id: me.user.id },
      data: { name: "enveloped", role: "viewer" },
    });
  });

  it("are listed from those of the last seconds, or from a later number", async () => {
    const [first, second] = [await createUser("early"), await createUser("late")];
    const [{ sequence }] = [
      await untilEventOf(first, "user.created"),
      await untilEventOf(second, "user.created"),
    ];
    const listed = async (query: string) =>
      ((await instance.admin.get(`/v1/events?${query}`)).body.events as Shown[]).map(
        ({ subject }) => subject.id,
      );
    const ofToday = await listed("withinSeconds=86400");
    assert.ok(ofToday.includes(first) && ofToday.includes(second));
    const later = await listed(`withinSeconds=86400&after=${sequence}`);
    assert.ok(!later.includes(first) && later.includes(second));
    await until(async () => (await listed("withinSeconds=1")).length === 0, "no event of the last second");
    assertRefused(await instance.admin.get("/v1/events?withinSeconds=0"), 400, "INVALID_REQUEST");
  });

  it("are numbered from one, without a gap, however many writes are made at once", async () => {
    const ids = await Promise.all(Array.from({ length: 40 }, (_, index) => createUser(`crowd-${index}`)));
    for (const id of ids) await untilEventOf(id, "user.created");
    const all = await allEvents(instance.admin);
    assert.deepEqual(
      all.map(({ sequence }) => sequence),
      all.map((_, index) => index + 1),
    );
    assert.deepEqual(
      ids.map((id) => all.filter(({ subject }) => subject.id === id).length),
      ids.map(() => 1),
    );
  });

  it("of a change that was refused do not exist", async () => {
    const id = await createUser("alone");
    const refused = await instance.admin.post("/v1/users", { email: "alone@example.com", role: "viewer" });
    assertRefused(refused, 409, "EMAIL_TAKEN");
    await untilEventOf(id, "user.created");
    const all = await allEvents(instance.admin);
    assert.equal(all.filter(({ type, data }) => type === "user.created" && data.name === "alone").length, 1);
  });

  it("are chosen by type, by all types of a subject, and by subject", async () => {
    const id = await createUser("chosen");
    await instance.admin.patch(`/v1/users/${id}`, { name: "Renamed" });
    await instance.admin.delete(`/v1/users/${id}`);
    await untilEventOf(id, "user.deleted");
    const typesOf = async (query: string) =>
      ((await instance.admin.get(`/v1/events?limit=100&${query}`)).body.events as Shown[]).map(
        ({ type }) => type,
      );
    assert.deepEqual(await typesOf(`subjectId=${id}`), ["user.created", "user.updated", "user.deleted"]);
    assert.deepEqual(await typesOf(`subjectId=${id}&types=user.deleted,user.updated`), [
      "user.updated",
      "user.deleted",
    ]);
    assert.deepEqual([...new Set(await typesOf("types=api_key.*"))], ["api_key.created"]);
  });

  it("of an unknown type are refused with the nearest", async () => {
    const refused = await instance.admin.get("/v1/events?types=user.created,user.creatd");
    assertRefused(refused, 400, "INVALID_REQUEST");
    assert.deepEqual(refused.body.errors, [
      {
        path: "query/types",
        code: "UNKNOWN_EVENT_TYPE",
        message: 'has no type "user.creatd"; the nearest is "user.created"',
      },
    ]);
  });

  it("are read page by page, and a reader continues where it ended", async () => {
    const id = await createUser("paged");
    const { sequence } = await untilEventOf(id, "user.created");
    const page = await instance.admin.get(`/v1/events?after=${sequence - 1}&limit=1`);
    assert.deepEqual([page.body.nextCursor, page.body.events.length], [String(sequence), 1]);
    const last = (await allEvents(instance.admin)).at(-1)?.sequence ?? 0;
    const end = await instance.admin.get(`/v1/events?after=${last}`);
    assert.deepEqual(end.body, { events: [], nextCursor: String(last), hasMore: false });
  });

  it("that do not exist yet are refused as a position", async () => {
    const refused = await instance.admin.get("/v1/events?after=999999");
    assertRefused(refused, 400, "INVALID_REQUEST");
    assert.match(refused.body.detail, /must be at most \d+, the number of the last event/);
    assertRefused(await instance.admin.get("/v1/events?after=-1"), 400, "INVALID_REQUEST");
    assertRefused(await instance.admin.get("/v1/events?after=x"), 400, "INVALID_REQUEST");
  });

  it("are waited for, and a waiting reader whose filter does not match continues to wait", async () => {
    const last = (await allEvents(instance.admin)).at(-1)?.sequence ?? 0;
    const prefer = { prefer: "wait=30" };
    const any = instance.admin.get(`/v1/events?after=${last}`, prefer);
    const deleted = instance.admin.get(`/v1/events?after=${last}&types=user.deleted`, prefer);
    const id = await createUser("awaited");
    assert.equal((await any).body.events[0].subject.id, id);
    await instance.admin.delete(`/v1/users/${id}`);
    assert.equal((await deleted).body.events[0].type, "user.deleted");
    // A read does not wait if there are events already.
    const there = await instance.admin.get(`/v1/events?after=${last}`, prefer);
    assert.ok(there.body.events.length > 0);
  });

  it("are streamed as they happen, and a stream resumes after the last one", async () => {
    const first = await openStream(instance, "/v1/events?types=user.*");
    const ids = [await createUser("streamed-1"), await createUser("streamed-2")];
    const told = await first.next(2);
    assert.deepEqual(
      told.map(({ data }) => (data as Shown).subject.id),
      ids,
    );
    await first.close();
    const again = await openStream(instance, "/v1/events", { "last-event-id": told[0]?.id ?? "" });
    const [next = assert.fail("the second event")] = await again.next(1);
    assert.equal((next.data as Shown).subject.id, ids[1]);
    assert.equal(next.id, told[1]?.id);
    await again.close();
  });

  it("reach the onmessage of an EventSource, through a server that adds the key", async (t) => {
    const passOn = async ({ url = "", headers: given }: IncomingMessage, response: ServerResponse) => {
      const { accept = "", "last-event-id": last } = given;
      const resumed = typeof last === "string" ? { "last-event-id": last } : {};
      const headers = { authorization: `Bearer ${instance.admin.key}`, accept, ...resumed };
      const { status, body } = await fetch(`${instance.url}${url}`, { headers });
      response.writeHead(status, { "content-type": "text/event-stream" });
      await pipeline(body ?? [], response);
    };
    // A stream breaks off when the test ends.
    const proxy = createServer((request, response) => void passOn(request, response).catch(() => undefined));
    await once(proxy.listen(0, "127.0.0.1"), "listening");
    const { port } = proxy.address() as AddressInfo;
    const script = `const source = new EventSource("http://127.0.0.1:${port}/v1/events?types=user.*");
      const print = ({ type, data, lastEventId }) => console.log(JSON.stringify({ type, data, lastEventId }));
      source.onmessage = print;
      source.addEventListener("position", print);`;
    const client = spawn(process.execPath, ["--no-warnings", "--experimental-eventsource", "-e", script]);
    t.after(async () => {
      client.kill();
      proxy.closeAllConnections();
      proxy.close();
      await once(proxy, "close");
    });
    const lines = createInterface(client.stdout)[Symbol.asyncIterator]();
    const next = async () => JSON.parse((await lines.next()).value ?? "");
    assert.equal((await next()).type, "position");
    const id = await createUser("to-onmessage");
    const message = await next();
    const event = JSON.parse(message.data);
    assert.deepEqual(
      [message.type, event.subject.id, message.lastEventId],
      ["message", id, String(event.sequence)],
    );
  });

  it("about keys are for admins", async () => {
    const viewer = await createUserClient(instance.admin, "viewer");
    await until(
      async () => (await allEvents(viewer)).some(({ type }) => type === "user.created"),
      "an event for a viewer",
    );
    assert.ok(!(await allEvents(viewer)).some(({ type }) => type.startsWith("api_key.")));
    assert.deepEqual((await viewer.get("/v1/events?types=api_key.created")).body.events, []);
    assert.ok((await allEvents(instance.admin)).some(({ type }) => type.startsWith("api_key.")));
  });
});

describe("events that are too old", () => {
  let instance: Instance;
  let laterMs = 0;
  before(async () => {
    instance = await startInstance({ clock: { now: () => new Date(Date.now() + laterMs) } });
  });
  after(() => instance.dispose());

  it("expire after thirty days, and a reader who asks for later events gets the position to continue from", async () => {
    const { admin } = instance;
    const made = await admin.post("/v1/users", { email: "old@example.com", role: "viewer" });
    await until(
      async () => (await admin.get(`/v1/events?subjectId=${made.body.id}`)).body.events.length > 0,
      "its event",
    );
    const { nextCursor } = (await admin.get("/v1/events?limit=100")).body;
    laterMs = 31 * 24 * 60 * 60_000;
    instance = await instance.restart();
    await until(
      async () => (await instance.admin.get("/v1/events?after=0")).status === 410,
      "the events are removed",
    );
    const refused = await instance.admin.get("/v1/events?after=0");
    assertRefused(refused, 410, "EVENTS_EXPIRED");
    assert.equal(refused.body.oldest, Number(nextCursor) + 1);
    const headers = {
      authorization: `Bearer ${admin.key}`,
      accept: "text/event-stream",
      "last-event-id": "0",
    };
    assert.equal((await fetch(`${instance.url}/v1/events`, { headers })).status, 410);
    // The numbers of events continue.
    const next = await instance.admin.post("/v1/users", { email: "new@example.com", role: "viewer" });
    const { body } = await instance.admin.get(`/v1/events?after=${nextCursor}`, { prefer: "wait=30" });
    assert.deepEqual(
      body.events.map(({ sequence, subject }: Shown) => [sequence, subject.id]),
      [[Number(nextCursor) + 1, next.body.id]],
    );
  });
});

type Streamed = { readonly event: string; readonly id: string; readonly data: unknown };

async function openStream(instance: Instance, path: string, headers: Record<string, string> = {}) {
  const ending = new AbortController();
  const answer = await fetch(`${instance.url}${path}`, {
    headers: { authorization: `Bearer ${instance.admin.key}`, accept: "text/event-stream", ...headers },
    signal: ending.signal,
  });
  assert.equal(answer.status, 200);
  const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  return {
    async next(count: number): Promise<readonly Streamed[]> {
      for (;;) {
        const found = text
          .split("\n\n")
          .slice(0, -1)
          .filter((one) => one.startsWith("event: message\n"));
        if (found.length >= count) return found.map(parse);
        const { value, done } = (await reader?.read()) ?? { value: "", done: true };
        assert.ok(!done, text);
        text += value;
      }
    },
    async close() {
      ending.abort();
      await reader?.cancel().catch(() => {});
    },
  };
}

function parse(text: string): Streamed {
  const field = (name: string) => new RegExp(`^${name}: (.*)$`, "m").exec(text)?.[1] ?? "";
  return { event: field("event"), id: field("id"), data: JSON.parse(field("data")) };
}
