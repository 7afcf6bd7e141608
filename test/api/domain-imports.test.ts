import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { CONFIG, createProject, type Project } from "../helpers/customers/scenario.ts";
import { ADMIN_KEY, type Instance, startInstance } from "../helpers/instance.ts";
import { assertRefused } from "../helpers/problems.ts";
import { until } from "../helpers/until.ts";

const API = { id: "api", name: "API", type: "static", outputDirectory: "public" };
function withSecondService({ environments }: typeof CONFIG) {
  return { environments: environments.map((one) => ({ ...one, services: [...one.services, API] })) };
}

type Line = {
  line: number;
  name: string;
  fate: string;
  code: string | null;
  domainCertificateGroupId: string;
  domainCertificateGroupName: string;
};

describe("an import of domains", () => {
  let instance: Instance;
  let project: Project;
  before(async () => {
    instance = await startInstance();
    project = await createProject(instance.admin, "imports", withSecondService(CONFIG));
  });
  after(() => instance.dispose());

  const path = (query = "", service = "web") =>
    `/v1/services/${project.services[service]}/domains/import${query}`;
  const fates = (lines: readonly Line[]) => lines.map(({ line, fate, code }) => [line, fate, code]);
  const namesOf = async (service = "web") => {
    const { body } = await instance.admin.get(`/v1/domains?serviceId=${project.services[service]}&limit=100`);
    return body.domains.map(({ name }: { name: string }) => name);
  };

  const groupsOf = (lines: readonly Line[]) => lines.map(({ domainCertificateGroupName: name }) => name);

  it("answers what becomes of each line, and adds what it can", async () => {
    const domains = [
      "one.import.example.com",
      "not a name",
      "",
      "One.Import.example.com.",
      "two.import.example.com",
    ];
    const dry = await instance.admin.post(path("?dryRun=true&namesPerGroup=1"), { domains });
    assert.equal(dry.status, 200, dry.text);
    assert.deepEqual(await namesOf(), []);
    assert.equal(dry.body.createdGroups, 2);
    const done = await instance.admin.post(path("?namesPerGroup=1"), { domains });
    assert.deepEqual(fates(done.body.lines), [
      [1, "accepted", null],
      [2, "invalid", "NOT_A_DOMAIN"],
      [4, "duplicate", "DUPLICATE"],
      [5, "accepted", null],
    ]);
    assert.deepEqual(fates(dry.body.lines), fates(done.body.lines));
    const told = await until(async () => {
      const { body } = await instance.admin.get(`/v1/events?subjectId=${project.services["web"]}&limit=100`);
      const imported = body.events.filter(
        ({ type }: { type: string }) => type === "service.domains_imported",
      );
      return imported.length > 0 && imported;
    }, "the import emits an event");
    assert.equal(told.length, 1, "a dry run emits nothing");
    const counts = { accepted: 2, duplicate: 1, invalid: 1, taken: 0, quota: 0 };
    assert.deepEqual(told[0].data, { ...counts, createdGroups: 2 });
    assert.deepEqual(done.body.counts, { ...counts, skipped: 0 });
    assert.deepEqual(await namesOf(), ["one.import.example.com", "two.import.example.com"]);
    const [first, , , last] = done.body.lines as Line[];
    assert.notEqual(first?.domainCertificateGroupId, last?.domainCertificateGroupId);
    const again = await instance.admin.post(path("?namesPerGroup=1"), { domains });
    assert.equal(again.body.counts.duplicate, 3);
    assert.equal(again.body.lines[0].domainCertificateGroupId, first?.domainCertificateGroupId);
    assert.equal(again.body.createdGroups, 0);
  });

  it("fills groups that have room, and then makes new ones", async () => {
    const { body } = await instance.admin.post(path("?namesPerGroup=2"), {
      domains: ["three.import.example.com", "four.import.example.com", "five.import.example.com"],
    });
    assert.equal(body.createdGroups, 1);
    const groups = new Set(body.lines.map((line: Line) => line.domainCertificateGroupId));
    assert.equal(groups.size, 3);
    const entries = await instance.admin.get("/v1/audit-entries?order=desc&limit=4");
    assert.deepEqual(
      entries.body.auditEntries.map(({ action }: { action: string }) => action),
      ["domain.created", "domain.created", "domain.created", "domain-certificate-group.created"],
    );
  });

  it("distinguishes a name of another service from a name of its own, and leaves out what has no room", async () => {
    const { body } = await instance.admin.post(path("?namesPerGroup=1&distributionQuota=1", "api"), {
      domains: ["one.import.example.com", "six.import.example.com"],
    });
    assert.deepEqual(fates(body.lines), [
      [1, "taken", "DOMAIN_TAKEN"],
      [2, "quota", "NO_ROOM"],
    ]);
    assert.equal(body.lines[0].domainCertificateGroupId, null);
  });

  it("takes CSV, and refuses it elsewhere", async () => {
    const csv = 'Domain;Owner\r\n"seven.import.example.com";"A\r\nB"\r\neight.import.example.com;C\r\n';
    const { body } = await instance.admin.post(path("?namesPerGroup=5"), csv, { "content-type": "text/csv" });
    assert.deepEqual(fates(body.lines), [
      [1, "skipped", "HEADING"],
      [2, "accepted", null],
      [3, "skipped", "CONTINUATION"],
      [4, "accepted", null],
    ]);
    const elsewhere = await instance.admin.post("/v1/users", csv, { "content-type": "text/csv" });
    assertRefused(elsewhere, 415, "UNSUPPORTED_MEDIA_TYPE");
    const empty = await instance.admin.post(path(), "domain\n", { "content-type": "text/csv" });
    assert.equal(empty.status, 200);
    assert.deepEqual(fates(empty.body.lines), [[1, "skipped", "HEADING"]]);
  });

  it("loses no line to a quote within a cell, nor to a quote that is never closed", async () => {
    const csv =
      'domain,note\na.quotes.example.com,24" wide\nb.quotes.example.com,"open\nc.quotes.example.com,ok\n';
    const { body } = await instance.admin.post(path("?dryRun=true"), csv, { "content-type": "text/csv" });
    assert.deepEqual(fates(body.lines), [
      [1, "skipped", "HEADING"],
      [2, "accepted", null],
      [3, "invalid", "QUOTE_NOT_CLOSED"],
      [4, "accepted", null],
    ]);
    const many = Array.from(
      { length: 3_000 },
      (_, index) => `n${index}.quotes.example.com,${index % 3 ? '24"' : ""}`,
    );
    const long = await instance.admin.post(path("?dryRun=true&namesPerGroup=100"), many.join("\n"), {
      "content-type": "text/csv",
    });
    assert.equal(long.body.counts.accepted, 3_000, long.text.slice(0, 300));
  });

  it("takes the files of spreadsheets: UTF-16 and Latin-1, columns of websites, comments and spaces", async () => {
    const text = "# exported\r\nKunde;Website\r\nMüller; https://www.müller.example.com/start?x=1 \r\n";
    const latin1 = Buffer.from(text, "latin1");
    const utf16 = Buffer.from(`\uFEFF${text}`, "utf16le");
    for (const [bytes, type] of [
      [latin1, "text/csv"],
      [latin1, "text/csv; charset=iso-8859-1"],
      [utf16, "text/csv"],
      [Buffer.from(utf16).swap16(), "text/csv"],
      [Buffer.from(text), "text/csv; charset=utf-8"],
    ] as const) {
      const { status, body } = await sendBytes(bytes, type);
      assert.equal(status, 200, JSON.stringify(body));
      assert.deepEqual(
        body.lines.map(({ line, fate, name }: Line) => [line, fate, name]),
        [
          [1, "skipped", "# exported"],
          [2, "skipped", "Kunde;Website"],
          [3, "accepted", "www.xn--mller-kva.example.com"],
        ],
        type,
      );
    }
    const { status, body } = await sendBytes(Buffer.from("PK\u0003\u0004\0\0"), "text/csv");
    assert.deepEqual([status, body.code], [400, "INVALID_REQUEST"]);
    assert.match(body.detail, /Save the table as CSV/);
  });

  async function sendBytes(body: Buffer, type: string) {
    const answer = await fetch(`${instance.url}${path("?dryRun=true")}`, {
      method: "POST",
      headers: { authorization: `Bearer ${ADMIN_KEY}`, "content-type": type },
      body: new Uint8Array(body),
    });
    const text = await answer.text();
    return { status: answer.status, body: JSON.parse(text) };
  }

  it("takes a CSV as JSON, too, and one of both", async () => {
    const { body } = await instance.admin.post(path("?dryRun=true"), { csv: "FQDN\nx.json.example.com\n" });
    assert.deepEqual(fates(body.lines), [
      [1, "skipped", "HEADING"],
      [2, "accepted", null],
    ]);
    for (const sent of [{}, { domains: ["x.example.com"], csv: "x" }, { csv: "a\n".repeat(10_002) }])
      assertRefused(await instance.admin.post(path(), sent), 400, "INVALID_REQUEST");
  });

  it("puts the names of each owner into groups of their own, which the preview names", async () => {
    const domains = ["www.first-owner.com", "www.second-owner.com", "shop.first-owner.com"];
    const own = await instance.admin.post(
      `/v1/services/${project.services["api"]}/domain-certificate-groups`,
      { domains: ["www.customer-with-link.com"], useDefaultCdn: false },
    );
    const dry = await instance.admin.post(path("?dryRun=true", "api"), { domains });
    const expected = ["www.first-owner.com", "www.second-owner.com", "www.first-owner.com"];
    assert.deepEqual(groupsOf(dry.body.lines), expected);
    const done = await instance.admin.post(path("", "api"), { domains });
    assert.deepEqual(groupsOf(done.body.lines), expected);
    const ids = done.body.lines.map((line: Line) => line.domainCertificateGroupId);
    assert.equal(ids[0], ids[2]);
    assert.equal(new Set([...ids, own.body.id]).size, 3);
    const again = await instance.admin.post(path("", "api"), { domains: ["m.second-owner.com", domains[0]] });
    assert.deepEqual(
      again.body.lines.map((line: Line) => [line.domainCertificateGroupId, line.domainCertificateGroupName]),
      [
        [ids[1], "www.second-owner.com"],
        [ids[0], "www.first-owner.com"],
      ],
    );
    const shared = await instance.admin.post(path("?groupBy=none&dryRun=true", "api"), {
      domains: ["m.first-owner.com", "m.third-owner.com"],
    });
    assert.deepEqual(groupsOf(shared.body.lines), ["m.first-owner.com", "m.first-owner.com"]);
    assert.equal(shared.body.createdGroups, 1);
  });

  it("groups by a column of the file, and never adds to a group of another customer", async () => {
    const csv = (...rows: readonly string[]) => ({ csv: ["Domain,Customer", ...rows].join("\n") });
    const query = "?groupBy=column&groupColumn=customer";
    const first = await instance.admin.post(
      path(query, "api"),
      csv("www.column-a.com,Acme", "www.column-b.com,ACME", "shop.column-a.com,Bolt", "www.column-c.com,"),
    );
    assert.deepEqual(groupsOf(first.body.lines.slice(1)), ["Acme", "Acme", "Bolt", "www.column-c.com"]);
    const idOf = ({ body }: { body: { lines: readonly Line[] } }, at: number) =>
      body.lines[at]?.domainCertificateGroupId;
    // The whole list again, with a name more: it joins the customer's group.
    const again = await instance.admin.post(
      path(query, "api"),
      csv("www.column-a.com,Acme", "www.column-b.com,Acme", "m.column-b.com,acme"),
    );
    assert.equal(idOf(again, 3), idOf(first, 1));
    // A list that says nothing about the group's names, or another customer: a new group.
    const partly = await instance.admin.post(path(query, "api"), csv("n.column-b.com,Acme"));
    assert.notEqual(idOf(partly, 1), idOf(first, 1));
    const moved = await instance.admin.post(
      path(query, "api"),
      csv("shop.column-a.com,Other", "www.column-a.com,Acme", "o.column-a.com,Acme"),
    );
    assert.equal(new Set([idOf(moved, 3), idOf(first, 1), idOf(first, 3)]).size, 3);
    for (const [asked, body] of [
      ["?groupBy=column", csv("p.column-a.com,Acme")],
      ["?groupBy=column&groupColumn=Kunde", csv("p.column-a.com,Acme")],
      [query, { domains: ["p.column-a.com"] }],
    ] as const)
      assertRefused(await instance.admin.post(path(asked, "api"), body), 400, "INVALID_REQUEST");
  });

  it("is done once for one Idempotency-Key", async () => {
    const headers = { "idempotency-key": "import-once" };
    const body = { domains: ["nine.import.example.com"] };
    const [first, second] = [
      await instance.admin.post(path(), body, headers),
      await instance.admin.post(path(), body, headers),
    ];
    assert.equal(first.body.counts.accepted, 1);
    assert.equal(second.text, first.text);
    assert.equal(second.headers.get("idempotent-replayed"), "true");
  });

  it("is refused for a service without HTTP, and for too many lines", async () => {
    const worker = await instance.admin.post(path("", "jobs"), { domains: ["ten.import.example.com"] });
    assertRefused(worker, 422, "SERVICE_TAKES_NO_DOMAINS");
    const many = await instance.admin.post(path(), { domains: Array.from({ length: 10_002 }, () => "") });
    assertRefused(many, 400, "INVALID_REQUEST");
  });

  it("makes groups whose records Slipway sets, if that is asked for", async () => {
    const domains = ["set.import.example.org"];
    const { body } = await instance.admin.post(path("?autoDns=true&namesPerGroup=1", "api"), { domains });
    const made = await instance.admin.get(
      `/v1/domain-certificate-groups/${body.lines[0].domainCertificateGroupId}`,
    );
    assert.equal(made.body.autoDns, true, made.text);
  });

  it("places names only where their records are set, if that is asked for", async () => {
    const groupOf = async (query: string, name: string): Promise<string> => {
      const { body } = await instance.admin.post(path(query, "api"), { domains: [name] });
      return body.lines[0].domainCertificateGroupId;
    };
    const byHand = await groupOf("", "hand.places.example.org");
    const first = await groupOf("?autoDns=true&dryRun=true", "one.places.example.org");
    assert.notEqual(first, byHand);
    const set = await groupOf("?autoDns=true", "one.places.example.org");
    assert.notEqual(set, byHand);
    assert.equal(await groupOf("?autoDns=true", "two.places.example.org"), set);
  });
});
