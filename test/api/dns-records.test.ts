import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { createGroup, createProject, type Project, untilDomain } from "../helpers/customers/scenario.ts";
import { type Instance, startInstance } from "../helpers/instance.ts";

const NAMES = ["a.records.example.com", "b.records.example.com", "c.records.example.com"];

describe("the DNS records of a project", () => {
  let instance: Instance;
  let project: Project;
  before(async () => {
    instance = await startInstance();
    project = await createProject(instance.admin, "records");
    const { createdDomains } = await createGroup(instance.admin, project.services["web"], NAMES, true);
    for (const { id } of createdDomains)
      await untilDomain(instance.admin, id, "AWAITING_VERIFICATION_RECORDS_TO_BE_SET");
  });
  after(() => instance.dispose());

  const get = (query: string, accept = "*/*") =>
    instance.admin.get(`/v1/projects/${project.projectId}/dns-records${query}`, { accept });

  it("are listed with their domains, page by page", async () => {
    const first = await get(`?limit=${NAMES.length}`);
    const second = await get(`?limit=${NAMES.length}&cursor=${first.body.nextCursor}`);
    const all = [...first.body.dnsRecords, ...second.body.dnsRecords];
    assert.deepEqual(new Set(all.map(({ domain }) => domain)), new Set(NAMES));
    assert.equal(second.body.nextCursor, null);
    const { body } = await instance.admin.get(`/v1/domains/${all[0].domainId}`);
    const { id: _, domainId: __, domain: ___, lastPropagationCheckAt: ____, ...shown } = all[0];
    const { lastPropagationCheckAt: _____, ...own } = body.dnsRecords[0];
    assert.deepEqual({ ...shown, ...CHECK }, { ...own, ...CHECK });
  });

  it("are a file by the format, or by what the client accepts", async () => {
    const csv = await get("?format=csv&limit=1");
    assert.equal(csv.headers.get("content-type"), "text/csv; charset=utf-8");
    assert.equal(csv.text.split("\r\n").length, 1 + 2 * NAMES.length + 1);
    assert.match(csv.text, /^domain,status,type,name,value,purpose\r\na\.records/);
    assert.equal((await get("", "text/csv")).text, csv.text);
    const zone = await get("", "text/dns");
    assert.match(zone.text, /^_[^ ]+\.a\.records\.example\.com\.\t300\tIN\tCNAME\t_\S+\.\n/);
    assert.equal((await get("?format=zone")).text, zone.text);
    assert.equal((await get("?format=json", "text/csv")).body.dnsRecords.length, 2 * NAMES.length);
  });

  it("are those of one project", async () => {
    const other = await createProject(instance.admin, "none");
    const path = `/v1/projects/${other.projectId}/dns-records`;
    assert.deepEqual((await instance.admin.get(path)).body.dnsRecords, []);
    assert.equal((await instance.admin.get(`${path}?format=zone`)).text, "");
  });
});

/** The worker looks again between two reads. */
const CHECK = { lastPropagationCheckValue: null, lastPropagationCheckError: null };
