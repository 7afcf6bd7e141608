import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import type { HealthCheckTimes } from "../../../../src/cloud/platform.ts";
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

test("a service's time-out and interval are those of its health check", async (t) => {
  const askedAt: number[] = [];
  let answer = (_response: ServerResponse): void => {};
  const server = createServer((_request, response) => {
    askedAt.push(performance.now());
    answer(response);
  });
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const seen = (times: HealthCheckTimes, limitMs: number) =>
    waitUntilHealthy(
      { kind: "http", path: "/", ...times },
      port,
      { ...defaultPlatformTuning, healthIntervalMs: 1_000 },
      AbortSignal.timeout(limitMs),
    );

  assert.notEqual(await seen({ healthCheckTimeoutSeconds: 60 }, 3_000), null);
  assert.equal(askedAt.length, 1);
  answer = (response) => {
    if (askedAt.length > 2) response.end();
  };
  assert.equal(await seen({ healthCheckTimeoutSeconds: 1 }, 60_000), null);

  askedAt.length = 0;
  answer = (response) => response.writeHead(askedAt.length < 4 ? 503 : 200).end();
  assert.equal(await seen({ healthCheckIntervalSeconds: 2 }, 60_000), null);
  const [, second = 0, third = 0, fourth = 0] = askedAt;
  assert.ok(third - second > 1_400 && fourth - third > 1_900, askedAt.join(", "));
});
