/** Distributions: names and certificate change together, guarded by an ETag. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { DistributionUpdate } from "../../../src/cloud/cloud.ts";
import { accessKeyOf } from "../../../src/cloud/preview-access.ts";
import { type Redirects, redirectsKeyOf } from "../../../src/cloud/redirects.ts";
import { routesKeyOf } from "../../../src/cloud/routing.ts";
import { refuses, type CloudSuite } from "./cloud-suite.ts";

export function describeDistributions(suite: CloudSuite): void {
  const {
    until,
    withRecords,
    setValidationRecords,
    waitForStatus,
    waitForDeployed,
    issue,
    create,
    attach,
    testOfAccounts,
  } = suite;
  describe("distributions", () => {
    test("a new distribution has a host name, no aliases, and is deployed after a while", async () => {
      const account = await suite.harness.connect();
      const created = await create(account, "t");
      assert.match(created.domainName, /^[a-z0-9-]+(?:\.[a-z0-9-]+)+$/);
      assert.deepEqual(created.aliases, []);
      assert.equal(created.certificateId, null);
      assert.equal(created.enabled, true);
      const deployed = await waitForDeployed(account, created.id);
      assert.equal(deployed.domainName, created.domainName);
    });

    test("a repeated create with the same token gives the same distribution, at once and later", async () => {
      const account = await suite.harness.connect();
      const created = await Promise.all([1, 2, 3].map(() => create(account, "same")));
      assert.equal(new Set(created.map(({ id }) => id)).size, 1);
      await waitForDeployed(account, created[0]?.id ?? "");
      assert.equal((await create(account, "same")).id, created[0]?.id);
      assert.notEqual((await create(account, "other")).id, created[0]?.id);
    });

    test("answers are removed from caches once for a token, and a removal is complete after a while", async () => {
      const account = await suite.harness.connect();
      const { id } = await create(account, "t");
      const request = { token: `${id} first`, paths: ["/*", "/%C3%BC.html"] };
      const invalidate = (more: object = {}) =>
        suite.cloud.distributions.invalidate(account, id, { ...request, ...more });
      const first = await invalidate();
      assert.equal((await invalidate()).id, first.id);
      assert.notEqual((await invalidate({ token: `${id} second` })).id, first.id);
      await until(
        () => suite.cloud.distributions.describeInvalidation(account, id, first.id),
        (observed) => observed?.isComplete === true,
      );
    });

    testOfAccounts(
      "what does not exist is described as null, cannot be updated, and counts as deleted",
      async () => {
        const account = await suite.harness.connect();
        const stranger = await create(await suite.harness.connect(), "t");
        assert.equal(await suite.cloud.distributions.describe(account, stranger.id), null);
        await refuses(attach(account, stranger, [], null), "gone", "NOT_FOUND");
        assert.equal(await suite.cloud.distributions.delete(account, stranger.id, stranger.etag), "deleted");
      },
    );

    test("aliases and certificate are set together, returned lower-case and sorted, and the etag changes", async () => {
      const account = await suite.harness.connect();
      const domain = suite.harness.newDomain();
      const names = [`b.${domain}`, `a.${domain}`];
      const certificateId = await issue(account, names, "t");
      const created = await create(account, "t");
      const updated = await attach(account, created, names, certificateId);
      assert.deepEqual(updated.aliases, names.toSorted());
      assert.ok(updated.changedAt >= created.changedAt, `${updated.changedAt.toISOString()} of the update`);
      assert.equal(updated.certificateId, certificateId);
      assert.notEqual(updated.etag, created.etag);
      const deployed = await waitForDeployed(account, created.id);
      assert.deepEqual(deployed.aliases, names.toSorted());
    });

    test("an update with an outdated etag is refused and changes nothing", async () => {
      const account = await suite.harness.connect();
      const created = await create(account, "t");
      const disabled = await attach(account, created, [], null, false);
      await refuses(attach(account, created, [], null, true), "retryable", "STALE_ETAG");
      const seen = await suite.cloud.distributions.describe(account, created.id);
      assert.equal(seen?.enabled, false);
      assert.equal(seen.etag, disabled.etag);
    });

    test("one update swaps certificate and aliases for a larger set of names", async () => {
      const account = await suite.harness.connect();
      const domain = suite.harness.newDomain();
      const first = await issue(account, [`a.${domain}`], "first");
      const attached = await attach(account, await create(account, "t"), [`a.${domain}`], first);
      const both = [`a.${domain}`, `b.${domain}`];
      const second = await issue(account, both, "second");
      const swapped = await attach(account, attached, both, second);
      assert.deepEqual(swapped.aliases, both);
      assert.equal(swapped.certificateId, second);
      await waitForDeployed(account, swapped.id);
      await until(
        () => suite.cloud.certificates.delete(account, first),
        (result) => result === "deleted",
      );
      assert.equal(await suite.cloud.certificates.delete(account, second), "in-use");
    });

    testOfAccounts(
      "an alias of another distribution is refused, in the same account and in another",
      async () => {
        const [owner, stranger] = await Promise.all([suite.harness.connect(), suite.harness.connect()]);
        const domain = suite.harness.newDomain();
        const owned = await issue(owner, [domain], "t");
        await attach(owner, await create(owner, "t"), [domain], owned);
        await refuses(
          attach(owner, await create(owner, "second"), [domain], owned),
          "invalid",
          "ALIAS_IN_USE",
        );
        // The other customer also proves the name for its own account; the alias is taken nevertheless.
        const { id } = await suite.cloud.certificates.request(stranger, { names: [domain], token: "t" });
        await setValidationRecords(await withRecords(stranger, id));
        await waitForStatus(stranger, id, "ISSUED");
        await refuses(attach(stranger, await create(stranger, "t"), [domain], id), "invalid", "ALIAS_IN_USE");
      },
    );

    testOfAccounts("an alias needs an issued certificate of the same account that covers it", async () => {
      const [account, stranger] = await Promise.all([suite.harness.connect(), suite.harness.connect()]);
      const domain = suite.harness.newDomain();
      const distribution = await create(account, "t");
      const unusable = (certificateId: string | null) =>
        refuses(
          attach(account, distribution, [`www.${domain}`], certificateId),
          "invalid",
          "CERTIFICATE_UNUSABLE",
        );
      await unusable(null);
      const { id } = await suite.cloud.certificates.request(account, {
        names: [`www.${domain}`],
        token: "t",
      });
      await unusable(id);
      await unusable(await issue(account, [`other.${domain}`], "other"));
      await unusable(await issue(stranger, [`www.${domain}`], "t"));
    });

    test("a wildcard certificate covers one label below it and no deeper", async () => {
      const account = await suite.harness.connect();
      const domain = suite.harness.newDomain();
      const id = await issue(account, [`*.${domain}`], "t");
      const distribution = await create(account, "t");
      await refuses(attach(account, distribution, [`a.b.${domain}`], id), "invalid", "CERTIFICATE_UNUSABLE");
      const attached = await attach(account, distribution, [`a.${domain}`], id);
      assert.deepEqual(attached.aliases, [`a.${domain}`]);
    });

    test("more than a hundred aliases are refused with limit", async () => {
      const account = await suite.harness.connect();
      const domain = suite.harness.newDomain();
      const id = await issue(account, [`*.${domain}`], "t");
      const aliases = Array.from({ length: 101 }, (_, n) => `n${n}.${domain}`);
      await refuses(attach(account, await create(account, "t"), aliases, id), "limit", "TOO_MANY_ALIASES");
    });

    test("a distribution can only be deleted after it was disabled and deployed", async () => {
      const account = await suite.harness.connect();
      const created = await create(account, "t");
      assert.equal(await suite.cloud.distributions.delete(account, created.id, created.etag), "not-ready");
      const disabled = await attach(account, created, [], null, false);
      assert.equal(disabled.enabled, false);
      await refuses(
        suite.cloud.distributions.delete(account, created.id, created.etag),
        "retryable",
        "STALE_ETAG",
      );
      await until(
        () => suite.cloud.distributions.delete(account, created.id, disabled.etag),
        (result) => result === "deleted",
      );
      assert.equal(await suite.cloud.distributions.delete(account, created.id, disabled.etag), "deleted");
      assert.equal(await suite.cloud.distributions.describe(account, created.id), null);
    });

    test("redirects come and go with an update, stay if it has none, and are forgotten", async () => {
      const account = await suite.harness.connect();
      const domain = suite.harness.newDomain();
      const names = [domain, `www.${domain}`];
      const certificateId = await issue(account, names, "t");
      const { distributions } = suite.cloud;
      const attached = await attach(account, await create(account, "t"), names, certificateId);
      assert.equal(attached.redirectsKey, null);
      const update = { aliases: names, certificateId, enabled: true };
      const send = async (redirects?: Redirects) => {
        const { etag } = await waitForDeployed(account, attached.id);
        const more = redirects === undefined ? {} : { redirects };
        await distributions.update(account, attached.id, { ...update, etag, ...more });
        return (await waitForDeployed(account, attached.id)).redirectsKey;
      };
      const there = { [`www.${domain}`]: domain };
      const back = { [domain]: `www.${domain}` };
      assert.equal(await send(there), redirectsKeyOf(there));
      assert.equal(await send(), redirectsKeyOf(there));
      assert.equal(await send(back), redirectsKeyOf(back));
      await distributions.forgetRedirects(account, attached.id);
      assert.equal(await send(there), redirectsKeyOf(there));
      assert.equal(await send({}), null);
      await distributions.forgetRedirects(account, attached.id);
      await distributions.forgetRedirects(account, attached.id);
      const tooMany = Object.fromEntries(Array.from({ length: 200 }, (_, n) => [`n${n}.${domain}`, domain]));
      const { etag } = await waitForDeployed(account, attached.id);
      await refuses(
        distributions.update(account, attached.id, { ...update, etag, redirects: tooMany }),
        "limit",
        "TOO_MANY_REDIRECTS",
      );
    });

    test("a distribution of previews has its routes once deployed, and keeps them with other updates", async () => {
      const account = await suite.harness.connect();
      const { distributions } = suite.cloud;
      const domain = suite.harness.newDomain();
      const certificateId = await issue(account, [`*.${domain}`], "t");
      const origin = { kind: "previews", environmentId: "env_1" } as const;
      const { id } = await distributions.create(account, { token: domain, origin });
      const send = async (update: Partial<DistributionUpdate>) => {
        const { aliases, etag } = await waitForDeployed(account, id);
        const present = { aliases, certificateId: aliases.length > 0 ? certificateId : null, enabled: true };
        return await distributions.update(account, id, { ...present, etag, ...update });
      };
      const routes = { "site-pr-1": { serviceId: "svc_1" }, "docs-pr-1": { hostname: "docs.example.com" } };
      const routed = await send({ routes });
      assert.equal(routed.routesKey, routesKeyOf(routes));
      // CloudFront has routes in a function, which it deploys.
      if (suite.cloud.kind !== "aws") assert.equal(routed.deployed, true);
      await send({ aliases: [`*.${domain}`], certificateId });
      const attached = await waitForDeployed(account, id);
      assert.deepEqual([attached.routesKey, attached.aliases], [routesKeyOf(routes), [`*.${domain}`]]);
      const stale = { aliases: [], certificateId: null, enabled: true, routes: {}, etag: routed.etag };
      await refuses(distributions.update(account, id, stale), "retryable", "STALE_ETAG");
      assert.equal((await send({ routes: {} })).routesKey, null);
      const other = await waitForDeployed(account, (await create(account, "t")).id);
      const foreign = { aliases: [], certificateId: null, enabled: true, routes, etag: other.etag };
      await refuses(distributions.update(account, other.id, foreign), "invalid", "INVALID_REQUEST");
    });

    test("a preview has its access from its creation on, beside redirects, until another one replaces it", async () => {
      const account = await suite.harness.connect();
      const { distributions } = suite.cloud;
      const gate = { key: "k".repeat(43), signInUrl: "https://slipway.example/open", bypassHash: null };
      const request = {
        token: suite.harness.newDomain(),
        origin: { kind: "none" },
        access: { gate },
      } as const;
      const made = await distributions.create(account, request);
      assert.deepEqual([made.accessKey, made.enabled], [accessKeyOf({ gate }), true]);
      assert.equal((await distributions.create(account, request)).id, made.id);
      const send = async (more: Pick<DistributionUpdate, "access" | "redirects">) => {
        const { etag } = await waitForDeployed(account, made.id);
        await distributions.update(account, made.id, {
          aliases: [],
          certificateId: null,
          enabled: true,
          etag,
          ...more,
        });
        const { accessKey, redirectsKey } = await waitForDeployed(account, made.id);
        return { accessKey, redirectsKey };
      };
      const redirects = { "a.example": "b.example" };
      const redirectsKey = redirectsKeyOf(redirects);
      const open = accessKeyOf({ gate: null });
      assert.deepEqual(await send({ redirects }), { accessKey: accessKeyOf({ gate }), redirectsKey });
      assert.deepEqual(await send({ access: { gate: null } }), { accessKey: open, redirectsKey });
      assert.deepEqual(await send({}), { accessKey: open, redirectsKey });
      assert.deepEqual(await send({ redirects: {} }), { accessKey: open, redirectsKey: null });
      await distributions.forgetRedirects(account, made.id);
      assert.deepEqual(await send({}), { accessKey: open, redirectsKey: null });
    });

    test("a removed alias can be used by another distribution", async () => {
      const account = await suite.harness.connect();
      const domain = suite.harness.newDomain();
      const id = await issue(account, [domain], "t");
      const first = await attach(account, await create(account, "first"), [domain], id);
      await attach(account, first, [], null);
      await waitForDeployed(account, first.id);
      const second = await attach(account, await create(account, "second"), [domain], id);
      assert.deepEqual(second.aliases, [domain]);
    });
  });
}
