/** Entries beyond the first page of a list: found in choices, named in tables, loaded by a button. */
import assert from "node:assert/strict";
import { after, afterEach, before, describe, it } from "node:test";
import type { Page } from "playwright-core";
import { configOf, deploy, ended } from "../helpers/customers/deployments.ts";
import { createProject } from "../helpers/customers/scenario.ts";
import { type Instance, startInstance } from "../helpers/instance.ts";
import type { Browser } from "../helpers/processes/browser.ts";
import { open, openConsole, signIn, untilSettled } from "./console.ts";

/** More than the API answers with at once. */
const MANY = 105;
const VARIABLES = 1_000;
const SITE = { id: "site", name: "Site", type: "external", hostname: "example.com" };
const CONFIG = configOf([SITE], { name: "Production" });

describe("long lists in the console", () => {
  let instance: Instance;
  let browser: Browser;
  let page: Page;
  let projectId: string;
  let environmentId: string;
  let serviceId: string;

  before(async () => {
    instance = await startInstance();
    browser = await openConsole();
    ({ page } = browser);
    const { admin } = instance;
    const project = await createProject(admin, "shop", CONFIG);
    ({ projectId, environmentId } = project);
    serviceId = String(project.services["site"]);
    for (let nth = 1; nth <= MANY; nth += 1) {
      const name = `Person ${nth}`;
      const made = await admin.post("/v1/users", { name, email: `p${nth}@example.com`, role: "viewer" });
      assert.equal(made.status, 201, made.text);
    }
    const names = Array.from({ length: VARIABLES }, (_, nth) => `NAME_${nth}`);
    for (let at = 0; at < VARIABLES; at += 100) {
      const plainText = Object.fromEntries(
        names.slice(at, at + 100).map((name) => [name, `value of ${name}`]),
      );
      const set = await admin.post(`/v1/services/${serviceId}/env-variables`, { plainText });
      assert.equal(set.status, 200, set.text);
    }
    await signIn(page, instance);
  });
  after(async () => {
    await browser.dispose();
    await instance.dispose();
  });
  afterEach(() => browser.assertSound());

  it("offers users beyond the first page, and names them as members", async () => {
    await open(page, instance, `/projects/${projectId}/members`, "shop");
    await page.getByRole("combobox", { name: "User" }).click();
    await page.getByRole("combobox", { name: "User" }).fill(`Person ${MANY}`);
    await page.getByRole("option", { name: `Person ${MANY}` }).click();
    await page.getByRole("button", { name: "Give role" }).click();
    await page
      .getByRole("table", { name: "Members" })
      .getByRole("link", { name: `Person ${MANY}` })
      .waitFor();
    await open(page, instance, "/api-keys/new", "Create a key");
    await page.getByRole("combobox", { name: "User" }).click();
    await page.getByRole("combobox", { name: "User" }).fill(`Person ${MANY}`);
    await page.getByRole("option", { name: `Person ${MANY} Viewer` }).click();
    await page
      .getByRole("combobox", { name: "User" })
      .and(page.locator(`[value="Person ${MANY}"]`))
      .waitFor();
  });

  for (const place of ["service", "environment"] as const)
    it(`shows a thousand variables of a service to its ${place}, and finds one`, async () => {
      const address =
        place === "service" ? `/services/${serviceId}/variables` : `/environments/${environmentId}/variables`;
      await open(page, instance, address, place === "service" ? "Site" : "Production");
      const rows = page.getByRole("table", { name: "Variables", exact: true }).getByRole("row");
      assert.equal(await rows.count(), VARIABLES + 1);
      await page.getByLabel("Filter Variables").fill(`name_${VARIABLES - 1}`);
      await rows.getByText(`value of NAME_${VARIABLES - 1}`).waitFor();
      assert.equal(await rows.count(), 2);
    });

  it("reads on in the deployments of a service", async () => {
    // One after the other: a deployment that waits is superseded, and never reaches the service.
    for (let nth = 0; nth < 51; nth += 1) await ended(instance.admin, await deploy(instance.admin, "demo"));
    await open(page, instance, `/services/${serviceId}/deployments`, "Site");
    const rows = page.getByRole("table", { name: "Deployments of this service" }).getByRole("row");
    assert.equal(await rows.count(), 51);
    await page.getByRole("button", { name: "Show more" }).click();
    await untilSettled(page);
    await page.getByRole("button", { name: "Show more" }).waitFor({ state: "detached" });
    assert.equal(await rows.count(), 52);
  });
});
