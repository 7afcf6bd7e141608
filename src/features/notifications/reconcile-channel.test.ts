/** A channel on a real database, with a real receiver over TLS, and a clock that the test moves. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { createGitUser, type GitUser } from "../../../test/helpers/git/git-user.ts";
import { TEST_CERTIFICATE } from "../../../test/helpers/git/certificate.ts";
import { startMailServer } from "../../../test/helpers/notifications/mail-server.ts";
import { type Chat, startChat } from "../../../test/helpers/notifications/chat.ts";
import { parseAllowedHosts } from "../../egress/address-rules.ts";
import { createSafeFetch } from "../../egress/safe-fetch.ts";
import { newId } from "../../lib/ids.ts";
import { Secret } from "../../sealing/secret.ts";
import { createTestClock, HOUR_MS, MINUTE_MS } from "../../sealing/testing.ts";
import { CUSTOM_DOMAIN_EVENTS } from "../custom-domains/events.ts";
import { emit } from "../events/emit.ts";
import { createEventCatalogue } from "../events/event-catalogue.ts";
import { eventOf, type NewEvent } from "../events/event.ts";
import { EXECUTION_EVENTS } from "../executions/events.ts";
import { SCHEDULED_JOB_EVENTS } from "../scheduled-jobs/events.ts";
import { sequenceEvents } from "../events/sequence-events.ts";
import { type Channel, urlIdentity } from "./channel.ts";
import { createUser, deleteUser } from "../users/commands.ts";
import { writeStatement } from "../../db/database.ts";
import { createChannel, getChannel, updateOwnChannel } from "./commands.ts";
import { NOTIFICATION_EVENTS } from "./events.ts";
import { createMailer, type Mailer } from "./mailer.ts";
import { reconcileChannel } from "./reconcile-channel.ts";
import { channels } from "./store.ts";

const catalogue = createEventCatalogue([
  CUSTOM_DOMAIN_EVENTS,
  EXECUTION_EVENTS,
  SCHEDULED_JOB_EVENTS,
  NOTIFICATION_EVENTS,
]);
const range = (count: number) => Array.from({ length: count }, (_, index) => index);

describe("a notification channel", () => {
  let user: GitUser;
  before(async () => {
    user = await createGitUser("first");
  });
  after(() => user.dispose());

  async function open(kind: "slack" | "discord" | "teams") {
    const { db, atRest, admin } = user;
    const chat = await startChat(kind, "https");
    const clock = createTestClock("2026-11-20T12:00:00.000Z");
    const { organizationId } = admin;
    const id = newId("nch");
    const sealedUrl = await atRest.seal(urlIdentity({ organizationId, id }), new Secret(chat.url));
    const settings = { id, kind, name: "Operations", host: new URL(chat.url).host, recipients: null };
    await db.transaction((tx) =>
      createChannel(tx, admin, { ...settings, types: null, projectId: null, environmentId: null }, sealedUrl),
    );
    const run = runOf({ organizationId, id }, clock, null);
    return { chat, clock, run, get: (): Promise<Channel> => getChannel(db, organizationId, id) };
  }

  function runOf(
    owner: { organizationId: string; id: string },
    clock: ReturnType<typeof createTestClock>,
    mailer: Mailer | null,
  ) {
    const { db, atRest } = user;
    const reconcile = reconcileChannel({
      db,
      clock,
      atRest,
      catalogue,
      mailer,
      publicUrl: "https://slipway.acme.example",
      exchange: createSafeFetch({
        allowedHosts: parseAllowedHosts(["127.0.0.1"]),
        trustedCa: TEST_CERTIFICATE,
        totalTimeoutMs: 5_000,
      }),
    });
    /** Takes all steps that are due within a time, and moves the clock from one to the next. */
    return async (ms: number): Promise<void> => {
      const until = clock.now().getTime() + ms;
      for (;;) {
        const result = await reconcile(owner, new AbortController().signal);
        assert.ok(typeof result === "string" || "runAfterMs" in result);
        const afterMs = result === "done" ? Infinity : result.runAfterMs;
        if (clock.now().getTime() + afterMs > until) break;
        clock.advance(afterMs);
      }
      clock.advance(until - clock.now().getTime());
    };
  }

  async function report(
    verb: "raised" | "resolved",
    domains: readonly string[],
    message = "The record is missing.",
    projectId: string | null = null,
  ): Promise<void> {
    const type = CUSTOM_DOMAIN_EVENTS[`domain.warning_${verb}`];
    const warning = { code: "VERIFICATION_RECORD_MISSING", message, action: "Set the record again." };
    const events = domains.map((name) =>
      eventOf({ type, subjectId: `dom_${name}`, projectId, data: { name, groupId: "group_1", warning } }),
    );
    await emitNow(events);
  }

  async function emitNow(all: readonly NewEvent[]): Promise<void> {
    const { db, admin } = user;
    await db.transaction(async (tx) => {
      emit(tx, admin, all);
      await Promise.resolve();
    });
    const sweep = sequenceEvents(db, async () => undefined);
    while ((await sweep.run(new AbortController().signal)) === 0);
  }

  const closing = async (chat: Chat, work: () => Promise<void>): Promise<void> => {
    try {
      await work();
    } finally {
      await chat.close();
    }
  };

  it("sends one message for 500 domains that break for one cause, with a count and a link", async () => {
    const { chat, run, get } = await open("slack");
    await closing(chat, async () => {
      await report(
        "raised",
        range(500).map((n) => `d${n}.example.com`),
      );
      await run(30 * MINUTE_MS);
      assert.deepEqual(chat.faults, []);
      assert.equal(chat.accepted.length, 1);
      const text = JSON.stringify(chat.accepted[0]);
      assert.match(text, /500 domains have one problem/);
      assert.match(text, /d0\.example\.com – The record is missing\. Set the record again\./);
      assert.match(text, /and 490 more/);
      assert.match(text, /https:\/\/slipway\.acme\.example\/console\/domains/);
      assert.ok((await get()).lastSentAt !== null);
      await report(
        "resolved",
        range(500).map((n) => `d${n}.example.com`),
      );
      await run(30 * MINUTE_MS);
      assert.equal(chat.accepted.length, 2);
      assert.match(JSON.stringify(chat.accepted[1]), /500 problems of domains are resolved/);
    });
  });

  it("sends at most two messages for 20 flaps in ten minutes", async () => {
    const { chat, run } = await open("discord");
    await closing(chat, async () => {
      for (const _ of range(20)) {
        await report("raised", ["flap.example.com"]);
        await run(15_000);
        await report("resolved", ["flap.example.com"]);
        await run(14_000);
      }
      assert.deepEqual(chat.faults, []);
      assert.equal(chat.accepted.length, 2);
    });
  });

  it("sends a message once to a receiver that was down for an hour, and says that it failed", async () => {
    const { chat, run, get } = await open("teams");
    await closing(chat, async () => {
      chat.answer = (response) => void response.writeHead(503).end("Service down");
      await report("raised", ["down.example.com", "short.example.com"]);
      await run(HOUR_MS / 2);
      const failing = await get();
      assert.equal(failing.status, "FAILING");
      assert.deepEqual([failing.errorCode, failing.answer], ["SERVER_ERROR", "Service down"]);
      // It recovers while the receiver is down: that is not reported.
      await report("resolved", ["short.example.com"]);
      await run(HOUR_MS / 2);
      assert.ok(chat.requests() < 15, `${chat.requests()} attempts`);
      chat.answer = null;
      await run(2 * HOUR_MS);
      assert.deepEqual([chat.accepted.length, chat.faults], [1, []]);
      const text = JSON.stringify(chat.accepted[0]);
      assert.ok(text.includes("down.example.com") && !text.includes("short.example.com"), text);
      const recovered = await get();
      assert.deepEqual([recovered.status, recovered.errorCode], ["HEALTHY", null]);
    });
  });

  it("reports a job once until it works again, and that it did not run", async () => {
    const { chat, run } = await open("teams");
    const data = {
      service: "jobs",
      executionId: "exec_1",
      jobId: "nightly",
      trigger: "schedule",
      attempt: 1,
    } as const;
    const scheduledFor = "2026-11-20T03:00:00.000Z";
    const end = { ...data, scheduledFor };
    const error = { code: "TIMED_OUT", message: "The command took more than 60 minutes.", action: "" };
    const failure = { ...end, exitCode: null, error };
    const failed = eventOf({ type: EXECUTION_EVENTS["job.failed"], subjectId: "svc_1", data: failure });
    const worked = eventOf({ type: EXECUTION_EVENTS["execution.succeeded"], subjectId: "svc_1", data: end });
    const missed = eventOf({
      type: SCHEDULED_JOB_EVENTS["job.missed"],
      subjectId: "svc_1",
      data: { service: "jobs", jobId: "nightly", scheduledFor, missed: 3 },
    });
    await closing(chat, async () => {
      for (const event of [worked, failed, failed, failed, missed, missed, worked, worked]) {
        await emitNow([event]);
        await run(HOUR_MS);
      }
      assert.deepEqual(chat.faults, []);
      const texts = chat.accepted.map((one) => JSON.stringify(one));
      assert.equal(texts.length, 3);
      for (const [index, expected] of [
        /A job failed.*jobs nightly – The command took more than 60 minutes/,
        /A job did not run.*jobs nightly – Slipway could not start it at 2026.+20 03:00 UTC, and 2 times before/,
        /A job works again.*jobs nightly/,
      ].entries())
        assert.match(texts[index] ?? "", expected);
    });
  });

  it("waits as long as a receiver with a rate limit asks", async () => {
    const { chat, run } = await open("discord");
    await closing(chat, async () => {
      chat.answer = (response) =>
        void response.writeHead(429, { "retry-after": "600" }).end('{"retry_after": 600}');
      await report("raised", ["limited.example.com"]);
      await run(MINUTE_MS);
      assert.equal(chat.requests(), 1);
      chat.answer = null;
      await run(5 * MINUTE_MS);
      assert.equal(chat.requests(), 1);
      await run(5 * MINUTE_MS);
      assert.equal(chat.accepted.length, 1);
    });
  });

  it("of a user forgets what the user no longer sees before the message, and ends with the user", async (t) => {
    const { db, admin } = user;
    const { organizationId } = admin;
    const mail = await startMailServer();
    t.after(() => mail.close());
    const clock = createTestClock("2026-11-20T12:00:00.000Z");
    const jobs = { enqueue: async () => undefined };
    const ada = await db.transaction((tx) =>
      createUser(tx, admin, { email: "ada@acme.example", role: "viewer" }),
    );
    const own = { ...admin, userId: ada.id, role: "viewer" as const };
    const { id } = await db.transaction((tx) => updateOwnChannel(tx, jobs, own, { enabled: true }));
    const mailer = createMailer({ url: mail.url, from: "slipway@acme.example" }, "slipway.acme.example");
    const run = runOf({ organizationId, id }, clock, mailer);
    await report("raised", ["kept.example.com"], "Missing.", "proj_kept");
    await report("raised", ["lost.example.com"], "Missing.", "proj_lost");
    await run(5_000);
    // The events were read. What the user may see is read again before the message.
    await db.query(
      writeStatement("test_lose_project", "UPDATE notification_channels SET project_ids = $2 WHERE id = $1"),
      [id, ["proj_kept"]],
    );
    await run(MINUTE_MS);
    const texts = mail.mails.map(({ text }) => text);
    assert.equal(texts.length, 1);
    assert.ok(texts[0]?.includes("kept.example.com") && !texts[0].includes("lost.example.com"), texts[0]);
    await report("resolved", ["kept.example.com"], "Missing.", "proj_kept");
    await run(5_000);
    await db.transaction((tx) => deleteUser(tx, admin, ada.id));
    await run(HOUR_MS);
    assert.equal(mail.mails.length, 1);
    assert.equal(await channels.find(db, organizationId, id), null);
  });

  it("is disabled when its receiver answers 410", async () => {
    const { chat, run, get } = await open("slack");
    await closing(chat, async () => {
      chat.answer = (response) => void response.writeHead(410).end("channel_is_archived");
      await report("raised", ["gone.example.com"]);
      await run(HOUR_MS);
      const { status, disabledReason, answer } = await get();
      assert.deepEqual([status, disabledReason, answer], ["DISABLED", "GONE", "channel_is_archived"]);
      assert.equal(chat.requests(), 1);
    });
  });

  it("escapes hostile names in each form", async () => {
    for (const kind of ["slack", "discord", "teams"] as const) {
      const { chat, run } = await open(kind);
      await closing(chat, async () => {
        await report(
          "raised",
          [`${kind}.example.com`],
          "<!channel> @everyone `x` [a](https://evil.example) \u202e",
        );
        await run(MINUTE_MS);
        assert.deepEqual([chat.accepted.length, chat.faults], [1, []]);
        const text = JSON.stringify(chat.accepted[0]);
        assert.ok(!text.includes("<!channel>") || kind !== "slack");
        assert.ok(!text.includes("\u202e"));
      });
    }
  });
});
