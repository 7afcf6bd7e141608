import assert from "node:assert/strict";
import { after, before, describe, it, type TestContext } from "node:test";
import { type Instance, startInstance } from "../helpers/instance.ts";
import { type Chat, type ChatKind, startChat } from "../helpers/notifications/chat.ts";
import {
  MAIL_LOGIN,
  type MailServer,
  startDroppingServer,
  startMailServer,
} from "../helpers/notifications/mail-server.ts";
import { assertRefused } from "../helpers/problems.ts";
import {
  configOf,
  createIacProject,
  deploy,
  ended,
  listServices,
  push,
  withConfig,
} from "../helpers/customers/deployments.ts";
import { connectAccount, integrateGit } from "../helpers/customers/scenario.ts";
import { until } from "../helpers/until.ts";
import { createUserClient } from "../helpers/users.ts";

const PATH = "/v1/notification-channels";
const SCHEDULER = {
  id: "jobs",
  type: "scheduler",
  jobs: { nightly: { command: "exit 7", schedule: "0 0 29 2 *" } },
};
const SITE = { id: "site", name: "Site", type: "static", outputDirectory: "public" };

async function chatFor(t: TestContext, kind: ChatKind): Promise<Chat> {
  const chat = await startChat(kind);
  t.after(() => chat.close());
  return chat;
}

describe("a notification channel", () => {
  let instance: Instance;
  let mail: MailServer;
  before(async () => {
    mail = await startMailServer();
    instance = await startInstance({
      withOtherOrganization: true,
      env: { SLIPWAY_SMTP_URL: mail.url, SLIPWAY_SMTP_FROM: "Slipway <slipway@acme.example>" },
    });
  });
  after(async () => {
    await instance.dispose();
    await mail.close();
  });

  async function make(t: TestContext, body: object): Promise<{ readonly id: string; readonly path: string }> {
    const made = await instance.admin.post(PATH, { name: "Operations", ...body });
    assert.equal(made.status, 201, made.text);
    const path = `${PATH}/${made.body.id}`;
    t.after(() => instance.admin.delete(path));
    return { id: made.body.id, path };
  }

  for (const kind of ["slack", "discord", "teams"] as const)
    it(`of ${kind} sends a test and shows the receiver's own answer`, async (t) => {
      const chat = await chatFor(t, kind);
      const { path } = await make(t, { kind, url: chat.url });
      const good = await instance.admin.post(`${path}/test`);
      assert.equal(good.status, 200, good.text);
      assert.deepEqual([good.body.isAccepted, good.body.error], [true, null]);
      assert.deepEqual([chat.accepted.length, chat.faults], [1, []]);
      assert.ok((await instance.admin.get(path)).body.lastSentAt !== null);
      chat.answer = (response) => void response.writeHead(404).end("no_service");
      const bad = (await instance.admin.post(`${path}/test`)).body;
      assert.deepEqual(
        [bad.isAccepted, bad.status, bad.answer, bad.error.code],
        [false, 404, "no_service", "NOT_FOUND"],
      );
      const { lastError } = (await instance.admin.get(path)).body;
      assert.deepEqual([lastError.code, lastError.answer], ["NOT_FOUND", "no_service"]);
    });

  it("by e-mail sends text and HTML through the mail server, and shows its reply", async (t) => {
    const { path } = await make(t, { kind: "email", recipients: ["ops@acme.example", "night@acme.example"] });
    const sent = (await instance.admin.post(`${path}/test`)).body;
    assert.equal(sent.isAccepted, true, JSON.stringify(sent));
    assert.match(sent.answer, /^250 .*Queued as mail-1/);
    const last = mail.mails.at(-1);
    assert.equal(last?.from, "slipway@acme.example");
    assert.deepEqual(last?.to, ["ops@acme.example", "night@acme.example"]);
    assert.match(last?.text ?? "", /^Subject: \[Slipway\] Test notification\r$/m);
    assert.match(last?.text ?? "", /text\/plain[^]*text\/html/);
    mail.refused.add("ops@acme.example").add("night@acme.example");
    t.after(() => mail.refused.clear());
    const refused = (await instance.admin.post(`${path}/test`)).body;
    assert.equal(refused.error.code, "MAIL_REFUSED");
    assert.match(refused.answer, /550.*No such mailbox/);
    assert.ok(!instance.logged().includes(MAIL_LOGIN.password));
  });

  it("reports a failed deployment, its recovery and a failed job, each once, with their names and the error", async (t) => {
    const chat = await chatFor(t, "slack");
    const { admin } = instance;
    await connectAccount(admin, "main");
    await integrateGit(admin);
    const broken = configOf([{ ...SITE, buildCommand: "echo no luck && exit 3" }]);
    for (const name of ["notified", "quiet"])
      await push(instance, name, withConfig(broken, { "public/index.html": "one" }));
    const [mine, other] = [await createIacProject(admin, "notified"), await createIacProject(admin, "quiet")];
    await make(t, { kind: "slack", url: chat.url, projectId: mine });
    const elsewhere = await chatFor(t, "slack");
    await make(t, { kind: "slack", url: elsewhere.url, projectId: other });
    const { environments } = (await admin.get(`/v1/projects/${mine}/environments`)).body;
    const canary = "canary-of-a-variable";
    const set = await admin.post(`/v1/environments/${environments[0].id}/env-variables`, {
      plainText: { CANARY: canary },
    });
    assert.equal(set.status, 200, set.text);
    const id = await deploy(admin, "notified");
    await ended(admin, id, "BUILD_ERROR");
    await until(() => chat.accepted.length === 1, "the failure is reported");
    const text = JSON.stringify(chat.accepted[0]);
    assert.match(text, /A deployment failed/);
    assert.match(text, /notified \/ production: main/);
    assert.ok(text.includes(`/console/deployments/${id}`), text);
    assert.ok(!text.includes(canary));
    await push(instance, "notified", withConfig(configOf([SITE, SCHEDULER]), { "public/index.html": "two" }));
    await ended(admin, await deploy(admin, "notified"));
    const { jobs } = await listServices(admin, mine);
    let run;
    for (let runs = 1; runs <= 2; runs += 1) {
      const path = `/v1/services/${jobs}/executions?status=FAILED`;
      run = await admin.post(`/v1/services/${jobs}/job/nightly/execution`, {});
      assert.equal(run.status, 201);
      await until(async () => (await admin.get(path)).body.executions.length === runs, "the job fails");
    }
    await until(() => chat.accepted.length === 3, "the recovery and the job are reported");
    assert.match(JSON.stringify(chat.accepted[1]), /An environment deploys again/);
    const failed = JSON.stringify(chat.accepted[2]);
    assert.match(failed, /A job failed.*notified \/ production: jobs nightly – .*exit code 7/);
    assert.ok(failed.includes(`/console/executions/${run?.body.jobExecutionId}`), failed);
    assert.deepEqual([chat.faults, elsewhere.requests()], [[], 0]);
  });

  it("that fails is reported by the others and says so itself, but not to itself", async (t) => {
    const [broken, working] = [await chatFor(t, "slack"), await chatFor(t, "discord")];
    broken.answer = (response) => void response.writeHead(500).end("down");
    const { id, path } = await make(t, { kind: "slack", url: broken.url });
    await make(t, { kind: "discord", url: working.url });
    for (let count = 0; count < 5; count += 1) await instance.admin.post(`${path}/test`);
    const failing = (await instance.admin.get(path)).body;
    assert.deepEqual(
      [failing.status, failing.lastError.code, failing.lastError.answer],
      ["FAILING", "SERVER_ERROR", "down"],
    );
    await until(() => working.accepted.length === 1, "another channel reports it");
    assert.match(JSON.stringify(working.accepted[0]), /A notification channel fails/);
    assert.equal(broken.requests(), 5);
    broken.answer = null;
    assert.equal((await instance.admin.post(`${path}/test`)).body.isAccepted, true);
    broken.answer = (response) => void response.writeHead(410).end("channel_is_archived");
    await instance.admin.post(`${path}/test`);
    const disabled = (await instance.admin.get(path)).body;
    assert.deepEqual([disabled.status, disabled.disabledReason], ["DISABLED", "GONE"]);
    const emitted = await until(async () => {
      const { events } = (await instance.admin.get(`/v1/events?subjectId=${id}`)).body;
      return events.length === 4 ? events : null;
    }, "it emits its changes");
    assert.deepEqual(
      emitted.map(({ type }: { type: string }) => type),
      [
        "notification_channel.created",
        "notification_channel.failing",
        "notification_channel.recovered",
        "notification_channel.disabled",
      ],
    );
    assert.equal(emitted[1].data.name, "Operations");
  });

  it("never shows its URL", async (t) => {
    const chat = await chatFor(t, "slack");
    const { id, path } = await make(t, { kind: "slack", url: chat.url });
    const changed = await instance.admin.patch(path, { url: `${chat.url}-2` });
    assert.equal(changed.status, 200, changed.text);
    const places = [path, PATH, `/v1/audit-entries?resourceId=${id}`, `/v1/events?subjectId=${id}`];
    const shown = await Promise.all(places.map(async (place) => (await instance.admin.get(place)).text));
    assert.ok(shown.every((text) => !text.includes("secret-of-the-hook")));
    assert.ok(!instance.logged().includes("secret-of-the-hook"));
    await instance.admin.post(`${path}/test`);
    assert.equal(chat.accepted.length, 1);
  });

  it("is checked, and belongs to admins of its organization", async (t) => {
    const chat = await chatFor(t, "slack");
    const { path } = await make(t, { kind: "slack", url: chat.url });
    const developer = await createUserClient(instance.admin, "developer");
    for (const answer of [await developer.get(PATH), await developer.post(`${path}/test`)])
      assertRefused(answer, 403, "ROLE_TOO_LOW");
    assertRefused(await instance.other.get(path), 404, "NOT_FOUND");
    assertRefused(await instance.other.post(`${path}/test`), 404, "NOT_FOUND");
    const base = { kind: "slack", name: "x" };
    for (const [body, fault] of [
      [base, "/url REQUIRED"],
      [{ ...base, url: "http://hooks.example.com/" }, "/url URL_NOT_HTTPS"],
      [{ ...base, url: chat.url, recipients: ["a@b.example"] }, "/recipients NOT_OF_KIND"],
      [{ ...base, kind: "email" }, "/recipients REQUIRED"],
      [{ ...base, kind: "email", recipients: ["not an address"] }, "/recipients/0 WRONG_FORM"],
      [{ ...base, url: chat.url, types: ["domain.broken"] }, "/types/0 UNKNOWN_EVENT_TYPE"],
      [{ ...base, url: chat.url, kind: "pager" }, "/kind NOT_ALLOWED"],
    ] as const)
      assert.deepEqual(assertRefused(await instance.admin.post(PATH, body), 400, "INVALID_REQUEST"), [fault]);
    const typed = await instance.admin.post(PATH, { ...base, url: chat.url, types: 7 });
    assert.equal(typed.body.detail, "/types: must be of type array or null");
    assertRefused(
      await instance.admin.post(PATH, { ...base, url: "https://10.0.0.1/" }),
      422,
      "WEBHOOK_URL_REFUSED",
    );
    assert.deepEqual(
      assertRefused(
        await instance.admin.patch(path, { recipients: ["a@b.example"] }),
        400,
        "INVALID_REQUEST",
      ),
      ["/recipients NOT_OF_KIND"],
    );
  });

  it("is disabled, reports nothing of that time, and is enabled again", async (t) => {
    const chat = await chatFor(t, "slack");
    const { path } = await make(t, { kind: "slack", url: chat.url, types: ["user.created"] });
    const disabled = (await instance.admin.patch(path, { enabled: false })).body;
    assert.deepEqual([disabled.status, disabled.disabledReason], ["DISABLED", "USER"]);
    const first = await instance.admin.post("/v1/users", {
      email: "first@acme.example",
      name: "first",
      role: "viewer",
    });
    const numbered = async () =>
      (await instance.admin.get(`/v1/events?subjectId=${first.body.id}`)).body.events.length > 0;
    await until(numbered, "the event has its number");
    assert.equal((await instance.admin.patch(path, { enabled: true })).body.status, "HEALTHY");
    await instance.admin.post("/v1/users", { email: "second@acme.example", name: "second", role: "viewer" });
    await until(() => chat.accepted.length === 1, "the next event is reported");
    const text = JSON.stringify(chat.accepted);
    assert.ok(text.includes("second") && !text.includes("first"), text);
  });
});

describe("e-mail", () => {
  it("of a mail server that accepts and drops is not sent, and the channel says so", async (t) => {
    const dropping = await startDroppingServer();
    t.after(() => dropping.close());
    const instance = await startInstance({
      env: { SLIPWAY_SMTP_URL: dropping.url, SLIPWAY_SMTP_FROM: "slipway@acme.example" },
    });
    t.after(() => instance.dispose());
    const made = await instance.admin.post(PATH, {
      kind: "email",
      name: "Mail",
      recipients: ["ops@acme.example"],
    });
    assert.equal(made.status, 201, made.text);
    const test = (await instance.admin.post(`${PATH}/${made.body.id}/test`)).body;
    assert.deepEqual([test.isAccepted, test.error?.code], [false, "MAIL_CLOSED"], JSON.stringify(test));
  });

  it("needs a mail server", async (t) => {
    const instance = await startInstance();
    t.after(() => instance.dispose());
    const made = await instance.admin.post(PATH, {
      kind: "email",
      name: "Mail",
      recipients: ["ops@acme.example"],
    });
    assertRefused(made, 422, "EMAIL_NOT_CONFIGURED");
  });
});
