/** Cloud accounts in the console: connecting one, and what keeps one from being deleted. */
import assert from "node:assert/strict";
import { after, afterEach, before, describe, it } from "node:test";
import type { Page } from "playwright-core";
import type { Browser } from "../helpers/processes/browser.ts";
import { loseAccount } from "../helpers/customers/sandbox-account.ts";
import { createGroup, createProject, type Project } from "../helpers/customers/scenario.ts";
import { type Instance, startInstance } from "../helpers/instance.ts";
import { assertAccessible, open, openConsole, signIn } from "./console.ts";

describe("cloud accounts in the console", () => {
  let instance: Instance;
  let browser: Browser;
  let page: Page;
  let project: Project;

  before(async () => {
    instance = await startInstance();
    browser = await openConsole();
    ({ page } = browser);
    await signIn(page, instance);
  });
  after(async () => {
    await browser.dispose();
    await instance.dispose();
  });
  afterEach(() => browser.assertSound());

  it("connects one through the stack's page, and shows the connection without a reload", async () => {
    await place().click();
    await page.getByText("No cloud accounts yet").waitFor();
    await page.getByRole("link", { name: "Connect an account" }).click();
    await page.getByLabel("Given id").fill("not an id");
    await page.getByLabel("AWS account").fill("12");
    await page.getByRole("button", { name: "Connect account" }).click();
    await page.getByText("nothing but letters, digits, - and _").waitFor();
    await page.getByText("An AWS account has 12 digits.").waitFor();
    await page.getByLabel("Given id").fill("acme");
    await page.getByLabel("AWS account").fill("");
    await page.getByRole("button", { name: "Connect account" }).click();
    const opened = browser.context.waitForEvent("page");
    await page.getByRole("link", { name: "Open the stack console" }).click();
    const stack = await opened;
    await stack.getByRole("button", { name: "Create stack" }).click();
    await stack.getByText("CREATE_COMPLETE").waitFor();
    await stack.close();
    await page.locator('[data-status="CONNECTED"]').waitFor();
    await page.getByText("No project uses it").waitFor();
  });

  it("leads an admin to the page of the own server, which says if there is none", async () => {
    await page.route(/\/v1\/me$/, async (route) => {
      const answer = await route.fetch();
      await route.fulfill({ response: answer, json: { ...(await answer.json()), cloud: "host" } });
    });
    await open(page, instance, "/accounts", "Cloud accounts");
    await page.getByRole("link", { name: "This server" }).click();
    await page.getByRole("heading", { level: 1, name: "This server" }).waitFor();
    await page.getByText("Slipway does not run on an own server").waitFor();
    await page.unrouteAll();
  });

  it("says in AWS who creates the stack, what it may do, and what it costs", async () => {
    const waiting = await instance.admin.post("/v1/aws-accounts", {
      givenId: "real",
      expectedAwsAccountId: "111122223333",
    });
    await page.route(/\/v1\/me$/, async (route) => {
      const answer = await route.fetch();
      await route.fulfill({ response: answer, json: { ...(await answer.json()), cloud: "aws" } });
    });
    await open(page, instance, "/accounts/new", "Connect a cloud account");
    await page.getByText(/An administrator of the AWS account creates a CloudFormation stack/).waitFor();
    await page.getByText(/a load balancer of about \$17 a month/).waitFor();
    await open(page, instance, `/accounts/${waiting.body.id}`, "real");
    const connect = page.getByRole("region", { name: "Connect it" });
    await connect.getByText(/Sign in to the AWS account 111122223333 as an administrator/).waitFor();
    await connect.getByText(/choose Create stack/).waitFor();
    await connect.getByRole("button", { name: "Copy the link for an administrator" }).waitFor();
    await connect.getByText("Permissions and cost").click();
    await connect.getByRole("link", { name: "Read the template of the stack" }).waitFor();
    assert.equal(await connect.getByRole("button", { name: /sandbox/ }).count(), 0);
    await assertAccessible(page, "an account of AWS that waits for its stack");
    await page.unrouteAll();
    await instance.admin.delete(`/v1/aws-accounts/${waiting.body.id}`);
    const { body } = await instance.admin.get("/v1/aws-accounts/acme");
    await open(page, instance, `/accounts/${body.id}`, "Sandbox");
  });

  it("is renamed", async () => {
    await page.getByLabel("Name", { exact: true }).fill("Acme, production");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("heading", { level: 1, name: "Acme, production" }).waitFor();
  });

  it("says why a used one is not deleted, with the request's id", async () => {
    project = await createProject(instance.admin, "shop");
    await place().click();
    await page.getByRole("link", { name: "account-shop" }).click();
    await page.getByRole("link", { name: "shop", exact: true }).waitFor();
    await page.getByRole("button", { name: "Delete", exact: true }).click();
    await page.getByRole("button", { name: "Delete connection" }).click();
    const problem = page.getByRole("dialog").getByRole("alert");
    await problem.getByRole("link", { name: "AWS_ACCOUNT_IN_USE" }).waitFor();
    assert.match(await problem.innerText(), /request [0-9a-f-]{36}/);
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
  });

  it("lets a group be abandoned once its account is lost, not before", async () => {
    const { id } = await createGroup(instance.admin, project.services["web"], ["www.lost.example.com"]);
    await open(page, instance, `/groups/${id}/settings`, "www.lost.example.com");
    const abandon = page.getByRole("button", { name: "Abandon the group" });
    assert.equal(await abandon.count(), 0);
    await loseAccount(instance.admin, project.awsAccountId);
    await abandon.click();
    const dialog = page.getByRole("dialog", { name: "Abandon www.lost.example.com?" });
    await dialog.getByText(/stay there, and may cost money/).waitFor();
    await dialog.getByLabel("Type www.lost.example.com to continue").fill("www.lost.example.com");
    await dialog.getByRole("button", { name: "Abandon the group" }).click();
    await page.getByRole("heading", { level: 1, name: "Web" }).waitFor();
    assert.equal((await instance.admin.get(`/v1/domain-certificate-groups/${id}`)).status, 404);
  });

  const place = () =>
    page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Cloud accounts", exact: true });
});
