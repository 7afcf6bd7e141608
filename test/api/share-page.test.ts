/** What a visitor without an account sees through a share link, and what no visitor sees. */
import assert from "node:assert/strict";
import path from "node:path";
import { after, before, describe, it } from "node:test";
import { writeStatement } from "../../src/db/database.ts";
import { openPgliteDatabase } from "../../src/db/drivers/pglite.ts";
import { createPostgresDatabase } from "../../src/db/drivers/postgres.ts";
import {
  createGroup,
  createProject,
  type Project,
  proveDomain,
  setDnsRecords,
  untilDomain,
} from "../helpers/customers/scenario.ts";
import { type Instance, startInstance } from "../helpers/instance.ts";
import { until } from "../helpers/until.ts";

const END_LINK = writeStatement(
  "test_end_share_link",
  "UPDATE share_links SET expires_at = now() - interval '1 second' WHERE organization_id = $1 AND id = $2",
);
/** A value that the DNS may return for a name that another party controls. */
const MARKUP = `"><script>alert(1)</script>`;

type Shown = {
  readonly dnsProvider: object | null;
  readonly dnsRecords: readonly {
    readonly status: string;
    readonly lastPropagationCheckValue: string | null;
  }[];
};
type Page = { readonly status: number; readonly text: string; readonly headers: Headers };

describe("the page of a share link", () => {
  let instance: Instance;
  let project: Project;
  let count = 0;
  before(async () => {
    instance = await startInstance({
      env: {
        SLIPWAY_SHARE_NAME: "Acme <Sites>",
        SLIPWAY_SHARE_COLOR: "#0A5C36",
        SLIPWAY_SHARE_LOGO_URL: "https://cdn.acme.example/logo.svg",
      },
    });
    project = await createProject(instance.admin, "confidential-project");
  });
  after(() => instance.dispose());

  async function visit(url: string, init: RequestInit = {}): Promise<Page> {
    const answer = await fetch(url, { redirect: "manual", ...init });
    return { status: answer.status, text: await answer.text(), headers: answer.headers };
  }
  async function share(names?: readonly string[]) {
    count += 1;
    const given = names ?? [`www.page${count}.example.com`];
    const group = await createGroup(instance.admin, project.services["web"], given);
    const links = `/v1/domain-certificate-groups/${group.id}/share-links`;
    const { body } = await instance.admin.post(links, {});
    return {
      groupId: group.id as string,
      domainIds: group.createdDomains.map(({ id }: { id: string }) => id) as string[],
      linkPath: `${links}/${body.id}`,
      linkId: body.id as string,
      url: body.url as string,
    };
  }
  /** Visitors are limited, so that they are not what is asked again and again. */
  const untilFound = (id: string, what: string, isFound: (domain: Shown) => boolean): Promise<Shown> =>
    until(async () => {
      const domain: Shown = (await instance.admin.get(`/v1/domains/${id}`)).body;
      return isFound(domain) && domain;
    }, what);
  async function read(url: string): Promise<string> {
    const page = await visit(url);
    assert.equal(page.status, 200, page.text);
    return page.text;
  }

  it("shows what to set and what is there now, until visitors reach the domain", async () => {
    const { url, domainIds } = await share();
    const [id = ""] = domainIds;
    const { dnsRecords } = await untilDomain(instance.admin, id, "AWAITING_VERIFICATION_RECORDS_TO_BE_SET");
    const [record] = dnsRecords;
    const first = await read(url);
    for (const shown of ["Waiting for the records below", record.relativeName, record.value, record.name])
      assert.ok(first.includes(shown), shown);
    await instance.admin.put("/sandbox/dns/records", {
      name: record.name,
      type: "CNAME",
      values: ["elsewhere.example.net"],
    });
    await untilFound(
      id,
      "what is there is found",
      ({ dnsRecords }) => dnsRecords[0]?.lastPropagationCheckValue === "elsewhere.example.net",
    );
    const wrong = await read(url);
    assert.match(wrong, /data-state="wrong">Wrong</);
    assert.match(wrong, /There now<\/h4>\s*<p><code[^>]*>elsewhere[.]example[.]net</);
    await proveDomain(instance.admin, id);
    await setDnsRecords(instance.admin, await untilDomain(instance.admin, id, "ATTACHED"));
    await untilFound(
      id,
      "both records are right",
      ({ dnsRecords }) => dnsRecords.length === 2 && dnsRecords.every(({ status }) => status === "OK"),
    );
    const done = await read(url);
    assert.match(done, /Done[.] Visitors reach it, over HTTPS/);
    assert.match(done, /All is set up/);
    assert.ok(!done.includes('data-state="wrong"'));
  });

  it("gives a script what changed, in the same words", async () => {
    const { url, domainIds } = await share();
    const [id = ""] = domainIds;
    await untilDomain(instance.admin, id, "AWAITING_VERIFICATION_RECORDS_TO_BE_SET");
    // The page is loaded again for that.
    await untilFound(id, "it is known who runs the DNS", ({ dnsProvider }) => dnsProvider !== null);
    // A check between both changes what they show.
    const { page, live } = await until(async () => {
      const page = await read(url);
      const live = await visit(`${url}/live`);
      return page.includes(`data-shape="${JSON.parse(live.text).shape}"`) ? { page, live } : null;
    }, "both show the same");
    assert.match(page, /data-live="d0r0-state" data-state="(?:missing|waiting)"/);
    assert.match(live.headers.get("content-type") ?? "", /^application\/json/);
    const { parts } = JSON.parse(live.text);
    const ofRecord = (part: string) => ["state", "there", "problem"].map((one) => `${part}-${one}`);
    assert.deepEqual(Object.keys(parts), ["summary", "d0", ...ofRecord("d0r0"), ...ofRecord("d0r1")]);
    assert.equal(parts.d0.text, "Waiting for the records below.");
    assert.ok(page.includes(`>${parts.d0.text}<`));
  });

  it("shows nothing else of the organization", async () => {
    const { url } = await share();
    const { body: me } = await instance.admin.get("/v1/me");
    const { body: user } = await instance.admin.get(`/v1/users/${me.user.id}`);
    for (const address of [url, `${url}/live`]) {
      const { text, headers } = await visit(address);
      const said = `${text}${JSON.stringify([...headers])}`;
      assert.doesNotMatch(said, /\b(?!shape)[a-z]{2,8}_[0-9a-z]{26}\b/, "an id of a resource");
      for (const secret of ["confidential-project", me.organization.name, user.name, "page1.example.com"])
        assert.ok(!said.includes(secret), `${address} has ${secret}`);
    }
  });

  it("is as its operator configured it, and keeps its address to itself", async () => {
    const { url } = await share();
    const { text, headers } = await visit(url);
    assert.ok(text.includes("Acme &lt;Sites&gt;") && !text.includes("Acme <Sites>"));
    const policy = headers.get("content-security-policy") ?? "";
    for (const part of [
      "default-src 'none'",
      "script-src 'self'",
      "img-src 'self' data: https://cdn.acme.example",
      "frame-ancestors 'none'",
      "require-trusted-types-for 'script'",
    ])
      assert.ok(policy.split("; ").includes(part), `${part} of ${policy}`);
    assert.deepEqual(
      ["cache-control", "referrer-policy", "x-robots-tag", "x-content-type-options"].map((name) =>
        headers.get(name),
      ),
      ["no-store", "no-referrer", "noindex, nofollow", "nosniff"],
    );
    for (const [, address = ""] of text.matchAll(/(?:href|src)="(\.\/[^"]+)"/g)) {
      const asset = await visit(new URL(address, url).href);
      assert.equal(asset.status, 200, address);
      if (address.includes("style")) assert.ok(asset.text.includes("--brand: #0a5c36"));
    }
    const token = url.slice(url.lastIndexOf("/") + 1);
    assert.ok(!instance.logged().includes(token));
  });

  it("shows what the DNS says as text", async () => {
    const { url, domainIds } = await share();
    const [id = ""] = domainIds;
    const { dnsRecords } = await untilDomain(instance.admin, id, "AWAITING_VERIFICATION_RECORDS_TO_BE_SET");
    const { name } = dnsRecords[0];
    const put = await instance.admin.put("/sandbox/dns/records", { name, type: "TXT", values: [MARKUP] });
    assert.equal(put.status, 204, put.text);
    await untilFound(
      id,
      "the text is found",
      ({ dnsRecords }) => dnsRecords[0]?.lastPropagationCheckValue?.includes("alert(1)") === true,
    );
    const text = await read(url);
    assert.ok(text.includes("alert(1)") && !text.includes("<script>alert"), text);
  });

  it("answers unknown, expired and revoked links alike", async () => {
    const [ended, revoked] = [await share(), await share()];
    const { body: me } = await instance.admin.get("/v1/me");
    assert.equal((await instance.admin.delete(revoked.linkPath)).status, 204);
    const { databaseUrl, dataDir } = instance;
    instance = await instance.restart(async () => {
      const db =
        databaseUrl === null
          ? await openPgliteDatabase({ folder: path.join(dataDir, "database") })
          : createPostgresDatabase({ connectionString: databaseUrl, poolSize: 1, onError: () => undefined });
      try {
        await db.query(END_LINK, [me.organization.id, ended.linkId]);
      } finally {
        await db.close();
      }
    });
    const tokens = [ended, revoked].map(({ url }) => url.slice(url.lastIndexOf("/") + 1));
    const answers: string[] = [];
    for (const token of [...tokens, "0".repeat(27), "short", "%3Cscript%3E"]) {
      const asked = [
        await visit(`${instance.url}/share/${token}`),
        await visit(`${instance.url}/share/${token}/live`),
        await visit(`${instance.url}/share/${token}/check`, { method: "POST" }),
      ];
      for (const { headers } of asked) assert.equal(headers.get("cache-control"), "no-store");
      answers.push(JSON.stringify(asked.map(({ status, text }) => [status, text])));
    }
    assert.equal(new Set(answers).size, 1);
    assert.match(answers[0] ?? "", /^\[\[404,.*This link does not work/);
  });

  it("emits an event and is audited when it is opened, once", async () => {
    const { url, linkPath, linkId, groupId } = await share();
    await visit(url, { method: "HEAD" });
    assert.equal((await instance.admin.get(linkPath)).body.openedAt, null);
    await visit(url);
    const { openedAt } = (await instance.admin.get(linkPath)).body;
    assert.ok(Math.abs(Date.parse(openedAt) - Date.now()) < 60_000, openedAt);
    await visit(url);
    assert.equal((await instance.admin.get(linkPath)).body.openedAt, openedAt);
    const query = `/v1/audit-entries?resourceId=${linkId}&action=share-link.opened`;
    const { auditEntries } = (await instance.admin.get(query)).body;
    assert.equal(auditEntries.length, 1);
    assert.match(auditEntries[0].sourceAddress, /^(?:127[.]0[.]0[.]1|::1)$/);
    await until(async () => {
      const { body } = await instance.admin.get(`/v1/events?limit=100&subjectId=${groupId}`);
      const types = body.events.map(({ type }: { type: string }) => type);
      return types.includes("domain_group.share_link_opened");
    }, "the opening emits an event");
  });

  it("has the records looked at by a form, some times a minute", async () => {
    const { url, linkId } = await share();
    const post = () =>
      visit(`${url}/check`, {
        method: "POST",
        headers: { "content-type": "application/x-www-form-urlencoded" },
      });
    const first = await post();
    assert.equal(first.status, 303, first.text);
    const shown = await visit(new URL(first.headers.get("location") ?? "", `${url}/check`).href);
    assert.match(shown.text, /Checking now/);
    const { body } = await instance.admin.get(
      `/v1/audit-entries?resourceId=${linkId}&action=share-link.check-requested`,
    );
    assert.equal(body.auditEntries.length, 1);
    const refused = await until(async () => {
      const answer = await post();
      return answer.status === 429 && answer;
    }, "too many are refused");
    assert.ok(Number(refused.headers.get("retry-after")) >= 1);
    assert.match(refused.text, /Too many requests/);
    assert.equal((await visit(url)).status, 200);
  });

  it("answers an address only so often, whether it knows a link or not", async () => {
    const { url } = await share();
    const unknown = `${instance.url}/share/${"1".repeat(27)}`;
    const refused = await until(async () => {
      const asked = [...Array.from({ length: 50 }, () => visit(unknown)), visit(url)];
      const last = (await Promise.all(asked)).at(-1);
      return last?.status === 429 && last;
    }, "the address is refused");
    assert.ok(Number(refused.headers.get("retry-after")) >= 1);
  });
});
