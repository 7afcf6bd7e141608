import { pino } from "pino";
import { createServer } from "../http/server.ts";
import type { ApiDocument } from "../http/openapi/openapi.ts";
import { registerSystemRoutes } from "../http/system-routes.ts";
import { ERROR_CATALOGUE } from "./error-catalogue.ts";
import { DESCRIBED_WEBHOOKS } from "./event-catalogue.ts";
import { registerRoutes, type RouteDeps } from "./register-routes.ts";

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
  const { signal: draining } = new AbortController();
  registerRoutes(
    app,
    withAbsent<RouteDeps>({
      publicUrl,
      cloudName: "sandbox",
      platform: null,
      domainConnect: null,
      allowsLoopbackWebhooks: false,
      signIn: { providers: [], attemptCookie: absent("attemptCookie"), log: absent("log") },
      shareBrand: { name: "Slipway", color: "#000000", logoUrl: null, frameAncestors: [] },
      draining,
    }),
  );
  registerSystemRoutes(app, { db: absent("db"), metrics: absent("metrics"), draining });
  await app.ready();
  return await app.describeApi();
}

/** The parts that are read while routes are registered. Only a request would use the others. */
function withAbsent<Parts extends object>(parts: Partial<Parts>): Parts {
  return new Proxy(parts, {
    get: (known, name) => (name in known ? Reflect.get(known, name) : absent(String(name))),
  }) as Parts;
}

/** Replaces a part that routes are registered with, but only a request would use. */
function absent(name: string): never {
  const refuse = (): never => {
    throw new Error(`${name} is absent: the routes are only described.`);
  };
  return new Proxy(refuse, { get: (_, member) => absent(`${name}.${String(member)}`) }) as never;
}
