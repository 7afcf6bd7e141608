/** Signing in at an identity provider, from the console's page and back. */
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
    idp.open([`${instance.url}/auth/oidc/corp/callback`]);
    // The start of the service asked it too early, which is remembered for some seconds.
    await until(async () => {
      const { providers } = (await (await fetch(`${instance.url}/auth/oidc`)).json()) as {
        providers: readonly { isReachable: boolean }[];
      };
      return providers.every(({ isReachable }) => isReachable);
    }, "the provider can be used");
    browser = await openConsole();
    ({ page } = browser);
  });
  after(async () => {
    await browser.dispose();
    await instance.dispose();
    await idp.stop();
  });
  afterEach(() => browser.assertSound());

  it("says why it was refused there", async () => {
    idp.person = null;
    await page.goto(`${instance.url}/console/deployments`);
    await page.getByRole("link", { name: "Sign in with Acme SSO" }).click();
    await page.getByText("Signing in at the identity provider did not work").waitFor();
    await page.getByText("SIGN_IN_REFUSED").waitFor();
    await assertAccessible(page, "a refused sign-in");
  });

  it("leads back to the page that somebody wanted", async () => {
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
    await page.getByText("Each was asked again.").waitFor();
    await assertAccessible(page, "the settings with a provider");
  });
});
