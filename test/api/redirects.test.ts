/** Domains that redirect to another name of their group, as the edge answers them. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { clearFaults, setFault } from "../helpers/customers/sandbox-account.ts";
import {
  attach,
  createGroup,
  createProject,
  type Project,
  untilDomain,
  untilGone,
} from "../helpers/customers/scenario.ts";
import { type Instance, startInstance } from "../helpers/instance.ts";
import { getFromEdge } from "../helpers/sandbox/edge-client.ts";
import { until } from "../helpers/until.ts";

type Shown = {
  readonly id: string;
  readonly redirectTo: string | null;
  readonly redirectStatus: string | null;
  readonly redirectProblem: { readonly code: string } | null;
};

describe("redirects", () => {
  let instance: Instance;
  let project: Project;
  before(async () => {
    instance = await startInstance({ tuning: { deployLagMs: 300 } });
    project = await createProject(instance.admin, "redirects");
  });
  after(() => instance.dispose());

  async function attachAll(names: readonly string[]) {
    const group = await attach(instance.admin, project.services["web"], names);
    const ids = names.map(
      (name) => group.createdDomains.find((one: { name: string }) => one.name === name).id as string,
    );
    return { groupId: group.id as string, ids };
  }
  const patch = (id: string | undefined, redirectTo: unknown) =>
    instance.admin.patch(`/v1/domains/${id}`, { redirectTo });
  const change = async (id: string | undefined, redirectTo: string | null): Promise<Shown> => {
    const { status, body, text } = await patch(id, redirectTo);
    assert.equal(status, 200, text);
    return body;
  };
  const untilStatus = (id: string | undefined, status: string | null): Promise<Shown> =>
    until(async () => {
      const { body } = await instance.admin.get(`/v1/domains/${id}`);
      return body.redirectStatus === status && body;
    }, `the redirect of ${id} is ${status}`);
  const ask = (name: string, path = "/", port = "") =>
    getFromEdge(instance.sandbox, name, { path, host: `${name}${port}` });
  const toldOf = (id: string | undefined, type: string, count: number) =>
    until(async () => {
      const { body } = await instance.admin.get(`/v1/events?limit=100&subjectId=${id}`);
      const told = body.events.filter((event: { type: string }) => event.type === type);
      assert.ok(told.length <= count, JSON.stringify(told));
      return told.length === count && told;
    }, `${count} ${type} of ${id}`);

  it("lead to the other name with path and query as they came, once that is shown as served", async () => {
    const [www, apex] = ["www.led.example.com", "led.example.com"];
    const { ids } = await attachAll([www, apex]);
    assert.equal((await ask(www)).status, 200);
    const changed = await change(ids[0], "LED.example.com.");
    assert.deepEqual([changed.redirectTo, changed.redirectStatus], [apex, "PENDING"]);
    assert.deepEqual([(await untilStatus(ids[0], "SERVED")).redirectTo], [apex]);
    for (const path of ["/", "/a//b/%2e%2E/c%20d?x=1&x=%C3%A4+&&=;#", "/?", "//evil.example.net/%0d%0aX:1"]) {
      const { status, headers } = await ask(www, path);
      assert.deepEqual([status, headers.location], [308, `https://${apex}${path}`]);
    }
    assert.equal((await ask(www, "/x", ":8443")).headers.location, `https://${apex}:8443/x`);
    assert.equal((await ask(apex)).status, 200);
    await toldOf(ids[0], "domain.redirect_changed", 1);
    const [served] = await toldOf(ids[0], "domain.redirect_served", 1);
    assert.deepEqual(served.data.redirectTo, apex);

    const ended = await change(ids[0], null);
    assert.deepEqual([ended.redirectTo, ended.redirectStatus], [null, "ENDING"]);
    await untilStatus(ids[0], null);
    assert.equal((await ask(www)).status, 200);
    const { body: audit } = await instance.admin.get(`/v1/audit-entries?action=domain.updated&limit=100`);
    const entries = audit.auditEntries.filter(
      ({ resourceId }: { resourceId: string }) => resourceId === ids[0],
    );
    assert.equal(entries.length, 2);
    assert.match(JSON.stringify(entries[0].details), new RegExp(apex));
  });

  it("are changed without a wrong answer for visitors who ask all the time", async () => {
    const [www, first, second] = ["www.busy.example.com", "one.busy.example.com", "two.busy.example.com"];
    const { groupId, ids } = await attachAll([www, first, second]);
    const seen: string[] = [];
    const visits = new AbortController();
    const visitor = async (): Promise<void> => {
      while (!visits.signal.aborted) {
        const { status, headers } = await ask(www, "/?q");
        const { location } = headers;
        const shown = location === undefined ? String(status) : `${status} ${location}`;
        if (shown !== seen.at(-1)) seen.push(shown);
        if (location === undefined) continue;
        // The target of a redirect answers, unless the redirect has changed in the meantime.
        const target = await ask(new URL(location).hostname).catch(() => null);
        if (target?.status !== 200) assert.notEqual((await ask(www, "/?q")).headers.location, location);
      }
    };
    const visitors = visitor();
    visitors.catch(() => visits.abort());
    await change(ids[0], first);
    await untilStatus(ids[0], "SERVED");
    assert.equal(seen.at(-1), `308 https://${first}/?q`);
    await change(ids[0], second);
    // There and back: what is shown as served is served, although the last one was never there.
    await change(ids[0], first);
    await change(ids[0], second);
    assert.equal((await untilStatus(ids[0], "SERVED")).redirectTo, second);
    assert.equal((await ask(www, "/?q")).headers.location, `https://${second}/?q`);
    // The former target can be deleted at once, and the edge serves it until no visitor is redirected there.
    await instance.admin.delete(`/v1/domain-certificate-groups/${groupId}/domains/${ids[1]}`);
    await untilGone(instance.admin, `/v1/domains/${ids[1]}`);
    await change(ids[0], null);
    const gone = await instance.admin.delete(`/v1/domain-certificate-groups/${groupId}/domains/${ids[2]}`);
    assert.equal(gone.status, 202, gone.text);
    await untilGone(instance.admin, `/v1/domains/${ids[2]}`);
    visits.abort();
    await visitors;
    const [shownItself, ...led] = ["200", `308 https://${first}/?q`, `308 https://${second}/?q`];
    assert.deepEqual([seen[0], seen.at(-1)], [shownItself, shownItself]);
    assert.deepEqual([...new Set(seen.slice(1, -1))], led, seen.join("; "));
  });

  it("wait for both names to be served, and end with their group", async () => {
    const [www, apex] = ["www.early.example.com", "early.example.com"];
    const { groupId, ids } = await attachAll([www]);
    const path = `/v1/domain-certificate-groups/${groupId}/domains`;
    const added = await instance.admin.post(path, { domains: [apex] });
    assert.equal(added.status, 201, added.text);
    await untilDomain(instance.admin, added.body.domains[0].id, "AWAITING_VERIFICATION_RECORDS_TO_BE_SET");
    assert.equal((await change(ids[0], apex)).redirectStatus, "PENDING");
    assert.equal((await ask(www)).status, 200);
    const deleted = await instance.admin.delete(`/v1/domain-certificate-groups/${groupId}`);
    assert.equal(deleted.status, 202, deleted.text);
    await untilGone(instance.admin, `/v1/domain-certificate-groups/${groupId}`);
  });

  it("keep their target from being deleted, and say which lead there", async () => {
    const [www, apex] = ["www.kept.example.com", "kept.example.com"];
    const { groupId, ids } = await attachAll([www, apex]);
    await change(ids[0], apex);
    const path = `/v1/domain-certificate-groups/${groupId}/domains/`;
    const refused = await instance.admin.delete(path + ids[1]);
    assert.deepEqual([refused.status, refused.body.code], [409, "REDIRECT_TARGET"]);
    assert.match(refused.body.detail, new RegExp(`^${www} redirects to ${apex}`));
    // A deleted domain that redirects does so until it is no longer served.
    await untilStatus(ids[0], "SERVED");
    await setFault(instance.admin, "distributions.update", "server-error");
    assert.equal((await instance.admin.delete(path + ids[0])).status, 202);
    const late = await patch(ids[0], null);
    assert.deepEqual([late.status, late.body.code], [409, "DOMAIN_DELETING"]);
    await clearFaults(instance.admin);
    await until(async () => {
      // Without its alias there is no certificate for it, and so no connection.
      const answer = await ask(www).catch(() => null);
      assert.ok(answer === null || answer.status !== 200, "it is not shown itself meanwhile");
      return answer === null;
    }, `${www} is served no longer`);
    await untilGone(instance.admin, `/v1/domains/${ids[0]}`);
    assert.equal((await instance.admin.delete(path + ids[1])).status, 202);
    await untilGone(instance.admin, `/v1/domains/${ids[1]}`);
  });

  it("are refused if they would lead nowhere, on, in a circle, or elsewhere", async () => {
    const names = ["www.no.example.com", "no.example.com", "shop.no.example.com", "*.no.example.com"];
    const group = await createGroup(instance.admin, project.services["web"], names);
    const idOf = (name: string): string =>
      group.createdDomains.find((one: { name: string }) => one.name === name).id;
    await createGroup(instance.admin, project.services["web"], ["other.example.com"]);
    await change(idOf("www.no.example.com"), "no.example.com");
    const cases: readonly (readonly [string, unknown, string])[] = [
      ["shop.no.example.com", "shop.no.example.com", "REDIRECT_TO_ITSELF"],
      ["shop.no.example.com", "www.no.example.com", "REDIRECT_CHAIN"],
      ["no.example.com", "www.no.example.com", "REDIRECT_CHAIN"],
      ["no.example.com", "shop.no.example.com", "REDIRECT_CHAIN"],
      ["shop.no.example.com", "other.example.com", "NOT_IN_GROUP"],
      ["shop.no.example.com", "nobody.example.com", "NOT_IN_GROUP"],
      ["shop.no.example.com", "*.no.example.com", "REDIRECT_WILDCARD"],
      ["*.no.example.com", "no.example.com", "REDIRECT_WILDCARD"],
      ["shop.no.example.com", "https://no.example.com/", "NOT_A_DOMAIN"],
      ["shop.no.example.com", 7, "WRONG_TYPE"],
    ];
    for (const [name, redirectTo, code] of cases) {
      const { status, body, text } = await patch(idOf(name), redirectTo);
      assert.deepEqual(
        [status, body.errors?.[0]?.code, body.errors?.[0]?.path],
        [400, code, "/redirectTo"],
        text,
      );
    }
    assert.equal((await change(idOf("shop.no.example.com"), null)).redirectStatus, null);
    const same = await change(idOf("www.no.example.com"), "no.example.com");
    assert.equal(same.redirectStatus, "PENDING");
    const missing = await patch("dom_01kahy1c7b9v4e2k6t5m8x3wrs", null);
    assert.equal(missing.status, 404);
  });

  it("that the cloud refuses say so, and let the group's other work continue", async () => {
    const [www, apex] = ["www.denied.example.com", "denied.example.com"];
    const { groupId, ids } = await attachAll([www, apex]);
    await setFault(instance.admin, "distributions.update", "denied");
    await change(ids[0], apex);
    const failed = await untilStatus(ids[0], "FAILED");
    assert.equal(failed.redirectProblem?.code, "ACCESS_DENIED");
    await clearFaults(instance.admin);
    await toldOf(ids[0], "domain.redirect_failed", 1);
    const path = `/v1/domain-certificate-groups/${groupId}/domains`;
    assert.equal((await ask(www)).status, 200);
    // A new change is tried at once.
    await change(ids[0], null);
    await untilStatus(ids[0], null);
    await change(ids[0], apex);
    assert.equal((await untilStatus(ids[0], "SERVED")).redirectProblem, null);
    assert.equal((await instance.admin.delete(`${path}/${ids[0]}`)).status, 202);
    await untilGone(instance.admin, `/v1/domains/${ids[0]}`);
  });
});
