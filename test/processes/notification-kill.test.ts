/**
 * The whole service is killed with `kill -9` between the acceptance of a message and its recording, and started again
 * on the same folder. The message comes once more and no further time. An e-mail then has the same Message-ID.
 */
import assert from "node:assert/strict";
import { rm } from "node:fs/promises";
import path from "node:path";
import { after, before, describe, it } from "node:test";
import { type ApiClient, createApiClient } from "../helpers/api-client.ts";
import { ADMIN_KEY } from "../helpers/instance.ts";
import { type Chat, startChat } from "../helpers/notifications/chat.ts";
import { type MailServer, startMailServer } from "../helpers/notifications/mail-server.ts";
import { type ServiceProcess, startProcess } from "../helpers/processes/service-process.ts";
import { copyPgliteTemplate, makeTempDir } from "../helpers/template.ts";
import { until } from "../helpers/until.ts";

const PATH = "/v1/notification-channels";

describe("after kill -9 between a receiver's answer and its recording", () => {
  let dataDir: string;
  let service: ServiceProcess;
  let admin: ApiClient;
  let mail: MailServer;
  let chat: Chat;

  async function startService(): Promise<void> {
    service = await startProcess({
      SLIPWAY_DATA_DIR: dataDir,
      SLIPWAY_API_KEY: ADMIN_KEY,
      SLIPWAY_SMTP_URL: mail.url,
      SLIPWAY_SMTP_FROM: "slipway@acme.example",
    });
    admin = createApiClient(service.url, ADMIN_KEY);
  }
  /** A service that stands still cannot record the answer, however late the kill comes. */
  function killAround(answer: () => void): void {
    service.process.kill("SIGSTOP");
    answer();
    service.process.kill("SIGKILL");
  }
  async function createUser(email: string): Promise<string> {
    const made = await admin.post("/v1/users", { email, role: "viewer" });
    assert.equal(made.status, 201, made.text);
    return made.body.id;
  }
  async function makeChannel(body: object): Promise<string> {
    const made = await admin.post(PATH, {
      name: "Operations",
      types: ["user.created", "user.deleted"],
      ...body,
    });
    assert.equal(made.status, 201, made.text);
    return made.body.id;
  }
  const hasSent = async (id: string) => (await admin.get(`${PATH}/${id}`)).body.lastSentAt !== null;

  before(async () => {
    dataDir = await makeTempDir("notification-kill");
    await copyPgliteTemplate(path.join(dataDir, "database"));
    [mail, chat] = [await startMailServer(), await startChat("slack")];
    await startService();
  });
  after(async () => {
    service.process.kill("SIGKILL");
    await service.ended;
    await Promise.all([mail.close(), chat.close()]);
    await rm(dataDir, { recursive: true, force: true, maxRetries: 5 });
  });

  it("an e-mail comes once more, with the same Message-ID", async () => {
    const id = await makeChannel({ kind: "email", recipients: ["ops@acme.example"] });
    mail.onMail = (reply) => killAround(reply);
    const user = await createUser("first@acme.example");
    assert.equal(await service.ended, "SIGKILL");
    assert.equal(mail.mails.length, 1);
    mail.onMail = (reply) => reply();
    await startService();
    assert.equal(await hasSent(id), false);
    await until(async () => await hasSent(id), "the repetition is recorded");
    const ids = mail.mails.map(({ text }) => /^Message-ID:\s+(<\S+>)\r$/im.exec(text)?.[1]);
    assert.equal(ids.length, 2);
    assert.ok(ids[0] !== undefined && ids[0] === ids[1], ids.join(" "));
    // The next message is about the next event only.
    await admin.delete(`/v1/users/${user}`);
    await until(() => mail.mails.length === 3, "the next message");
    const next = mail.mails[2]?.text ?? "";
    assert.ok(/were deleted/.test(next) && !/was created/.test(next) && !next.includes(ids[0]), next);
    assert.equal((await admin.delete(`${PATH}/${id}`)).status, 204);
  });

  it("an invitation comes once more, with the same Message-ID, and is one invitation", async () => {
    const user = await createUser("invited@acme.example");
    await admin.post("/v1/api-keys", { name: "first", userId: user });
    const path = `/v1/users/${user}/invitation`;
    const sent = mail.mails.length;
    mail.onMail = (reply) => killAround(reply);
    const { last } = (await admin.post(path)).body;
    assert.equal(await service.ended, "SIGKILL");
    mail.onMail = (reply) => reply();
    await startService();
    const stateOf = async () => (await admin.get(path)).body.last;
    await until(async () => (await stateOf()).status === "SENT", "the repetition is recorded");
    const { id, attempts } = await stateOf();
    assert.deepEqual([id, attempts], [last.id, 1]);
    const ids = mail.mails.slice(sent).map(({ text }) => /^Message-ID:\s+<([^@]+)@/im.exec(text)?.[1]);
    assert.deepEqual(ids, [id, id]);
  });

  it("a message in a chat comes once more", async () => {
    const id = await makeChannel({ kind: "slack", url: chat.url });
    chat.answer = (response) => killAround(() => void response.writeHead(200).end("ok"));
    const user = await createUser("second@acme.example");
    assert.equal(await service.ended, "SIGKILL");
    chat.answer = null;
    await startService();
    await until(async () => await hasSent(id), "the repetition is recorded");
    await admin.delete(`/v1/users/${user}`);
    await until(() => chat.requests() > 2, "the next message");
    // The first request was answered by this test, and so is not among the accepted ones.
    assert.deepEqual([chat.requests(), chat.accepted.length, chat.faults], [3, 2, []]);
  });
});
