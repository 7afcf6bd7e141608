/**
 * E-mail to users: what they enable for themselves, to the address of their account, and only about what they may see;
 * and invitations.
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { type ApiClient, createApiClient } from "../helpers/api-client.ts";
import {
  configOf,
  createIacProject,
  deploy,
  ended,
  push,
  withConfig,
} from "../helpers/customers/deployments.ts";
import { connectAccount, integrateGit } from "../helpers/customers/scenario.ts";
import { type Instance, startInstance } from "../helpers/instance.ts";
import { type MailServer, startMailServer } from "../helpers/notifications/mail-server.ts";
import { assertRefused } from "../helpers/problems.ts";
import { until } from "../helpers/until.ts";
import { createScratchUser, createUserClient } from "../helpers/users.ts";

const PATH = "/v1/me/notifications";
const SITE = { id: "site", name: "Site", type: "static", outputDirectory: "public" };
const BROKEN = { ...SITE, buildCommand: "exit 3" };

describe("e-mail to users", () => {
  let instance: Instance;
  let mail: MailServer;
  let projects: readonly [mine: string, other: string];
  before(async () => {
    mail = await startMailServer();
    instance = await startInstance({
      env: { SLIPWAY_SMTP_URL: mail.url, SLIPWAY_SMTP_FROM: "Slipway <slipway@acme.example>" },
    });
    const { admin } = instance;
    await connectAccount(admin, "main");
    await integrateGit(admin);
    for (const name of ["mine", "other"])
      await push(instance, name, withConfig(configOf([BROKEN]), { "public/index.html": "one" }));
    projects = [await createIacProject(admin, "mine"), await createIacProject(admin, "other")];
  });
  after(async () => {
    await instance.dispose();
    await mail.close();
  });

  async function person(): Promise<{
    readonly client: ApiClient;
    readonly id: string;
    readonly email: string;
  }> {
    const client = await createUserClient(instance.admin, "viewer");
    const { id, email } = (await client.get("/v1/me")).body.user;
    return { client, id, email };
  }
  const enable = async (client: ApiClient, more: object = {}): Promise<void> => {
    const changed = await client.patch(PATH, { enabled: true, ...more });
    assert.equal(changed.status, 200, changed.text);
  };
  const mailsTo = (email: string) => mail.mails.filter(({ to }) => to.includes(email));
  const fail = async (name: string): Promise<void> =>
    await ended(instance.admin, await deploy(instance.admin, name), "BUILD_ERROR");
  const setAccess = async (project: string, access: string): Promise<void> => {
    const changed = await instance.admin.put(`/v1/projects/${project}/access`, { access });
    assert.equal(changed.status, 200, changed.text);
  };

  it("are off at first, and sent to the address of the account with a link to stop them", async () => {
    const { client, email } = await person();
    const before = (await client.get(PATH)).body;
    assert.deepEqual(
      [before.enabled, before.email, before.mailServer, before.types, before.projectIds],
      [false, email, true, null, null],
    );
    assertRefused(await client.post(`${PATH}/test`), 404, "NOT_FOUND");
    await enable(client);
    const test = (await client.post(`${PATH}/test`)).body;
    assert.equal(test.isAccepted, true, JSON.stringify(test));
    const [sent] = mailsTo(email);
    assert.deepEqual(sent?.to, [email]);
    assert.match(sent?.text ?? "", /\/console\/my-notifications/);
    assert.ok((await client.get(PATH)).body.lastSentAt !== null);
    mail.refused.add(email);
    assert.equal((await client.post(`${PATH}/test`)).body.error.code, "MAIL_REFUSED");
    mail.refused.clear();
    assert.equal((await client.get(PATH)).body.lastError.code, "MAIL_REFUSED");
    const stopped = (await client.patch(PATH, { enabled: false })).body;
    assert.deepEqual([stopped.enabled, stopped.disabledReason], [false, "USER"]);
  });

  it("are about chosen projects and types, and end with the right to see the project, and with the user", async () => {
    const { admin } = instance;
    const [chooser, loser, leaver, all] = [await person(), await person(), await person(), await person()];
    await enable(chooser.client, { projectIds: [projects[1]] });
    await enable(loser.client);
    await enable(leaver.client);
    await enable(all.client, { types: ["deployment.environment_failed"] });
    await setAccess(projects[0], "members");
    assert.equal((await admin.delete(`/v1/users/${leaver.id}`)).status, 204);
    assert.equal(
      (await admin.put(`/v1/projects/${projects[0]}/members/${all.id}`, { role: "viewer" })).status,
      200,
    );
    await Promise.all([fail("mine"), fail("other")]);
    const about = (email: string, project: string) =>
      mailsTo(email).filter(({ text }) => text.includes(`${project} / production`)).length;
    await until(
      () =>
        about(all.email, "mine") > 0 && about(all.email, "other") > 0 && about(chooser.email, "other") > 0,
      "users who see the projects are informed",
    );
    await until(() => about(loser.email, "other") > 0, "of the project that is left");
    assert.deepEqual(
      [about(chooser.email, "mine"), about(loser.email, "mine"), mailsTo(leaver.email).length],
      [0, 0, 0],
    );
  });

  it("are not sent about a project that the user loses after the event, before its message", async () => {
    const { admin } = instance;
    const { client, email, id } = await person();
    const member = `/v1/projects/${projects[0]}/members/${id}`;
    assert.equal((await admin.put(member, { role: "viewer" })).status, 200);
    await enable(client, { types: ["project.member_changed"] });
    const other = await person();
    // Until the user has lost the project, no message is sent.
    mail.refused.add(email);
    const add = await admin.put(`/v1/projects/${projects[0]}/members/${other.id}`, { role: "viewer" });
    assert.equal(add.status, 200, add.text);
    assert.equal((await admin.delete(member)).status, 204);
    mail.refused.delete(email);
    // A later event that the user sees is reported, and nothing of the lost project is beside it.
    await enable(client, { types: ["project.member_changed", "user.created"] });
    await admin.post("/v1/users", { email: "later@acme.example", role: "viewer" });
    await until(() => mailsTo(email).length > 0, "the later event");
    assert.ok(
      mailsTo(email).every(({ text }) => !text.includes("mine")),
      mailsTo(email)[0]?.text,
    );
  });

  it("do not appear among the channels of the organization, whose admins cannot read or change them", async () => {
    const { admin } = instance;
    const { client } = await person();
    await enable(client);
    assert.deepEqual((await admin.get("/v1/notification-channels")).body.notificationChannels, []);
    const { auditEntries } = (await admin.get("/v1/audit-entries?action=notification-channel.created")).body;
    const id = auditEntries.at(-1).resourceId;
    for (const answer of [
      await admin.get(`/v1/notification-channels/${id}`),
      await admin.patch(`/v1/notification-channels/${id}`, { recipients: ["mallory@evil.example"] }),
      await admin.delete(`/v1/notification-channels/${id}`),
      await admin.post(`/v1/notification-channels/${id}/test`),
    ])
      assertRefused(answer, 404, "NOT_FOUND");
    const { events } = (await admin.get(`/v1/events?subjectId=${id}`)).body;
    assert.deepEqual(events, []);
  });

  describe("that invites them", () => {
    const stateOf = async (id: string) => (await instance.admin.get(`/v1/users/${id}/invitation`)).body;
    const invite = (id: string, client = instance.admin) => client.post(`/v1/users/${id}/invitation`);
    const ended = (id: string) =>
      until(async () => {
        const state = await stateOf(id);
        return state.last !== null && state.last.status !== "PENDING" && state;
      }, "the invitation has ended");
    async function add(email: string, { hasKey = true } = {}): Promise<string> {
      const user = await instance.admin.post("/v1/users", {
        email,
        role: "viewer",
        name: "Ada <b>Lovelace</b>",
      });
      assert.equal(user.status, 201, user.text);
      if (hasKey) await instance.admin.post("/v1/api-keys", { name: "first", userId: user.body.id });
      return user.body.id;
    }

    it("says who invites where, and how to sign in, and has no key", async () => {
      const id = await add("invited@acme.example");
      const draft = await stateOf(id);
      assert.deepEqual([draft.refusal, draft.last], [null, null]);
      const asked = await invite(id);
      assert.deepEqual([asked.status, asked.body.last.status], [202, "PENDING"], asked.text);
      const { last, message } = await ended(id);
      assert.deepEqual(
        [last.status, last.attempts, last.error, last.answer, last.email],
        ["SENT", 1, null, "250 2.0.0 Queued as mail-1", "invited@acme.example"],
      );
      const mails = mailsTo("invited@acme.example");
      assert.equal(mails.length, 1);
      const text = mails[0]?.text.replaceAll(/=\r\n/g, "") ?? "";
      assert.match(text, new RegExp(`^Message-ID: <${last.id}@`, "im"));
      assert.match(message.text, /^Hello Ada <b>Lovelace<\/b>,\n\n.* invites you to .* in Slipway/);
      for (const line of [`Open ${draft.signInUrl}`, "Sign in with the API key that an admin gives you."])
        assert.ok(message.text.includes(line) && text.includes(line.split("=")[0] ?? ""), `${line}: ${text}`);
      assert.ok(text.includes("Ada &lt;b&gt;Lovelace"), text);
      const { auditEntries } = (await instance.admin.get("/v1/audit-entries?action=user.invited")).body;
      assert.deepEqual(
        auditEntries.map(({ resourceId, details }: { resourceId: string; details: { after: object } }) => [
          resourceId,
          details.after,
        ]),
        [[id, { email: "invited@acme.example" }]],
      );
      const event = await until(async () => {
        const { events } = (await instance.admin.get(`/v1/events?subjectId=${id}`)).body;
        return events.find(({ type }: { type: string }) => type === "user.invited") ?? false;
      }, "its event");
      assert.deepEqual(event.data, { invitationId: last.id, name: "Ada <b>Lovelace</b>" });
    });

    it("ends with the reply of a server that refuses, and is only repeated when it is asked for again", async () => {
      const id = await add("refused@acme.example");
      mail.refused.add("refused@acme.example");
      await invite(id);
      const { last } = await ended(id);
      assert.deepEqual([last.status, last.attempts, last.error.code], ["FAILED", 1, "MAIL_REFUSED"]);
      assert.match(last.answer, /^550 No such mailbox/);
      await until(async () => {
        const { events } = (await instance.admin.get(`/v1/events?subjectId=${id}`)).body;
        return events.some(
          ({ type, data }: { type: string; data: { error: { code: string } } }) =>
            type === "user.invitation_failed" && data.error.code === "MAIL_REFUSED",
        );
      }, "its event");
      mail.refused.clear();
      await invite(id);
      await until(async () => (await stateOf(id)).last.status === "SENT", "the second is sent");
      assert.equal(mailsTo("refused@acme.example").length, 1);
    });

    it("is sent at most three times in a day to an address, whichever user has it", async () => {
      const email = "often@acme.example";
      for (let count = 1; count <= 3; count += 1) {
        const id = await add(email);
        assert.equal((await invite(id)).status, 202);
        await ended(id);
        assert.equal((await instance.admin.delete(`/v1/users/${id}`)).status, 204);
      }
      const refused = await invite(await add(email));
      assertRefused(refused, 429, "TOO_MANY_INVITATIONS");
      const seconds = Number(refused.headers.get("retry-after"));
      assert.ok(seconds > 86_000 && seconds <= 86_400, String(seconds));
      assert.equal(mailsTo(email).length, 3);
    });

    it("is one message while it is pending, however often it is asked for", async () => {
      const id = await add("eager@acme.example");
      const replies: (() => void)[] = [];
      mail.onMail = (reply) => void replies.push(reply);
      await invite(id);
      await until(() => replies.length === 1, "the server has the message");
      const { last } = (await invite(id)).body;
      assert.equal(last.status, "PENDING");
      mail.onMail = (reply) => reply();
      replies[0]?.();
      assert.equal((await ended(id)).last.id, last.id);
      assert.equal(mailsTo("eager@acme.example").length, 1);
    });

    it("is refused for a user who could not sign in, has no address, or is unknown", async () => {
      const locked = await add("locked@acme.example", { hasKey: false });
      assert.deepEqual(
        [(await stateOf(locked)).message, (await stateOf(locked)).refusal.code],
        [null, "NO_WAY_TO_SIGN_IN"],
      );
      assertRefused(await invite(locked), 409, "NO_WAY_TO_SIGN_IN");
      const service = await instance.admin.post("/v1/users", { kind: "service", name: "CI", role: "viewer" });
      assertRefused(await invite(service.body.id), 409, "NO_EMAIL_ADDRESS");
      assertRefused(await invite("user_nobody"), 404, "NOT_FOUND");
    });
  });

  it("are not changed by a key with limits, and name only projects that the user sees", async () => {
    const { admin } = instance;
    const { client, id } = await person();
    for (const limit of [{ scopes: ["read"] }, { projectIds: [projects[1]] }]) {
      const key = await admin.post("/v1/api-keys", { name: "limited", userId: id, ...limit });
      assert.equal(key.status, 201, key.text);
      const limited = createApiClient(instance.url, key.body.key);
      assert.equal((await limited.patch(PATH, { enabled: true })).status, 403);
    }
    assertRefused(await client.patch(PATH, { projectIds: [projects[0]] }), 404, "NOT_FOUND");
    assertRefused(await client.patch(PATH, { types: ["domain.broken"] }), 400, "INVALID_REQUEST");
    const service = await admin.post("/v1/users", { kind: "service", name: "CI", role: "viewer" });
    const key = await admin.post("/v1/api-keys", { name: "CI", userId: service.body.id });
    assertRefused(
      await createApiClient(instance.url, key.body.key).patch(PATH, { enabled: true }),
      409,
      "NO_EMAIL_ADDRESS",
    );
  });
});

describe("without a mail server", () => {
  it("users cannot enable e-mail, and the text of an invitation is there to copy", async (t) => {
    const instance = await startInstance();
    t.after(() => instance.dispose());
    assert.equal((await instance.admin.get(PATH)).body.mailServer, false);
    assertRefused(await instance.admin.patch(PATH, { enabled: true }), 422, "EMAIL_NOT_CONFIGURED");
    const { userId } = await createScratchUser(instance.admin, "viewer");
    const path = `/v1/users/${userId}/invitation`;
    assertRefused(await instance.admin.post(path), 422, "EMAIL_NOT_CONFIGURED");
    const { message, refusal, signInUrl, last } = (await instance.admin.get(path)).body;
    assert.deepEqual([refusal.code, last], ["EMAIL_NOT_CONFIGURED", null]);
    assert.ok(message.text.includes(signInUrl), message.text);
  });
});
