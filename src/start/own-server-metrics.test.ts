import assert from "node:assert/strict";
import { test } from "node:test";
import { Gauge, Registry } from "prom-client";
import { AppError, COMMON_ERRORS } from "../lib/errors.ts";
import { METRICS } from "./metric-catalogue.ts";
import { createOwnServerGauges } from "./own-server-metrics.ts";

async function render(read: Parameters<typeof createOwnServerGauges>[1]): Promise<string> {
  const registry = new Registry();
  const show = createOwnServerGauges((metric) => new Gauge({ ...metric, registers: [registry] }), read);
  await show();
  const text = await registry.metrics();
  return text
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"))
    .join("\n");
}

test("the edge of a server that does not answer is silent, and nothing else is known", async () => {
  const away = async () => {
    throw new AppError(COMMON_ERRORS.CLOUD_UNAVAILABLE, "The edge of this server does not answer.");
  };
  assert.equal(await render(away), `${METRICS.edges.name}{state="silent"} 1`);
  assert.equal(await render(null), "");
});
