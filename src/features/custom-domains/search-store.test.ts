import assert from "node:assert/strict";
import { rm } from "node:fs/promises";
import path from "node:path";
import { after, before, describe, it } from "node:test";
import { copyPgliteTemplate, makeTempDir } from "../../../test/helpers/template.ts";
import { type Database, writeStatement } from "../../db/database.ts";
import { firstRows } from "../../db/page.ts";
import { openPgliteDatabase } from "../../db/drivers/pglite.ts";
import { createDefaultDistribution, findDefaultDistribution } from "../distributions/commands.ts";
import { createOrganization } from "../organizations/commands.ts";
import { type DomainFilter, searchDomains } from "./search-store.ts";
import { warningsOf } from "./warnings.ts";
import { insertProject, insertService } from "./reconcile/testing/rows.ts";

const INSERT_GROUPS = writeStatement(
  "test_insert_groups",
  `INSERT INTO domain_certificate_groups (organization_id, id, service_id, distribution_id, name, is_default_cdn, status)
   SELECT $1, 'group_' || $2 || lpad(i::text, 5, '0'), $3, $4, $2, false, 'ACTIVE' FROM generate_series(1, $5::int) i`,
);
const INSERT_DOMAINS = writeStatement(
  "test_insert_domains",
  `INSERT INTO domains (organization_id, id, group_id, svc_attachment_id, name, type, status)
   SELECT $1, 'dom_' || $2 || lpad(i::text, 5, '0'), 'group_' || $2 || lpad(((i - 1) % $3 + 1)::text, 5, '0'),
          'att_' || $2 || i, $2 || i || '.example.com', 'SUBDOMAIN', 'ATTACHED' FROM generate_series(1, $4::int) i`,
);

const REFUSE_APEX = writeStatement(
  "test_refuse_apex",
  `UPDATE domains SET is_apex_refused = true, status = $3 WHERE organization_id = $1 AND name = $2`,
);

const UNREFUSE_APEX = writeStatement(
  "test_unrefuse_apex",
  `UPDATE domains SET is_apex_refused = false, status = 'ATTACHED' WHERE organization_id = $1 AND name = $2`,
);

/** Of the last domain with this name, a record that was once right if `wasOk`. */
const INSERT_RECORD = writeStatement(
  "test_insert_record",
  `INSERT INTO dns_records (organization_id, id, domain_id, purpose, type, name, value, status, last_check_at, last_ok_at)
   SELECT $1, 'rec_' || id || $3, id, $3, 'CNAME', name, 'x', $4, CASE WHEN $5 THEN now() END, CASE WHEN $6 THEN now() END
     FROM domains WHERE organization_id = $1 AND name = $2`,
);

/** In order of creation: more domains than are looked at first, then those of a service with few groups, and of one with many. */
describe("a search of domains", () => {
  let folder: string;
  let db: Database;
  let organizationId: string;
  let projectId: string;
  const services: Record<"early" | "few" | "many" | "none", string> = {
    early: "",
    few: "",
    many: "",
    none: "",
  };
  before(async () => {
    folder = await makeTempDir("search");
    await copyPgliteTemplate(path.join(folder, "database"));
    db = await openPgliteDatabase({ folder: path.join(folder, "database") });
    organizationId = (
      await db.transaction((tx) => createOrganization(tx, "Test", "test-key-0123456789abcdef"))
    ).organizationId;
    const project = await insertProject(db, organizationId);
    ({ projectId } = project);
    const insert = async (name: keyof typeof services, prefix: string, groups: number, domains: number) => {
      const id = await insertService(db, organizationId, projectId);
      services[name] = id;
      const wanted = { awsAccountId: project.awsAccountId, origin: { kind: "none" } as const };
      await db.transaction((tx) =>
        createDefaultDistribution(tx, { enqueue: async () => undefined }, { organizationId, id }, wanted),
      );
      const distribution = await findDefaultDistribution(db, organizationId, id);
      await db.query(INSERT_GROUPS, [organizationId, prefix, id, distribution?.id ?? "", groups]);
      if (domains > 0) await db.query(INSERT_DOMAINS, [organizationId, prefix, groups, domains]);
    };
    await insert("early", "a", 30, 2_500);
    await insert("few", "b", 3, 7);
    await insert("many", "c", 201, 250);
    await insert("none", "d", 1, 0);
  });
  after(async () => {
    await db.close();
    await rm(folder, { recursive: true });
  });

  const find = async (filter: DomainFilter, page = firstRows(300)): Promise<readonly string[]> =>
    (await searchDomains(db, organizationId, page, filter, null)).map(({ name }) => name);
  const namesOf = (prefix: string, count: number): readonly string[] =>
    Array.from({ length: count }, (_, index) => `${prefix}${index + 1}.example.com`);

  it("finds all of a service with few groups, beyond the domains that are searched first", async () => {
    assert.deepEqual(await find({ serviceId: services.few }), namesOf("b", 7));
    assert.deepEqual(await find({ serviceId: services.few, projectId, name: "b3.example.com" }), [
      "b3.example.com",
    ]);
    assert.deepEqual(await find({ serviceId: services.few, status: "DETACHING" }), []);
    assert.deepEqual(await find({ serviceId: services.few, name: "a1.example.com" }), []);
  });

  it("finds them in pages, either way", async () => {
    const { few: serviceId } = services;
    const asked = { limit: 2, after: "dom_b00002", order: "asc" } as const;
    assert.deepEqual(await find({ serviceId }, asked), namesOf("b", 5).slice(2), "the page, and one more");
    const back = { limit: 2, after: "dom_b00002", order: "desc" } as const;
    assert.deepEqual(await find({ serviceId }, back), ["b1.example.com"]);
  });

  it("finds all of a service, and of a project, with many", async () => {
    assert.deepEqual(await find({ serviceId: services.many }), namesOf("c", 250));
    assert.deepEqual(await find({ projectId, name: "*.example.com" }, { ...firstRows(2), after: "dom_b" }), [
      ...namesOf("b", 3),
    ]);
    assert.deepEqual(await find({ projectId }, { ...firstRows(300), after: "dom_c" }), namesOf("c", 250));
  });

  it("finds all of an environment, few or many", async () => {
    // Environments are called like their projects here.
    assert.equal((await find({ environmentId: projectId }, firstRows(3_000))).length, 2_757);
    assert.deepEqual(await find({ environmentId: "env_none" }), []);
    assert.deepEqual(await find({ environmentId: projectId, serviceId: services.few }), namesOf("b", 7));
  });

  it("finds names by their beginning, beyond the domains that are searched first", async () => {
    assert.deepEqual(await find({ namePrefix: "b" }), namesOf("b", 7));
    assert.deepEqual(await find({ namePrefix: "b7.example.com" }), ["b7.example.com"]);
    assert.deepEqual(await find({ namePrefix: "c25" }), ["c25.example.com", "c250.example.com"]);
    assert.deepEqual(await find({ namePrefix: "c25", name: "c250.example.com" }), ["c250.example.com"]);
    assert.deepEqual(await find({ namePrefix: "c25", serviceId: services.few }), []);
    assert.deepEqual(await find({ namePrefix: "example" }), []);
    assert.deepEqual(await find({ namePrefix: "%" }), []);
    const page = { limit: 1, after: "dom_c00025", order: "asc" } as const;
    assert.deepEqual(await find({ namePrefix: "c25" }, page), ["c250.example.com"]);
  });

  it("finds those with a warning, as the answers show them", async () => {
    for (const [name, purpose, status, isChecked, wasOk] of [
      ["a1.example.com", "CERTIFICATE_DOMAIN_VERIFICATION", "PENDING", true, true],
      ["b1.example.com", "CERTIFICATE_DOMAIN_VERIFICATION", "OK", true, true],
      ["b2.example.com", "SERVICE_CONNECTION", "PENDING", true, false],
      ["b3.example.com", "SERVICE_CONNECTION", "PENDING", true, true],
      ["b4.example.com", "CERTIFICATE_DOMAIN_VERIFICATION", "PENDING", false, false],
      ["c9.example.com", "CERTIFICATE_AUTHORITY_AUTHORIZATION", "PENDING", false, false],
    ] as const)
      await db.query(INSERT_RECORD, [organizationId, name, purpose, status, isChecked, wasOk]);
    const warned = await searchDomains(db, organizationId, firstRows(300), { warning: "ANY" }, null);
    assert.deepEqual(
      warned.map((domain) => [domain.name, ...warningsOf(domain, domain.records).map(({ code }) => code)]),
      [
        ["a1.example.com", "VERIFICATION_RECORD_MISSING"],
        ["b3.example.com", "CONNECTION_RECORD_MISSING"],
        ["c9.example.com", "CAA_REFUSES_RENEWAL"],
      ],
    );
    assert.deepEqual(await find({ warning: "CONNECTION_RECORD_MISSING" }), ["b3.example.com"]);
    assert.deepEqual(await find({ warning: "RENEWAL_UNSAFE" }), ["a1.example.com", "c9.example.com"]);
    assert.deepEqual(await find({ warning: "CAA_REFUSES_RENEWAL", serviceId: services.few }), []);
    assert.deepEqual(await find({ warning: "ANY", namePrefix: "c" }), ["c9.example.com"]);
    assert.deepEqual(await find({ warning: "ANY", status: "DETACHING" }), []);
  });

  it("finds those with the warning of an apex, served or not", async () => {
    for (const [name, status] of [
      ["b1.example.com", "ATTACHED"],
      ["b5.example.com", "PENDING"],
      ["b6.example.com", "DETACHING"],
      ["c10.example.com", "ATTACHED"],
    ] as const)
      await db.query(REFUSE_APEX, [organizationId, name, status]);
    await db.query(INSERT_RECORD, [
      organizationId,
      "c10.example.com",
      "SERVICE_CONNECTION",
      "OK",
      true,
      true,
    ]);
    const warning = "APEX_NOT_SUPPORTED";
    const warned = await searchDomains(db, organizationId, firstRows(300), { warning }, null);
    assert.deepEqual(
      warned.map((domain) => [domain.name, ...warningsOf(domain, domain.records).map(({ code }) => code)]),
      [
        ["b1.example.com", warning],
        ["b5.example.com", warning],
      ],
    );
    assert.deepEqual(await find({ warning, serviceId: services.few, status: "PENDING" }), ["b5.example.com"]);
    const all = ["a1", "b1", "b3", "b5", "c9"].map((label) => `${label}.example.com`);
    assert.deepEqual(await find({ warning: "ANY" }), all);
    for (const label of ["b1", "b5", "b6", "c10"])
      await db.query(UNREFUSE_APEX, [organizationId, `${label}.example.com`]);
  });

  it("finds nothing for a service without domains, nor for an unknown one", async () => {
    assert.deepEqual(await find({ serviceId: services.none }), []);
    assert.deepEqual(await find({ serviceId: "svc_none" }), []);
    assert.deepEqual(await find({ projectId: "proj_none" }), []);
    assert.deepEqual(await find({ serviceId: services.few, projectId: "proj_none" }), []);
  });
});
