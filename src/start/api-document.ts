import { pino } from "pino";
import { createServer } from "../http/server.ts";
import type { ApiDocument } from "../http/openapi/openapi.ts";
import { registerSystemRoutes } from "../http/system-routes.ts";
import { ERROR_CATALOGUE } from "./error-catalogue.ts";
import { DESCRIBED_WEBHOOKS } from "./described-webhooks.ts";
import { registerRoutes } from "./register-routes.ts";

/**
 * The API document that a service at `publicUrl` would serve, without a service: routes are registered, and nothing
 * runs.
 */
export async function makeApiDocument(publicUrl: string): Promise<ApiDocument> {
  const app = await createServer({
    log: pino({ level: "silent" }),
    publicUrl,
    catalogue: ERROR_CATALOGUE,
    webhooks: DESCRIBED_WEBHOOKS,
    trustedProxies: [],
    isSecure: false,
    onServed: absent("onServed"),
  });
  const db = absent("db");
  const { signal: draining } = new AbortController();
  registerRoutes(app, {
    publicUrl,
    cloudName: "sandbox",
    db,
    changes: absent("changes"),
    jobs: absent("jobs"),
    clock: absent("clock"),
    sealing: absent("sealing"),
    git: absent("git"),
    cloud: absent("cloud"),
    platform: null,
    domainConnect: null,
    webhookExchange: absent("webhookExchange"),
    issuerExchange: absent("issuerExchange"),
    allowsLoopbackWebhooks: false,
    authentication: absent("authentication"),
    holds: absent("holds"),
    sessionCookie: absent("sessionCookie"),
    sessionLimits: absent("sessionLimits"),
    signIn: { providers: [], attemptCookie: absent("attemptCookie"), log: absent("log") },
    shareBrand: { name: "Slipway", color: "#000000", logoUrl: null, frameAncestors: [] },
    retention: absent("retention"),
    checkHealth: absent("checkHealth"),
    draining,
  });
  registerSystemRoutes(app, { db, metrics: absent("metrics"), draining });
  await app.ready();
  return await app.describeApi();
}

/** Replaces a part that routes are registered with, but only a request would use. */
function absent(name: string): never {
  const refuse = (): never => {
    throw new Error(`${name} is not there: the routes are only described.`);
  };
  return new Proxy(refuse, { get: (_, member) => absent(`${name}.${String(member)}`) }) as never;
}
