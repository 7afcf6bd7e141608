/** The packed SDK in a browser: the same modules as in Node, on a page of Slipway's own address. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFile, rm } from "node:fs/promises";
import path from "node:path";
import { after, before, describe, it } from "node:test";
import { promisify } from "node:util";
import type * as sdk from "../../sdk/src/index.ts";
import { ADMIN_KEY, type Instance, startInstance } from "../helpers/instance.ts";
import { makeTempDir } from "../helpers/template.ts";
import { type Browser, openBrowser } from "../helpers/processes/browser.ts";

const run = promisify(execFile);
const ROOT = path.join(import.meta.dirname, "../..");

describe("the packed SDK in a browser", () => {
  let instance: Instance;
  let browser: Browser;
  let folder: string;

  before(async () => {
    folder = await makeTempDir("sdk-browser");
    const { stdout } = await run("npm", ["pack", "-w", "sdk", "--json", "--pack-destination", folder], {
      cwd: ROOT,
    });
    const [{ filename }] = JSON.parse(stdout.slice(stdout.indexOf("["))) as [{ filename: string }];
    await run("tar", ["-xzf", filename], { cwd: folder });
    instance = await startInstance();
    browser = await openBrowser();
    // A page whose policy allows only scripts from its own address.
    await browser.context.route("**/dist/**", async (route) => {
      const file = path.join(folder, "package", new URL(route.request().url()).pathname);
      await route.fulfill({ body: await readFile(file), contentType: "text/javascript" });
    });
    await browser.page.goto(`${instance.url}/console/`);
  });
  after(async () => {
    await browser.dispose();
    await instance.dispose();
    await rm(folder, { recursive: true, force: true });
  });

  it("calls, lists, waits for changes, follows events, and checks webhooks", async () => {
    const seen = await browser.page.evaluate(
      async ({ url, token }) => {
        const address = "/dist/index.js";
        const { ApiError, Slipway, webhooks } = (await import(address)) as typeof sdk;
        const slipway = new Slipway({ url, token });
        const created = await slipway.users.create({ name: "Ada", email: "ada@example.com", role: "viewer" });
        const names: string[] = [];
        for await (const { name } of slipway.users.list({ limit: 1 })) names.push(name);
        const versions: string[] = [];
        for await (const { name } of slipway.users.watch(created.id)) {
          versions.push(name);
          if (versions.length === 2) break;
          await slipway.users.update(created.id, { name: "Countess" });
        }
        const types: string[] = [];
        for await (const { type } of slipway.events.follow({ types: "user.*", after: "0" })) {
          types.push(type);
          if (type === "user.updated") break;
        }
        const refused = await slipway.users.get("nobody").catch((error: unknown) => error);
        const body = '{"type":"user.created"}';
        const secret = `whsec_${btoa("0123456789abcdef0123456789abcdef")}`;
        const event = await webhooks.unwrap(body, await webhooks.sign(body, secret, { id: "evt_1" }), secret);
        return {
          names,
          versions,
          types: types.slice(-2),
          code: refused instanceof ApiError ? refused.code : String(refused),
          event: event.type,
          shown: JSON.stringify(slipway),
        };
      },
      { url: instance.url, token: ADMIN_KEY },
    );
    assert.deepEqual(seen, {
      names: [...seen.names.slice(0, -1), "Ada"],
      versions: ["Ada", "Countess"],
      types: ["user.created", "user.updated"],
      code: "NOT_FOUND",
      event: "user.created",
      shown: JSON.stringify({ url: instance.url }),
    });
    assert.equal(seen.names.length, 2);
    browser.assertSound();
  });
});
