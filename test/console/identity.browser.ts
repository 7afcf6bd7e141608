/** Signing in at an identity provider, from the console's page and back. */
import assert from "node:assert/strict";
import { after, afterEach, before, describe, it } from "node:test";
import type { Page } from "playwright-core";
import type { Browser } from "../helpers/processes/browser.ts";
import {
  CLIENT_ID,
  CLIENT_SECRET,
  type IdentityProvider,
  startIdentityProvider,
} from "../helpers/identity/provider.ts";
import { type Instance, startInstance } from "../helpers/instance.ts";
import { until } from "../helpers/until.ts";
import { assertAccessible, open, openConsole, signIn } from "./console.ts";

describe("signing in at an identity provider", () => {
  let idp: IdentityProvider;
  let instance: Instance;
  let browser: Browser;
  let page: Page;
  before(async () => {
    idp = await startIdentityProvider();
    instance = await startInstance({
      env: {
        SLIPWAY_OIDC_CORP_ISSUER: idp.issuer,
        SLIPWAY_OIDC_CORP_CLIENT_ID: CLIENT_ID,
        SLIPWAY_OIDC_CORP_CLIENT_SECRET: CLIENT_SECRET,
        SLIPWAY_OIDC_CORP_LABEL: "Acme SSO",
        SLIPWAY_OIDC_CORP_ROLES: "*=viewer",
      },
    });
    browser = await openConsole();
    ({ page } = browser);
  });
  after(async () => {
    await browser.dispose();
    await instance.dispose();
    await idp.stop();
  });
  afterEach(() => browser.assertSound());

  it("says that the provider is down, which the service was started without, and takes a key", async () => {
    await page.goto(`${instance.url}/console/deployments`);
    await page.getByText("It does not answer at the moment.").waitFor();
    await page.getByRole("link", { name: "Sign in with Acme SSO" }).click();
    await page.getByText("The identity provider does not answer").waitFor();
    await page.getByText("or sign in with an API key").waitFor();
    await assertAccessible(page, "a provider that is down");
    await signIn(page, instance);
    await browser.context.clearCookies();
  });

  it("can be used without a restart once the provider answers", async () => {
    idp.open([`${instance.url}/auth/oidc/corp/callback`]);
    await until(async () => {
      await page.goto(`${instance.url}/console/deployments`);
      const link = page.getByRole("link", { name: "Sign in with Acme SSO" });
      await link.waitFor();
      return (await page.getByText("It does not answer at the moment.").count()) === 0;
    }, "the provider can be used");
  });

  it("says why it was refused there", async () => {
    idp.person = null;
    await page.goto(`${instance.url}/console/deployments`);
    await page.getByRole("link", { name: "Sign in with Acme SSO" }).click();
    await page.getByText("The identity provider refused the sign-in").waitFor();
    await page.getByText("SIGN_IN_REFUSED").waitFor();
    await assertAccessible(page, "a refused sign-in");
  });

  it("leads back to the requested page", async () => {
    idp.person = { sub: "ada", name: "Ada", email: "ada@example.com", email_verified: true };
    await page.goto(`${instance.url}/console/deployments`);
    await page.getByRole("link", { name: "Sign in with Acme SSO" }).click();
    await page.getByRole("heading", { level: 1, name: "Deployments" }).waitFor();
    await page.getByText("Default · viewer").waitFor();
  });

  it("shows an admin how the provider is configured, and tests it", async () => {
    await browser.context.clearCookies();
    await signIn(page, instance);
    await open(page, instance, "/settings", "Settings");
    const provider = page.getByRole("region", { name: "Acme SSO" });
    await provider.getByText("Works", { exact: true }).waitFor();
    await provider.getByText(`${instance.url}/auth/oidc/corp/callback`).waitFor();
    await provider.getByText("everyone: viewer").waitFor();
    await page.getByRole("button", { name: "Test again" }).click();
    await page.getByText("Tested each provider.").waitFor();
    await assertAccessible(page, "the settings with a provider");
  });

  it("lets no user in who comes back with the state of another attempt, or after the provider went down", async () => {
    await browser.context.clearCookies();
    const isSignedIn = async () =>
      (await page.evaluate<number>(
        "fetch('/v1/me', { headers: { 'slipway-page-key': localStorage['slipway.page-key'] ?? '' } }).then(({ status }) => status)",
      )) === 200;
    const callback = `${instance.url}/auth/oidc/corp/callback`;
    await page.goto(`${callback}?code=stolen&state=of-nobody`);
    await page.getByText("The sign-in took too long, or began elsewhere").waitFor();
    assert.equal(await isSignedIn(), false);

    // The provider goes down while the person is there.
    idp.isWithoutTokens = true;
    const back = page.waitForRequest((request) => request.url().startsWith(`${callback}?`));
    await page.goto(`${instance.url}/console/deployments`);
    await page.getByRole("link", { name: "Sign in with Acme SSO" }).click();
    await page.getByText("The identity provider does not answer").waitFor();
    assert.equal(await isSignedIn(), false);
    // The attempt has ended with that.
    idp.isWithoutTokens = false;
    await page.goto((await back).url());
    await page.getByText("The sign-in took too long, or began elsewhere").waitFor();
    assert.equal(await isSignedIn(), false);
  });
});
