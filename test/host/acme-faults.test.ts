/** A CA that is slow, wrong, strict or confused: a proxy before a real Pebble makes it so. */
import assert from "node:assert/strict";
import { describe, test, type TestContext } from "node:test";
import {
  ACCOUNT,
  type RunningAcme,
  startCa,
  startEngine,
  startWorld,
  type World,
} from "../helpers/host/acme-fixture.ts";
import { type CaProxy, problem, startCaProxy } from "../helpers/host/ca-proxy.ts";
import { until } from "../helpers/until.ts";

type Scene = {
  readonly world: World;
  readonly proxy: CaProxy;
  readonly acme: RunningAcme;
  readonly log: () => string;
};

async function startScene(
  t: TestContext,
  {
    now,
    nonceReject,
    ...config
  }: Partial<Parameters<typeof startEngine>[2]> & {
    readonly now?: () => number;
    readonly nonceReject?: number;
  } = {},
  warned: string[] = [],
): Promise<Scene> {
  const world = await startWorld(t);
  const ca = await startCa(t, world, nonceReject === undefined ? {} : { nonceReject });
  const proxy = await startCaProxy(ca);
  t.after(() => proxy.stop());
  const given = { directory: proxy.directory, caFile: proxy.caPem, ...config };
  const log = { info: () => undefined, warn: (_: object, message: string) => void warned.push(message) };
  const acme = await startEngine(t, world, given, now === undefined ? { log } : { now, log });
  world.names.set("a.example", "A", "127.0.0.1");
  return { world, proxy, acme, log: () => ca.log() };
}

const isNewOrder = ({ path, method }: { readonly path: string; readonly method: string }) =>
  method === "POST" && path === "/order-plz";
const countOrders = (log: string) => [...log.matchAll(/Added order/g)].length;

describe("a CA that fails", { concurrency: 3 }, () => {
  test("loses its answer to a new order: the same order is found and used", async (t) => {
    const { proxy, acme, log } = await startScene(t);
    let lost = 0;
    proxy.use({
      after(passing, answer) {
        if (!isNewOrder(passing) || answer.status !== 201 || lost === 2) return answer;
        lost += 1;
        return null;
      },
    });
    await acme.issue("a.example");
    assert.equal(lost, 1, "the order was asked for once");
    assert.equal(countOrders(log()), 1);
  });

  test("says rateLimited: nothing is asked before its time", async (t) => {
    let aheadMs = 0;
    const { proxy, acme } = await startScene(t, { now: () => Date.now() + aheadMs });
    let isLimited = true;
    let asked = 0;
    proxy.use({
      before(passing) {
        if (!isNewOrder(passing)) return null;
        asked += 1;
        return isLimited ? problem(429, "rateLimited", { "retry-after": "3600" }) : null;
      },
    });
    const { id } = acme.certificates.request(ACCOUNT, ["a.example"], "t");
    const [waiting] = await until(() => {
      const { waiting } = acme.status();
      return waiting.length > 0 && waiting;
    }, "the limit is known");
    assert.match(waiting?.error.message ?? "", /rate limit for a\.example .* when the CA allows it/);
    aheadMs = 3_500_000;
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    assert.equal(asked, 1);
    assert.equal(acme.statusOf(id), "PENDING_VALIDATION");
    isLimited = false;
    aheadMs = 3_700_000;
    await until(() => acme.statusOf(id) === "ISSUED", "it is issued afterwards");
  });

  test("refuses the name: the request fails with the reason, and is not repeated", async (t) => {
    const { proxy, acme } = await startScene(t);
    let type = "rejectedIdentifier";
    proxy.use({ before: (passing) => (isNewOrder(passing) ? problem(400, type) : null) });
    const rejected = acme.certificates.request(ACCOUNT, ["a.example"], "1").id;
    await until(() => acme.statusOf(rejected) === "FAILED", "it fails");
    const seen = acme.certificates.describe(ACCOUNT, rejected);
    assert.equal(seen?.failureReason, "DOMAIN_NOT_ALLOWED");
    assert.equal(seen?.domains[0]?.failed, true);
    type = "caa";
    const caa = acme.certificates.request(ACCOUNT, ["a.example"], "2").id;
    await until(() => acme.statusOf(caa) === "FAILED", "it fails for CAA");
    assert.equal(acme.certificates.describe(ACCOUNT, caa)?.failureReason, "CAA_ERROR");
    const orders = proxy.heard.filter((line) => line === "POST /order-plz").length;
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    assert.equal(proxy.heard.filter((line) => line === "POST /order-plz").length, orders);
  });

  test("does not know the account any more, in two calls at once: it is registered again", async (t) => {
    // A nonce that the CA refuses would repeat a registration.
    const { world, proxy, acme } = await startScene(t, { nonceReject: 0 });
    world.names.set("b.example", "A", "127.0.0.1");
    world.names.set("c.example", "A", "127.0.0.1");
    await acme.issue("a.example");
    const refusal = problem(400, "accountDoesNotExist");
    let refused = 0;
    let registrations = 0;
    const registering = Promise.withResolvers<void>();
    const refusedAgain = Promise.withResolvers<void>();
    proxy.use({
      async before(passing) {
        if (passing.path === "/sign-me-up") {
          registrations += 1;
          registering.resolve();
          // The second call hears its refusal while the first one registers.
          await refusedAgain.promise;
          await new Promise((resolve) => setTimeout(resolve, 200));
          return null;
        }
        if (!isNewOrder(passing) || refused === 2) return null;
        refused += 1;
        if (refused === 1) return refusal;
        await registering.promise;
        refusedAgain.resolve();
        return refusal;
      },
    });
    await Promise.all([acme.issue("b.example"), acme.issue("c.example")]);
    assert.deepEqual([refused, registrations], [2, 1]);
  });

  test("answers garbage, then errors, then works", async (t) => {
    const warned: string[] = [];
    const { proxy, acme } = await startScene(t, {}, warned);
    const { id } = (() => {
      proxy.use({
        before: () => ({ status: 200, headers: { "content-type": "text/html" }, body: "<p>Welcome</p>" }),
      });
      return acme.certificates.request(ACCOUNT, ["a.example"], "t");
    })();
    const garbage = await until(() => acme.status().directories[0]?.error, "the garbage is noticed");
    assert.match(garbage.message, /gave an answer that is not ACME.*SLIPWAY_ACME_DIRECTORY/);
    proxy.use({ before: () => ({ status: 503, body: "busy" }) });
    await until(
      () => acme.status().directories[0]?.error?.type === "serverError",
      "the error of the CA is noticed",
    );
    proxy.use({});
    await until(() => acme.statusOf(id) === "ISSUED", "it is issued at last");
    assert.equal(acme.status().directories[0]?.error, null);
    assert.deepEqual(warned.slice(0, 1), [garbage.message], "the log has the sentence");
    assert.equal(new Set(warned).size, warned.length, "and each one once");
  });

  test("sends a certificate of another name: it is never served", async (t) => {
    // A nonce that the CA refuses would repeat a registration.
    const { world, proxy, acme } = await startScene(t, { nonceReject: 0 });
    world.names.set("b.example", "A", "127.0.0.1");
    const b = await acme.issue("b.example");
    const chain = acme.certificates.keyPairFor(b, "b.example")?.certificatePem ?? "";
    proxy.use({
      after: ({ path }, answer) =>
        path.startsWith("/certZ/") && answer.status === 200 ? { ...answer, body: chain } : answer,
    });
    const { id } = acme.certificates.request(ACCOUNT, ["a.example"], "t");
    const error = await until(() => acme.status().orders[0]?.error, "the certificate is refused");
    assert.match(error.message, /a certificate for a\.example that is not for this name/);
    assert.equal(acme.certificates.keyPairFor(id, "a.example"), null);
    proxy.use({});
    await until(() => acme.statusOf(id) === "ISSUED", "the right one follows");
  });

  test("fails to validate: the order is given up, and another follows after a pause", async (t) => {
    const { proxy, acme, log } = await startScene(t);
    let fails = true;
    proxy.use({
      after({ path }, answer) {
        if (!fails || !path.startsWith("/authZ/") || typeof answer.body !== "object") return answer;
        const error = { type: "urn:ietf:params:acme:error:connection", detail: "no route" };
        const { challenges } = answer.body as { challenges: readonly object[] };
        const body = {
          ...answer.body,
          status: "invalid",
          challenges: challenges.map((one) => ({ ...one, status: "invalid", error })),
        };
        return { ...answer, body };
      },
    });
    const { id } = acme.certificates.request(ACCOUNT, ["a.example"], "t");
    const [waiting] = await until(() => {
      const { waiting } = acme.status();
      return waiting.some(({ error }) => error.type === "connection") && waiting;
    }, "the validation has failed");
    assert.match(
      waiting?.error.message ?? "",
      /could not connect to a\.example .*no route.* ports 80 and 443/,
    );
    assert.equal(acme.statusOf(id), "PENDING_VALIDATION");
    fails = false;
    await until(() => acme.statusOf(id) === "ISSUED", "the next order succeeds", 60_000);
    assert.equal(countOrders(log()), 2);
  });

  test("has renewal windows: a window that moves into the past renews at once, and names the predecessor", async (t) => {
    let aheadMs = 0;
    const now = () => Date.now() + aheadMs;
    const { proxy, acme } = await startScene(t, { now });
    const day = 86_400_000;
    let window = { start: new Date(now() + 30 * day), end: new Date(now() + 31 * day) };
    const replaced: unknown[] = [];
    const windowsAsked: string[] = [];
    proxy.use({
      before(passing) {
        if (!passing.path.startsWith("/renewal/")) return null;
        windowsAsked.push(passing.path.slice("/renewal/".length));
        return {
          status: 200,
          headers: { "content-type": "application/json", "retry-after": "21600" },
          body: { suggestedWindow: window },
        };
      },
      after(passing, answer) {
        if (isNewOrder(passing)) replaced.push((passing.payload as { replaces?: string }).replaces);
        if (passing.path !== "/dir") return answer;
        const renewalInfo = proxy.directory.replace(/dir$/, "renewal");
        return { ...answer, body: { ...(answer.body as object), renewalInfo } };
      },
    });
    const id = await acme.issue("a.example");
    const first = acme.certificates.keyPairFor(id, "a.example");
    await until(() => windowsAsked.length > 0, "the window is asked for");
    await until(() => {
      const at = acme.status().certificates[0]?.renewAt ?? 0;
      return at >= window.start.getTime() && at <= window.end.getTime();
    }, "the renewal is planned in the window");
    assert.match(windowsAsked[0] ?? "", /^[\w-]+\.[\w-]+$/);
    aheadMs = day;
    // The CA has revoked it, or will.
    window = { start: new Date(now() - 2 * day), end: new Date(now() - day) };
    await until(
      () => acme.certificates.keyPairFor(id, "a.example")?.certificatePem !== first?.certificatePem,
      "it is replaced",
    );
    assert.equal(replaced.filter((one) => one === windowsAsked[0]).length > 0, true);
    assert.equal(acme.statusOf(id), "ISSUED");
  });

  test("has profiles: the configured one is ordered; a missing one is named", async (t) => {
    const { proxy, acme } = await startScene(t, { profile: "shortlived" });
    const profiles: Record<string, string> = { classic: "ninety days" };
    let ordered: unknown = null;
    proxy.use({
      after(passing, answer) {
        if (isNewOrder(passing)) ordered = (passing.payload as { profile?: string }).profile;
        if (passing.path !== "/dir") return answer;
        const { meta } = answer.body as { meta: object };
        return { ...answer, body: { ...(answer.body as object), meta: { ...meta, profiles } } };
      },
    });
    const { id } = acme.certificates.request(ACCOUNT, ["a.example"], "t");
    const error = await until(() => acme.status().directories[0]?.error, "the profile is missed");
    assert.match(error.message, /does not offer the profile shortlived\. It offers classic\./);
    await acme.stop();
    profiles["shortlived"] = "six days";
    assert.equal(ordered, null);
    assert.ok(id);
  });

  test("has limits that are used up: the next name waits for its turn, without a request", async (t) => {
    let aheadMs = 0;
    const one = { count: 1, windowMs: 3_600_000 };
    const many = { count: 99, windowMs: 3_600_000 };
    const { world, acme, proxy } = await startScene(t, {
      now: () => Date.now() + aheadMs,
      limits: { orders: one, domain: many, name: many, failures: many },
    });
    world.names.set("b.example", "A", "127.0.0.1");
    await acme.issue("a.example");
    const orders = () => proxy.heard.filter((line) => line === "POST /order-plz").length;
    const before = orders();
    const { id } = acme.certificates.request(ACCOUNT, ["b.example"], "b");
    const [waiting] = await until(() => {
      const { waiting } = acme.status();
      return waiting.length > 0 && waiting;
    }, "the limit is explained");
    assert.match(
      waiting?.error.message ?? "",
      /^b\.example: The CA allows this installation no more new orders/,
    );
    const [budget] = acme.status().directories[0]?.budgets ?? [];
    assert.deepEqual(budget, { limit: "orders", of: null, left: 0, count: 1 });
    assert.equal(orders(), before);
    aheadMs = 3_600_001;
    await until(() => acme.statusOf(id) === "ISSUED", "its turn comes");
  });

  test("is not trusted without the file of its own CA", async (t) => {
    const { acme } = await startScene(t, { caFile: null });
    acme.certificates.request(ACCOUNT, ["a.example"], "t");
    const error = await until(() => acme.status().directories[0]?.error, "the connection is refused");
    assert.match(error.message, /is not trusted \(.*\)\. .* set SLIPWAY_ACME_CA_FILE/);
  });

  test("is on another clock than this machine: the sentence says so", async (t) => {
    const { proxy, acme } = await startScene(t, { now: () => Date.now() - 40 * 60_000 });
    proxy.use({ before: (passing) => (isNewOrder(passing) ? problem(500, "serverInternal") : null) });
    acme.certificates.request(ACCOUNT, ["a.example"], "t");
    const error = await until(() => acme.status().directories[0]?.error, "the CA fails");
    assert.match(error.message, /clock is 40 minutes behind the CA's: set it right/);
  });
});
