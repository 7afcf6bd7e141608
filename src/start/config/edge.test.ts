import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import path from "node:path";
import { after, describe, it } from "node:test";
import { ConfigError, readEdgeConfig } from "./config.ts";

const SECRET = "0123456789abcdef0123456789abcdef";

describe("the configuration of an edge on another machine", () => {
  const folder = mkdtempSync(path.join(tmpdir(), "slipway-edge-config-"));
  after(() => rmSync(folder, { recursive: true }));
  const read = (env: NodeJS.ProcessEnv) => readEdgeConfig({ SLIPWAY_DATA_DIR: folder, ...env });
  const NEEDED = { SLIPWAY_EDGE_SECRET: SECRET, SLIPWAY_EDGE_CONTROL_URL: "https://slipway.example.com/" };

  it("needs a secret and the address of the control plane", () => {
    const config = read(NEEDED);
    assert.equal(config.controlUrl, "https://slipway.example.com");
    assert.deepEqual([config.httpPort, config.httpsPort, config.id], [80, 443, hostname()]);
    assert.equal(config.folder, path.join(folder, "edge"));
    assert.equal(config.filesMaxBytes, 2 * 1024 ** 3);
    assert.throws(
      () => read({}),
      (error) => error instanceof ConfigError && error.problems.length === 2,
    );
  });

  it("listens itself, or has a Caddy listen on ports that it knows", () => {
    const SLIPWAY_EDGE_CADDY = "http://127.0.0.1:2019/";
    assert.equal(read(NEEDED).caddy, null);
    assert.deepEqual(read({ ...NEEDED, SLIPWAY_EDGE_CADDY }).caddy, {
      caddyUrl: "http://127.0.0.1:2019",
      counts: true,
    });
    assert.throws(() => read({ ...NEEDED, SLIPWAY_EDGE_CADDY, SLIPWAY_EDGE_HTTP_PORT: "0" }), ConfigError);
  });

  for (const [what, env, problem] of [
    ["a short secret", { SLIPWAY_EDGE_SECRET: "short" }, /32 characters/],
    ["an address that is none", { SLIPWAY_EDGE_CONTROL_URL: "slipway.example.com" }, /https:\/\//],
    ["an address of the edge that is none", { SLIPWAY_EDGE_ADDRESSES: "edge.example.com" }, /192\.0\.2\.10/],
    ["a proxy network of all", { SLIPWAY_EDGE_TRUSTED_PROXIES: "0.0.0.0/0" }, /SLIPWAY_EDGE_TRUSTED_PROXIES/],
  ] as const)
    it(`refuses ${what}, and never repeats a secret`, () => {
      assert.throws(
        () => read({ ...NEEDED, ...env }),
        (error) =>
          error instanceof ConfigError && problem.test(error.message) && !error.message.includes("short"),
      );
    });
});
