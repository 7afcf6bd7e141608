import assert from "node:assert/strict";
import { Resolver } from "node:dns/promises";
import { test } from "node:test";
import { parseAllowedHosts } from "../../../src/egress/address-rules.ts";
import { LIMITS } from "../edge.ts";
import { buildCaddyConfig } from "./caddy-config.ts";
import { startOriginNames } from "./origin-names.ts";
import { planRoutes, type Routes, urgencyOf } from "./plan-routes.ts";

const served = (names: Readonly<Record<string, string | null>>) =>
  Object.entries(names).map(([name, origin]) => ({ name, origin }));

test("Caddy forwards only to hosts whose addresses are checked", () => {
  const plan = planRoutes(
    served({
      "public.example": "origin.example.com",
      "address.example": "93.184.215.14:8080",
      "private.example": "10.0.0.1:80",
      "loopback.example": "[::1]:8080",
      "hosts.example": "DB.internal:80",
      "allowed.example": "db2.internal:80",
      "network.example": "10.9.0.1:80",
      "files.example": null,
    }),
    {
      allowed: parseAllowedHosts(["db2.internal", "10.9.0.0/16"]),
      systemNames: new Set(["db.internal", "db2.internal"]),
    },
  );
  assert.deepEqual(
    plan.direct.map(({ name }) => name),
    ["public.example", "address.example", "allowed.example", "network.example"],
  );
  assert.deepEqual(plan.exceptions, []);
});

test("an exact name that Caddy does not forward is not taken by a wildcard that it forwards", () => {
  const rules = { allowed: parseAllowedHosts([]), systemNames: new Set<string>() };
  const names = { "*.shop.example": "origin.example", "www.shop.example": null, "shop.example": null };
  assert.deepEqual(planRoutes(served(names), rules).exceptions, ["www.shop.example"]);
});

test("a route that is only new can wait, and others cannot", () => {
  const routes = (direct: Readonly<Record<string, string>>, exceptions: string[] = []): Routes => ({
    direct: Object.entries(direct).map(([name, origin]) => ({ name, origin })),
    exceptions,
  });
  const loaded = routes({ "a.example": "one", "*.w.example": "one" });
  for (const [wanted, urgency] of [
    [loaded, "none"],
    [routes({ "a.example": "one", "*.w.example": "one", "b.example": "one" }), "later"],
    [routes({ "a.example": "one", "*.w.example": "one", "x.w.example": "one" }), "later"],
    [routes({ "a.example": "one", "*.w.example": "one", "x.w.example": "two" }), "now"],
    [routes({ "a.example": "one", "*.w.example": "one" }, ["x.w.example"]), "now"],
    [routes({ "a.example": "two", "*.w.example": "one" }), "now"],
    [routes({ "a.example": "one" }), "now"],
  ] as const)
    assert.equal(urgencyOf(loaded, wanted), urgency, JSON.stringify(wanted));
  assert.equal(urgencyOf(routes({}), loaded), "now");
});

test("no request is compared with more than two times the root of the number of origins", () => {
  const direct = Array.from({ length: 10_000 }, (_, i) => ({
    name: `n${i}.example`,
    origin: `o${i}.example`,
  }));
  const config = buildCaddyConfig({
    id: "one",
    host: "::",
    httpPort: 80,
    httpsPort: 443,
    direct,
    exceptions: [],
    behind: { httpPort: 1, httpsPort: 2, token: "", certificateUrl: "", logPort: 3, dnsPort: 4 },
    hstsSeconds: null,
    trustedProxies: [],
    limits: LIMITS,
    admin: null,
  }) as { apps: { http: { servers: { https: { routes: Level[] } } } } };
  type Level = {
    readonly match?: readonly { readonly host: readonly string[] }[];
    readonly handle: readonly { readonly routes?: readonly Level[] }[];
  };
  const { routes } = config.apps.http.servers.https;
  assert.equal(routes.length, 101);
  const inner = routes.flatMap(({ handle }) => handle.flatMap(({ routes = [] }) => routes));
  assert.ok(routes.every(({ handle }) => handle.every(({ routes = [] }) => routes.length <= 100)));
  const hostsOf = (levels: readonly Level[]) =>
    levels.flatMap(({ match = [] }) => match.flatMap(({ host }) => host)).toSorted();
  const names = direct.map(({ name }) => name).toSorted();
  assert.deepEqual(hostsOf(inner), names);
  assert.deepEqual(hostsOf(routes), names);
});

test("the names of origins have only addresses to which the edge may connect", async (t) => {
  const ask = async (allowed: readonly string[]) => {
    const names = await startOriginNames(parseAllowedHosts(allowed));
    t.after(() => names.stop());
    const resolver = new Resolver({ timeout: 5_000, tries: 1 });
    resolver.setServers([`127.0.0.1:${names.port}`]);
    return await resolver.resolve4("localhost");
  };
  await assert.rejects(ask([]), { code: "ENOTFOUND" });
  assert.deepEqual(await ask(["localhost"]), ["127.0.0.1"]);
  assert.deepEqual(await ask(["127.0.0.0/8", "::1"]), ["127.0.0.1"]);
});
