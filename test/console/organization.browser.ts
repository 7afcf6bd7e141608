/** Admins manage webhooks, users, keys, sessions, git and trusted jobs, and read the audit, with only the keyboard. */
import assert from "node:assert/strict";
import { readFile, rename } from "node:fs/promises";
import { after, afterEach, before, describe, it } from "node:test";
import type { Page } from "playwright-core";
import { createRepository } from "../../sandbox/src/git/git-repositories.ts";
import { createApiClient } from "../helpers/api-client.ts";
import { ADMIN_KEY, type Instance, startInstance } from "../helpers/instance.ts";
import type { Browser } from "../helpers/processes/browser.ts";
import { until } from "../helpers/until.ts";
import { startChat } from "../helpers/notifications/chat.ts";
import { type Receiver, startReceiver } from "../helpers/webhooks/receiver.ts";
import { createScratchUser, createUserClient } from "../helpers/users.ts";
import { assertAccessible, open, openConsole, signIn } from "./console.ts";
import { choose, chooseAction, press, reach, tick, type } from "./keyboard.ts";

describe("an organization in the console", () => {
  let instance: Instance;
  let browser: Browser;
  let page: Page;
  let receiver: Receiver;

  before(async () => {
    instance = await startInstance();
    receiver = await startReceiver();
    browser = await openConsole();
    ({ page } = browser);
    await signIn(page, instance);
  });
  after(async () => {
    await browser.dispose();
    await instance.dispose();
    await receiver.close();
  });
  afterEach(() => browser.assertSound());

  it("adds a webhook, whose secret verifies the test that it sends", async () => {
    await open(page, instance, "/webhooks/new", "Add a webhook");
    await type(page.getByLabel("Address"), receiver.url);
    await type(page.getByLabel("Description"), "Chat");
    await choosesEvents();
    await press(button("Add webhook"));
    const secret = await takeSecret("The webhook's secret");
    await heading("Chat");
    await press(button("Send a test"));
    await page.getByText("A test is on its way.").waitFor();
    await delivery().getByText("answer 204").waitFor();
    const [ping] = pings();
    assert.ok(ping !== undefined);
    receiver.verify(ping, secret);
  });

  it("shows what was sent and answered, and sends it again with the same id", async () => {
    receiver.answer = (_received, response) => void response.writeHead(500).end("the database is down");
    await press(delivery().getByRole("link"));
    await heading("Delivery of webhook_endpoint.ping");
    await page.getByRole("region", { name: "Attempt 1" }).waitFor();
    await page.getByText(`"type": "webhook_endpoint.ping"`).waitFor();
    await press(button("Send again"));
    const again = page.getByRole("region", { name: "Attempt 2" });
    await again.getByText("the database is down").waitFor();
    await assertAccessible(page, "a delivery that failed");
    assert.equal(new Set(pings().map(({ event }) => event.id)).size, 1);
    assert.equal(pings().length, 2);
    await press(page.getByRole("link", { name: "Chat", exact: true }));
    await heading("Chat");
    await type(page.getByLabel("Type of event"), "nothing.like.it");
    await page.getByText("No delivery matches").waitFor();
    await press(button("Clear the filter"));
    await delivery().waitFor();
  });

  it("adds a notification channel, and shows what its receiver answers to a test", async () => {
    const chat = await startChat("slack");
    try {
      await open(page, instance, "/notifications/new", "Add a notification channel");
      await type(page.getByLabel("Name"), "Operations");
      await type(page.getByLabel("Webhook URL"), chat.url);
      await press(button("Add channel"));
      await heading("Operations");
      await press(button("Send a test"));
      await page.getByText("The receiver accepted the test.").waitFor();
      assert.deepEqual([chat.accepted.length, chat.faults], [1, []]);
      chat.answer = (response) => void response.writeHead(404).end("no_service");
      await press(button("Send a test"));
      await page.getByText("The receiver did not accept the test.").waitFor();
      await page.getByText("404 no_service").waitFor();
      for (let count = 0; count < 4; count += 1) {
        await press(button("Send a test"));
        await until(() => chat.requests() === count + 3, "it is sent");
      }
      await page.getByText("Its receiver accepts no messages.").waitFor();
      await assertAccessible(page, "a channel that fails");
      const pictures = process.env["SLIPWAY_TEST_PICTURES"];
      if (pictures !== undefined) await page.screenshot({ path: `${pictures}/failing-channel.png` });
    } finally {
      await chat.close();
    }
  });

  it("renames the organization, and says what is kept for how long", async () => {
    await open(page, instance, "/settings", "Settings");
    await button("Rename").and(page.locator("[aria-disabled=true]")).waitFor();
    await type(page.getByLabel("Name of the organization"), " ");
    await press(button("Rename"));
    await page.getByLabel("Name of the organization").and(page.locator("[aria-invalid=true]")).waitFor();
    await type(page.getByLabel("Name of the organization"), "Acme");
    await press(button("Rename"));
    await page.getByText("Saved.").waitFor();
    assert.equal((await instance.admin.get("/v1/organization")).body.name, "Acme");
    const kept = page.getByRole("table", { name: "Retention" }).getByRole("row");
    await kept.filter({ hasText: "Audit entries" }).getByText("400 days").waitFor();
    await assertAccessible(page, "the settings");
  });

  it("says why another user must not rename it", async () => {
    const viewer = await createUserClient(instance.admin, "viewer");
    const other = await openConsole();
    try {
      await signIn(other.page, instance, viewer.key);
      await open(other.page, instance, "/settings", "Settings");
      const rename = other.page.getByRole("button", { name: "Rename", exact: true });
      await rename.and(other.page.locator("[aria-disabled=true]")).focus();
      const reason = "This needs the role admin in your organization.";
      await other.page.getByRole("tooltip").getByText(reason).waitFor();
      for (const action of ["Rename", "Save branding"]) {
        const form = other.page.locator("form").filter({ hasText: `You may not do this: ${action}` });
        await form.getByRole("paragraph").getByText(reason).waitFor();
      }
      await other.page.getByText("400 days").first().waitFor();
    } finally {
      await other.dispose();
    }
  });

  it("shows when users were last seen, and what lets them in", async () => {
    const { userId } = await createScratchUser(instance.admin, "viewer");
    const { name } = (await instance.admin.get(`/v1/users/${userId}`)).body;
    await open(page, instance, "/users", "Users");
    const row = page.getByRole("table", { name: "People" }).getByRole("row").filter({ hasText: name });
    await row.getByText("API key").waitFor();
    await row.getByText("not yet").waitFor();
    await open(page, instance, `/users/${userId}`, name);
    await page.getByText("Signs in by").waitFor();
    await page.getByText("Last seen").first().waitFor();
  });

  it("adds a user, changes the role and deletes the user", async () => {
    await open(page, instance, "/users/new", "Add a user");
    await type(page.getByLabel("Email"), "nobody");
    await press(button("Add user"));
    await page.getByLabel("Email").and(page.locator("[aria-invalid=true]")).waitFor();
    await type(page.getByLabel("Email"), "ada@example.com");
    await press(button("Add user"));
    await heading("ada@example.com");
    assert.equal(await page.getByLabel("Role").inputValue(), "viewer");
    await choose(page.getByLabel("Role"), "developer");
    await press(button("Save"));
    await page.getByText("Saved.").waitFor();
    assert.equal((await findUser("ada@example.com"))?.role, "developer");
    await press(button("Delete user"));
    await press(page.getByRole("dialog").getByRole("button", { name: "Delete" }));
    await heading("Users");
    assert.equal(await findUser("ada@example.com"), undefined);
  });

  it("creates a key for the user whose page leads there, and names them and their role", async () => {
    const { userId } = await createScratchUser(instance.admin, "viewer");
    const { name } = (await instance.admin.get(`/v1/users/${userId}`)).body;
    await open(page, instance, `/users/${userId}`, name);
    await press(page.getByRole("link", { name: "Create a key" }).first());
    await heading(`Create a key for ${name}`);
    await page.getByText("Viewer. Sees everything but secrets, and changes nothing.").waitFor();
    assert.equal(await page.getByLabel("User", { exact: true }).count(), 0);
    await type(page.getByLabel("Name"), "laptop");
    await press(button("Create key"));
    const key = await takeSecret(`The key laptop of ${name}`);
    await heading(name);
    const { body } = await createApiClient(instance.url, key).get("/v1/me");
    assert.deepEqual([body.user.id, body.user.role], [userId, "viewer"]);
    await open(page, instance, "/api-keys/new?userId=user_01kahxq2t1e8r4k7c5m9z3g6hs", "Create a key");
    await page.getByText("User not found").waitFor();
    assert.equal(await button("Create key").count(), 0);
  });

  it("keeps the last admin", async () => {
    const { body } = await instance.admin.get("/v1/me");
    await open(page, instance, `/users/${body.user.id}`, "Admin");
    await button("Delete user").and(page.locator("[aria-disabled=true]")).waitFor();
    await choose(page.getByLabel("Role"), "viewer");
    await button("Save").and(page.locator("[aria-disabled=true]")).waitFor();
    await choose(page.getByLabel("Role"), "admin");
  });

  it("creates a key that may only read, shows it once, and revokes it", async () => {
    await open(page, instance, "/api-keys/new", "Create a key");
    await type(page.getByLabel("Name"), "dashboard");
    await tick(page.getByLabel("Read what viewers read"));
    await press(button("Create key"));
    const key = await takeSecret("The key dashboard");
    await heading("API keys");
    const client = createApiClient(instance.url, key);
    assert.equal((await client.get("/v1/projects")).status, 200);
    assert.equal((await client.get("/v1/users")).status, 200);
    assert.equal((await client.delete("/v1/projects/proj_01kahxq2t1e8r4k7c5m9z3g6hs")).status, 403);
    assert.ok(!(await page.content()).includes(key));
    await chooseAction(button("Actions for dashboard"), "Delete…");
    await press(page.getByRole("dialog").getByRole("button", { name: "Delete key" }));
    await page.getByRole("row").filter({ hasText: "dashboard" }).waitFor({ state: "detached" });
    await until(async () => (await client.get("/v1/projects")).status === 401, "the key is refused");
  });

  it("ends the session of another browser", async () => {
    const answer = await fetch(`${instance.url}/v1/sessions`, {
      method: "POST",
      headers: { authorization: `Bearer ${ADMIN_KEY}`, "user-agent": "Mozilla/5.0 Firefox/140.0" },
    });
    const cookie = answer.headers.get("set-cookie")?.split(";")[0] ?? "";
    const { pageKey } = (await answer.json()) as { pageKey: string };
    const headers = { cookie, "slipway-page-key": pageKey };
    const ask = async () => (await fetch(`${instance.url}/v1/me`, { headers })).status;
    assert.equal(await ask(), 200);
    await open(page, instance, "/sessions", "Sessions");
    await press(page.getByRole("button", { name: /^End the session of .*Firefox/ }));
    await press(page.getByRole("dialog").getByRole("button", { name: "End it" }));
    await page.getByRole("row").filter({ hasText: "Firefox" }).waitFor({ state: "detached" });
    await until(async () => (await ask()) === 401, "it is signed out");
  });

  it("adds a git integration, checks its token, makes a hook secret and replaces the token", async () => {
    const { gitDir } = instance.sandbox;
    // More than are shown at once.
    for (let number = 0; number < 50; number += 1)
      await createRepository({
        folder: gitDir,
        name: `shop-${number}`,
        branch: "trunk",
        files: {},
        at: new Date(),
      });

    await open(page, instance, "/git-integrations/new", "Add a git integration");
    await type(page.getByLabel("Access token"), "a-token-of-the-sandbox");
    await press(button("Add"));
    await heading("GitHub");
    await page.getByText("Token works").waitFor();
    await page.getByText("No project yet").waitFor();
    await page.getByRole("link", { name: "New project" }).waitFor();
    const reached = page.getByRole("table", { name: "Repositories that the token reaches" });
    await reached.getByText("https://git.sandbox.test/shop-0").waitFor();
    assert.equal(await reached.getByText("https://git.sandbox.test/demo").count(), 0);
    await press(button("Show more"));
    await reached.getByText("https://git.sandbox.test/demo").waitFor();
    await rename(gitDir, `${gitDir}-away`);
    await press(button("Check now"));
    await page.getByText("Git host not reached").waitFor();
    await page.getByText("The token worked before.").waitFor();
    await assertAccessible(page, "a git host that is away");
    await rename(`${gitDir}-away`, gitDir);
    await press(button("Check now"));
    await page.getByText("Token works").waitFor();
    await open(page, instance, "/git-integrations", "Git");
    await press(page.getByRole("row").filter({ hasText: "Token works" }).getByRole("link"));
    await heading("GitHub");
    await press(button("Make a hook secret"));
    await press(page.getByRole("dialog").getByRole("button", { name: "Make it" }));
    await takeSecret("Enter this at the git host");
    await type(page.getByLabel("New access token"), "another-token");
    await press(button("Replace token"));
    await page.getByText("The token was replaced.").waitFor();
    assert.ok(!(await page.content()).includes("another-token"));
    await chooseAction(button("Actions for GitHub"), "Delete…");
    await press(page.getByRole("dialog").getByRole("button", { name: "Delete integration" }));
    await heading("Git");
    assert.deepEqual((await instance.admin.get("/v1/git-integrations")).body.gitIntegrations, []);
  });

  it("trusts a job, shows its workflow, and trusts it no more", async () => {
    await instance.admin.post("/v1/users", { kind: "service", name: "CI", role: "developer" });
    await open(page, instance, "/workload-trusts/new", "Trust a job");
    await type(page.getByLabel("Name"), "deploy shop");
    await type(page.getByLabel("Repository"), "acme/shop");
    await press(button("Trust it"));
    await heading("deploy shop");
    await page.getByText("repository is acme/shop").waitFor();
    await page.getByText("ref is refs/heads/main").waitFor();
    await page.getByLabel("The workflow").getByText("id-token: write").waitFor();
    await press(button("Delete the trust"));
    await press(page.getByRole("dialog").getByRole("button", { name: "Delete trust" }));
    await heading("Workload trusts");
    assert.deepEqual((await instance.admin.get("/v1/workload-trusts")).body.workloadTrusts, []);
  });

  it("finds in the audit who did that, and exports what the filter finds", async () => {
    await open(page, instance, "/audit", "Audit");
    await type(page.getByLabel("Action"), "user.deleted");
    await until(async () => (await rows().count()) === 2, "one entry below the heads of the columns");
    await rows().getByRole("link", { name: "Admin" }).waitFor();
    assert.match(page.url(), /action=user[.]deleted/);
    for (const [name, contains] of [
      ["Export CSV", /user[.]deleted/],
      ["Export JSON Lines", /"action":"user[.]deleted"/],
    ] as const) {
      const download = page.waitForEvent("download");
      await press(button(name));
      const text = await readFile(await (await download).path(), "utf8");
      assert.match(text, contains);
      assert.ok(!text.includes("api-key.created"));
    }
    await type(page.getByLabel("Action"), "nothing.like.it");
    await press(button("Clear the filter"));
    await until(async () => (await rows().count()) > 2, "all entries are there again");
  });

  it("shows fields in words and people by their names in the audit", async () => {
    const { admin } = instance;
    const { body } = await admin.post("/v1/users", { kind: "service", name: "Robot", role: "developer" });
    await admin.patch(`/v1/users/${body.id}`, { gitLogin: "robot-login" });
    await admin.post("/v1/api-keys", { name: "for the robot", userId: body.id });
    await open(page, instance, "/audit", "Audit");
    await rows().filter({ hasText: "git login: robot-login" }).waitFor();
    await rows().filter({ hasText: "for the robot" }).filter({ hasText: "user: Robot" }).waitFor();
    const details = button("Details of: Created an API key for the robot");
    await press(details);
    assert.equal(await details.getAttribute("aria-expanded"), "true");
    await page.getByText("api-key.created", { exact: true }).waitFor();
    await button("Copy the request's id").waitFor();
    await assertAccessible(page, "an audit entry with its details");
    await press(details);
    await page.getByText("api-key.created", { exact: true }).waitFor({ state: "detached" });
    assert.doesNotMatch(await page.getByRole("table").innerText(), /userId|gitLogin/);
  });

  const button = (name: string) => page.getByRole("button", { name, exact: true });
  const rows = () => page.getByRole("table", { name: "Audit entries, newest first" }).getByRole("row");
  const pings = () => receiver.received.filter(({ event }) => event.type === "webhook_endpoint.ping");
  const delivery = () => page.getByRole("row").filter({ hasText: "webhook_endpoint.ping" });

  /** Finds types by their words, takes a whole group and drops one of it, and returns to all events. */
  async function choosesEvents(): Promise<void> {
    await reach(page.getByRole("radio", { name: "All events" }));
    await page.keyboard.press("ArrowRight");
    await press(button("Add webhook"));
    await page.getByText("Choose at least one event, or all events.").waitFor();
    await type(page.getByLabel("Search events"), "certificate expires");
    await page
      .getByText("A certificate in use was not renewed and expires in 30, 14, 7 or 1 days.")
      .waitFor();
    assert.equal(await page.getByRole("checkbox", { name: "Deployment: failed" }).count(), 0);
    await tick(page.getByRole("checkbox", { name: /^Certificates/ }));
    await page.getByText("4 chosen").waitFor();
    await tick(page.getByRole("checkbox", { name: "Certificate: expiring" }));
    await page.getByText("3 chosen").waitFor();
    await assertAccessible(page, "the types of events");
    await press(button("Clear"));
    await page.getByText("0 chosen").waitFor();
    await type(page.getByLabel("Search events"), "nothing like it");
    await page.getByText("Nothing has “nothing like it”.").waitFor();
    await reach(page.getByRole("radio", { name: "Chosen events" }));
    await page.keyboard.press("ArrowLeft");
  }

  async function heading(name: string): Promise<void> {
    await page.getByRole("heading", { level: 1, name, exact: true }).waitFor();
  }

  /** Reads the secret that a dialog shows once, and closes the dialog. */
  async function takeSecret(title: string): Promise<string> {
    const dialog = page.getByRole("dialog", { name: title });
    const secret = (await dialog.locator("code").last().innerText()).trim();
    assert.ok(secret.length > 20);
    await press(dialog.getByRole("button", { name: "Done" }));
    await dialog.waitFor({ state: "detached" });
    return secret;
  }

  async function findUser(email: string): Promise<{ readonly role: string } | undefined> {
    const { body } = await instance.admin.get("/v1/users");
    return (body.users as { email: string; role: string }[]).find((user) => user.email === email);
  }
});
