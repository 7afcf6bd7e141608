import { createLogger } from "../lib/log.ts";
import { composeErrorCatalogue } from "./problems/error-catalogue.ts";
import { createServer } from "./server.ts";

/** Slipway's HTTP server without routes and without a log. */
export function createTestServer(): ReturnType<typeof createServer> {
  return createServer({
    catalogue: composeErrorCatalogue({ address: "/docs/errors", errors: [], faults: [] }),
    log: createLogger("silent"),
    publicUrl: "http://127.0.0.1:1",
    trustedProxies: [],
    webhooks: [],
    isSecure: false,
    onServed: () => undefined,
  });
}
