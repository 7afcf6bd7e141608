import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { defaultPlatformTuning } from "../tuning.ts";
import { waitUntilHealthy } from "./supervise.ts";

test("a process that does not serve on the port that PORT names is unhealthy, and PORT is named", async () => {
  const server = createServer((_request, response) => response.end());
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const check = { kind: "http", path: "/" } as const;
  const seen = (limitMs: number) =>
    waitUntilHealthy(check, port, defaultPlatformTuning, AbortSignal.timeout(limitMs));
  assert.equal(await seen(5_000), null);
  server.close();
  await once(server, "close");
  assert.equal(await seen(500), `nothing answered on port ${port}, which the variable PORT names`);
});
