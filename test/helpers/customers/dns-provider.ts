/** The sandbox's DNS provider, which sets records after a domain's owner agreed on its page. */
import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { publicKeyTexts } from "../../../src/domain-connect/signing-key.ts";
import { type Template, type TemplateKind, templateOf } from "../../../src/domain-connect/template.ts";
import { RECORD_SUFFIXES } from "../../../src/start/open/open-domain-connect.ts";
import type { ApiClient } from "../api-client.ts";

const PROVIDER_ID = "slipway-installation.com";
const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2_048 });

/** What an installation is configured with that the provider knows. */
export const CONNECT_ENV = {
  SLIPWAY_DOMAIN_CONNECT_PROVIDER_ID: PROVIDER_ID,
  SLIPWAY_DOMAIN_CONNECT_KEY: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
};

export function connectTemplate(kind: TemplateKind): Template {
  return templateOf(kind, {
    providerId: PROVIDER_ID,
    providerName: "Test Hosting",
    redirectHost: "127.0.0.1",
    suffixes: RECORD_SUFFIXES.sandbox,
  });
}

/** Publishes the installation's key, and has the provider take templates. */
export async function becomeKnown(
  admin: ApiClient,
  kinds: readonly TemplateKind[] = ["domain", "apex"],
): Promise<void> {
  const key = { name: `_dck1.${PROVIDER_ID}`, type: "TXT", values: publicKeyTexts(privateKey) };
  assert.equal((await admin.put("/sandbox/dns/records", key)).status, 204);
  for (const kind of kinds) {
    const taken = await admin.put("/sandbox/domain-connect/templates", connectTemplate(kind));
    assert.equal(taken.status, 204, taken.text);
  }
}

/** Delegates a zone to the provider. @param options `isIdle`: it says yes, and sets nothing */
export async function delegateZone(
  admin: ApiClient,
  name: string,
  options: { readonly isIdle?: boolean } = {},
): Promise<void> {
  const made = await admin.put("/sandbox/domain-connect/zones", { name, ...options });
  assert.equal(made.status, 204, made.text);
}

/** What an owner sees at the provider. */
export async function openConsent(
  applyUrl: string,
): Promise<{ readonly status: number; readonly text: string }> {
  const answer = await fetch(applyUrl, { redirect: "manual" });
  return { status: answer.status, text: await answer.text() };
}

/** Presses a button there. @returns where the provider leads back to */
export async function answerConsent(applyUrl: string, answer: "yes" | "no"): Promise<URL> {
  const url = new URL(applyUrl);
  const { before, providerId, serviceId } =
    /^(?<before>.*)\/v2\/domainTemplates\/providers\/(?<providerId>[^/]+)\/services\/(?<serviceId>[^/]+)\/apply$/.exec(
      url.pathname,
    )?.groups ?? assert.fail(applyUrl);
  const response = await fetch(`${url.origin}${before}/decisions`, {
    method: "POST",
    redirect: "manual",
    body: new URLSearchParams({
      providerId: providerId ?? "",
      serviceId: serviceId ?? "",
      query: url.search.slice(1),
      answer,
    }),
  });
  assert.equal(response.status, 303, await response.text());
  return new URL(response.headers.get("location") ?? "");
}
