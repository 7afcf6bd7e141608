/** How much is seen at once: lists of many rows in a window of 900 pixels, with names of every length and script. */
import assert from "node:assert/strict";
import { after, afterEach, before, describe, it } from "node:test";
import type { Page } from "playwright-core";
import { configOf, ended } from "../helpers/customers/deployments.ts";
import { createProject, createProjectIn, DEMO_REPOSITORY } from "../helpers/customers/scenario.ts";
import { type Instance, startInstance } from "../helpers/instance.ts";
import type { Browser } from "../helpers/processes/browser.ts";
import {
  assertAccessible,
  assertFits,
  assertShowsTables,
  open,
  openConsole,
  shiftOf,
  signIn,
} from "./console.ts";

const PROJECTS = process.env["SLIPWAY_TEST_FULL"] === "1" ? 200 : 60;
const PROJECTS_SEEN = 20;
const DEPLOYMENTS = 17;
const DEPLOYMENTS_SEEN = 15;
const DESK = { width: 1440, height: 900 };
const PHONE = { width: 320, height: 640 };
const SITE = { id: "site", name: "Site", type: "external", hostname: "example.com" };
const CONFIG = configOf([SITE], { name: "Production" });
/** Long, written to the left, without spaces, and short. */
const NAMES = [
  "Shop of a customer whose name has more letters than any column has room for, in every window",
  "متجر الميناء الكبير للعملاء في الخارج",
  "港の店舗管理システムとお客様のための配送サービスの管理画面",
  "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft",
  "Blog",
];

describe("a list of many rows in the console", () => {
  let instance: Instance;
  let browser: Browser | undefined;
  let page: Page;

  before(async () => {
    instance = await startInstance();
    const { admin } = instance;
    const { awsAccountId, projectId } = await createProject(admin, "shop", CONFIG);
    for (let nth = 1; nth < PROJECTS; nth += 1)
      await createProjectIn(admin, awsAccountId, `${NAMES[nth % NAMES.length]} ${nth}`, CONFIG);
    const environments = (await admin.get(`/v1/projects/${projectId}/environments`)).body.environments;
    for (let nth = 0; nth < DEPLOYMENTS; nth += 1) {
      const begun = await admin.post("/v1/deployments", {
        repoUrl: DEMO_REPOSITORY,
        filter: { projectId, environmentId: environments[0].id },
      });
      assert.equal(begun.status, 201, begun.text);
      await ended(admin, begun.body.id);
    }
    browser = await openConsole(DESK);
    ({ page } = browser);
    await signIn(page, instance);
  });
  after(async () => {
    await browser?.dispose();
    await instance.dispose();
  });
  afterEach(() => browser?.assertSound());

  for (const [address, heading, least] of [
    ["/projects", "Projects", PROJECTS_SEEN],
    ["/deployments", "Deployments", DEPLOYMENTS_SEEN],
  ] as const)
    it(`shows ${least} of ${address} in 900 pixels, and fits the narrowest phone`, async () => {
      await page.setViewportSize(DESK);
      await open(page, instance, address, heading);
      const seen = await page.evaluate<number>(
        `[...document.querySelectorAll("main tbody tr")].filter((row) => row.getBoundingClientRect().bottom <= innerHeight).length`,
      );
      assert.ok(seen >= least, `${seen} rows are seen`);
      const { sum, what } = await shiftOf(page);
      assert.ok(sum <= 0.01, `it moves by ${sum}: ${what}`);
      await assertShowsTables(page, address);
      await assertAccessible(page, address);
      await page.setViewportSize(PHONE);
      await assertFits(page, address);
      await assertAccessible(page, `${address} on a phone`);
    });
});
