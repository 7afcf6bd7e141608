/** The timeline of a domain: its entries, its pages in both orders, and who may read it. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import {
  createGroup,
  createProject,
  type Project,
  setDnsRecords,
  untilDomain,
} from "../helpers/customers/scenario.ts";
import { type Instance, startInstance } from "../helpers/instance.ts";
import { assertRefused } from "../helpers/problems.ts";
import { until } from "../helpers/until.ts";
import { createUserClient } from "../helpers/users.ts";

const NAME = "www.timeline.example.com";

type Entry = {
  readonly id: string;
  readonly kind: string;
  readonly summary: string;
  readonly action: string | null;
  readonly recordName: string | null;
  readonly eventType: string;
  readonly occurredAt: string;
  readonly actor: { readonly kind: string };
};

describe("the timeline of a domain", () => {
  let instance: Instance;
  let project: Project;
  let id: string;
  let groupId: string;
  before(async () => {
    instance = await startInstance({ withOtherOrganization: true });
    project = await createProject(instance.admin, "timeline");
  });
  after(() => instance.dispose());

  const read = async (
    query = "",
  ): Promise<{ timelineEntries: readonly Entry[]; nextCursor: string | null }> => {
    const { status, body, text } = await instance.admin.get(`/v1/domains/${id}/timeline${query}`);
    assert.equal(status, 200, text);
    return body;
  };
  const kindsOf = (entries: readonly Entry[]) => entries.map(({ kind }) => kind);
  /** Requests checks of the records until the timeline has `times` entries of a kind. */
  const untilKind = (kind: string, times = 1) =>
    until(async () => {
      await instance.admin.post(`/v1/domains/${id}/check`);
      const { timelineEntries: entries } = await read("?limit=100");
      return kindsOf(entries).filter((one) => one === kind).length >= times && entries;
    }, `${kind} in the timeline`);

  it("says what happened from the first record to a lost and restored one, each once", async () => {
    const group = await createGroup(instance.admin, project.services["web"], [NAME]);
    groupId = group.id;
    ({ id } = group.createdDomains[0]);
    const waiting = await untilDomain(instance.admin, id, "AWAITING_VERIFICATION_RECORDS_TO_BE_SET");
    const [verification, connection] = waiting.dnsRecords;
    const wrong = { name: connection.name, type: connection.type, values: ["elsewhere.example.net"] };
    await instance.admin.put("/sandbox/dns/records", wrong);
    await untilKind("RECORD_WRONG");
    // The same problem again has no entry, also with another value.
    await instance.admin.put("/sandbox/dns/records", { ...wrong, values: ["other.example.net"] });
    await until(async () => {
      await instance.admin.post(`/v1/domains/${id}/check`);
      const { dnsRecords } = (await instance.admin.get(`/v1/domains/${id}`)).body;
      return dnsRecords[1].lastPropagationCheckValue === "other.example.net";
    }, "the other value");
    await setDnsRecords(instance.admin, { dnsRecords: [verification] });
    await untilDomain(instance.admin, id, "ATTACHED");
    await setDnsRecords(instance.admin, waiting);
    await untilKind("RECORD_FOUND", 2);
    await instance.admin.delete("/sandbox/dns/records", { name: connection.name, type: connection.type });
    await untilKind("RECORD_LOST");
    await setDnsRecords(instance.admin, waiting);
    const entries = await untilKind("RECORD_FOUND", 3);
    assert.equal(kindsOf(entries).filter((kind) => kind === "RECORD_WRONG").length, 1);
    const order = [
      "DOMAIN_ADDED",
      "RECORD_REQUIRED",
      "RECORD_WRONG",
      "RECORD_FOUND",
      "CERTIFICATE_ISSUED",
      "ATTACHED",
      "RECORD_LOST",
    ];
    assert.deepEqual(
      [...new Set(kindsOf(entries))].filter((kind) => order.includes(kind)),
      order,
    );
    const summaries = entries.map(({ summary }) => summary);
    for (const sentence of [
      "The domain was added.",
      "Found elsewhere.example.net in place of the connection record.",
      "The verification record is set.",
      "The domain is served over HTTPS.",
      "The connection record is no longer set.",
      "Visitors reach the service again.",
    ])
      assert.ok(summaries.includes(sentence), `${sentence} in ${summaries.join("\n")}`);
    const found = entries.find(({ kind }) => kind === "RECORD_WRONG");
    assert.equal(found?.eventType, "domain.record_wrong");
    assert.ok(found?.action?.startsWith("Set a CNAME from"), "it says what to do");
    assert.equal(entries[0]?.actor.kind, "user");
    assert.ok(entries.every(({ kind }) => kind !== "OTHER"));
  });

  it("comes in pages, oldest or newest first", async () => {
    const { timelineEntries: all } = await read("?limit=100");
    for (const [order, expected] of [
      ["asc", all],
      ["desc", all.toReversed()],
    ] as const) {
      const found: Entry[] = [];
      for (let cursor: string | null = ""; cursor !== null;) {
        const page = await read(`?limit=3&order=${order}${cursor === "" ? "" : `&cursor=${cursor}`}`);
        assert.ok(page.timelineEntries.length <= 3);
        found.push(...page.timelineEntries);
        cursor = page.nextCursor;
      }
      assert.deepEqual(found, expected);
    }
  });

  it("has only what concerns the domain, not the others of its group", async () => {
    const added = await instance.admin.post(`/v1/domain-certificate-groups/${groupId}/domains`, {
      domains: ["late.timeline.example.com"],
    });
    const [{ id: late }] = added.body.domains;
    const timeline = async () =>
      (await instance.admin.get(`/v1/domains/${late}/timeline`)).body.timelineEntries;
    await until(async () => (await timeline()).length > 0, "the first entry");
    assert.ok(
      !kindsOf(await timeline()).includes("CERTIFICATE_ISSUED"),
      "the certificate does not cover it yet",
    );
  });

  it("is of the domain's project: others find no such domain", async () => {
    assertRefused(await instance.other.get(`/v1/domains/${id}/timeline`), 404, "NOT_FOUND");
    const viewer = await createUserClient(instance.admin, "viewer");
    assert.equal((await viewer.get(`/v1/domains/${id}/timeline`)).status, 200);
    const shown = await instance.admin.put(`/v1/projects/${project.projectId}/access`, { access: "members" });
    assert.equal(shown.status, 200, shown.text);
    const answer = await until(async () => {
      const later = await viewer.get(`/v1/domains/${id}/timeline`);
      return later.status !== 200 && later;
    }, "the project of members only");
    assertRefused(answer, 404, "NOT_FOUND");
  });
});
