/** A1, A5, A10, A13 to A16: what requests are answered, and in which words. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { makeApiDocument } from "../../src/start/api-document.ts";
import { createValidators } from "../../src/http/requests/validation.ts";
import { AppError } from "../../src/lib/errors.ts";
import { CONFIGURATION_SCHEMA } from "../../src/features/configuration/configuration-schema.ts";
import { describePattern, describeSchemaError } from "../../src/lib/json/schema-fault.ts";
import { REPO_URL } from "../guards/authorization-cases.ts";
import type { ApiAnswer } from "../helpers/api-client.ts";
import { type Instance, startInstance } from "../helpers/instance.ts";
import { assertRefused } from "../helpers/problems.ts";
import { clearFaults, setFault } from "../helpers/customers/sandbox-account.ts";
import {
  attach,
  createGroup,
  createProject,
  type Project,
  untilDomain,
  untilGone,
} from "../helpers/customers/scenario.ts";
import { until } from "../helpers/until.ts";

describe("requests", () => {
  let instance: Instance;
  let project: Project;
  let groups: string;
  before(async () => {
    instance = await startInstance();
    project = await createProject(instance.admin, "manners");
    groups = `/v1/services/${project.services["web"]}/domain-certificate-groups`;
  });
  after(() => instance.dispose());

  it("A1: adding domains to a group returns complete domains, as `domains`", async () => {
    const group = await createGroup(instance.admin, project.services["web"], ["www.a1.example.com"]);
    assert.deepEqual(Object.keys(group.createdDomains[0]).toSorted(), ["id", "name"]);
    const names = ["b.a1.example.com", "a.a1.example.com"];
    const path = `/v1/domain-certificate-groups/${group.id}/domains`;
    const added = await instance.admin.post(path, { domains: names });
    assert.equal(added.status, 201, added.text);
    assert.deepEqual(Object.keys(added.body), ["domains"]);
    assert.deepEqual(
      added.body.domains.map(({ name }: { name: string }) => name),
      names,
    );
    const listed = await instance.admin.get(path);
    assert.deepEqual(Object.keys(added.body.domains[0]), Object.keys(listed.body.domains[0]));
  });

  it("A5: names that cannot have a public certificate are refused at once, each with its place", async () => {
    const domains = [
      "xn--a.example.com",
      "a.local",
      "a.internal",
      "test.localhost",
      "a.invalid",
      "www.shop.test",
      "shop.example",
      "a.onion",
      "router.home.arpa",
      "a.alt",
      "www.fine.example.com",
    ];
    const faults = assertRefused(await instance.admin.post(groups, { domains }), 400, "INVALID_REQUEST");
    assert.deepEqual(
      faults,
      domains
        .slice(0, -1)
        .map((_name, index) => `/domains/${index} ${index === 0 ? "NOT_A_DOMAIN" : "SPECIAL_USE"}`)
        .toSorted(),
    );
  });

  it("A10: a givenId that looks like a connection's id is refused, because it could mean another connection", async () => {
    const { admin } = instance;
    const { body: other } = await admin.post("/v1/aws-accounts", { givenId: "other" });
    const { body: own } = await admin.post("/v1/aws-accounts", { givenId: "own" });
    for (const givenId of [other.id, own.id, `aws_${"0".repeat(26)}`]) {
      for (const answer of [
        await admin.post("/v1/aws-accounts", { givenId }),
        await admin.patch(`/v1/aws-accounts/${own.id}`, { givenId }),
      ])
        assert.deepEqual(assertRefused(answer, 400, "INVALID_REQUEST"), ["/givenId INVALID"]);
    }
    assert.equal((await admin.post("/v1/aws-accounts", { givenId: "aws_production" })).status, 201);
  });

  it("A13: a blank name is refused for every resource", async () => {
    const { admin } = instance;
    const config = (name: string, service = "Web") => ({
      environments: [
        {
          id: "p",
          name,
          region: "us-west-2",
          source: { branch: "main", trigger: "manual" },
          services: [{ id: "web", name: service, type: "static", outputDirectory: "public" }],
        },
      ],
    });
    const newProject = (name: string, settings: object) => ({
      name,
      repoUrl: REPO_URL,
      awsAccountId: project.awsAccountId,
      codeSource: { provider: "provider_a" },
      configType: "gui",
      config: settings,
    });
    for (const blank of [" ", "\t\n", "\u00a0\u2003"]) {
      const refused: readonly (readonly [string, Promise<ApiAnswer>])[] = [
        ["/name", admin.post("/v1/projects", newProject(blank, config("P")))],
        ["/config/environments/0/name", admin.post("/v1/projects", newProject("a", config(blank)))],
        [
          "/config/environments/0/services/0/name",
          admin.post("/v1/projects", newProject("a", config("P", blank))),
        ],
        ["/name", admin.patch(`/v1/projects/${project.projectId}`, { name: blank })],
        ["/name", admin.post("/v1/users", { email: "a@example.com", role: "viewer", name: blank })],
        ["/name", admin.post("/v1/api-keys", { name: blank })],
        ["/name", admin.post("/v1/aws-accounts", { givenId: "blank", name: blank })],
        ["/name", admin.post(groups, { domains: ["www.blank.example.com"], name: blank })],
      ];
      for (const [path, asked] of refused) {
        const answer = await asked;
        assert.deepEqual(assertRefused(answer, 400, "INVALID_REQUEST"), [`${path} WRONG_FORM`]);
        assert.match(answer.body.detail, /must not be only white space/);
      }
    }
  });

  it("A14: a refusal because of a deletion says to wait, and how long", async () => {
    const { admin } = instance;
    // While the account is away, a deletion does not finish.
    const group = await createGroup(instance.admin, project.services["web"], ["www.a14.example.com"], true);
    await untilDomain(admin, group.createdDomains[0].id, "AWAITING_VERIFICATION_RECORDS_TO_BE_SET");
    const taken = await admin.post(groups, { domains: ["x.a14.example.com"] });
    assertRefused(taken, 409, "DEFAULT_GROUP_EXISTS");
    assert.match(taken.body.detail, /Add the domains to it/);
    const held = await admin.post(groups, { domains: ["www.a14.example.com"], useDefaultCdn: false });
    assertRefused(held, 409, "DOMAIN_TAKEN");
    assert.equal(held.headers.get("retry-after"), null);
    await setFault(admin, "*", "server-error");
    try {
      assert.equal((await admin.delete(`/v1/domain-certificate-groups/${group.id}`)).status, 202);
      const again = await admin.post(groups, { domains: ["x.a14.example.com"] });
      assertRefused(again, 409, "GROUP_DELETING");
      const elsewhere = await admin.post(groups, { domains: ["www.a14.example.com"], useDefaultCdn: false });
      assertRefused(elsewhere, 409, "DOMAIN_TAKEN");
      const into = await admin.post(`/v1/domain-certificate-groups/${group.id}/domains`, {
        domains: ["y.a14.example.com"],
      });
      assertRefused(into, 409, "GROUP_DELETING");
      for (const answer of [again, elsewhere, into]) {
        assert.match(answer.headers.get("retry-after") ?? "", /^\d+$/);
        assert.match(answer.body.detail, /Wait until it is deleted/);
        assert.doesNotMatch(answer.body.detail, /Add the domains to it|Delete each from its group/);
      }
    } finally {
      await clearFaults(admin);
    }
    await untilGone(admin, `/v1/domain-certificate-groups/${group.id}`);
    await createGroup(instance.admin, project.services["web"], ["www.a14.example.com"], true);
  });

  it("A15: an unknown id in a body is reported with its field", async () => {
    const { admin } = instance;
    const id = "proj_01h455vb4pex5vsknk084sn02q";
    const deployed = await admin.post("/v1/deployments", { repoUrl: REPO_URL, filter: { projectId: id } });
    assertRefused(deployed, 404, "NOT_FOUND");
    assert.match(deployed.body.detail, /filter\.projectId/);
    const key = await admin.post("/v1/api-keys", { name: "a", userId: "user_01h455vb4pex5vsknk084sn02q" });
    assertRefused(key, 404, "NOT_FOUND");
    assert.match(key.body.detail, /\buserId\b/);
  });

  it("A16: a group that serves is ACTIVE, and counts its domains in error; a group that serves none is ERROR", async () => {
    const { admin } = instance;
    const names = Array.from({ length: 10 }, (_, index) => `d${index}.a16.example.com`);
    const group = await attach(admin, project.services["web"], names);
    const path = `/v1/domain-certificate-groups/${group.id}`;
    // The account's certificates take ten names.
    const added = await admin.post(`${path}/domains`, { domains: ["d10.a16.example.com"] });
    await untilDomain(admin, added.body.domains[0].id, "ERROR_ATTACHING");
    const shown = await until(async () => {
      const { body } = await admin.get(path);
      return body.status !== "PROVISIONING" && body.domainsInError > 0 && body;
    }, "the group rests");
    assert.deepEqual([shown.status, shown.domainsInError], ["ACTIVE", 1]);
    const alone = await createGroup(
      instance.admin,
      project.services["web"],
      Array.from({ length: 11 }, (_, index) => `e${index}.a16.example.com`),
    );
    await until(async () => {
      const { body } = await admin.get(`/v1/domain-certificate-groups/${alone.id}`);
      return body.status === "ERROR" && body.domainsInError === 11;
    }, "a group without a served domain is in error");
    const { body: listed } = await admin.get(groups);
    const inList = listed.domainCertificateGroups.find(({ id }: { id: string }) => id === group.id);
    assert.equal(inList.domainsInError, 1);
  });
});

describe("the words of faults", () => {
  type Schema = { readonly [keyword: string]: unknown };

  /** Every schema of requests, with those within. */
  async function listSchemas(): Promise<readonly Schema[]> {
    const found: Schema[] = [];
    const visit = (value: unknown): void => {
      if (typeof value !== "object" || value === null) return;
      if (!Array.isArray(value)) found.push(value as Schema);
      for (const member of Object.values(value)) visit(member);
    };
    visit((await makeApiDocument("https://slipway.test")).components);
    visit((await makeApiDocument("https://slipway.test")).paths);
    visit(CONFIGURATION_SCHEMA);
    return found;
  }

  it("A16: are readable for each keyword of our schemas", async () => {
    const schemas = await listSchemas();
    const wrong: Readonly<Record<string, unknown>> = {
      minLength: "",
      maxLength: "x".repeat(20_000),
      minItems: [],
      maxItems: Array.from({ length: 1_000 }, (_, index) => index),
      minimum: -1e9,
      maximum: 1e9,
      maxProperties: Object.fromEntries(Array.from({ length: 2_000 }, (_, index) => [`a${index}`, ""])),
      pattern: "\u0001 \u0001",
      format: "\u0001",
      enum: "no such word",
      type: Symbol.iterator,
      required: {},
      uniqueItems: [1, 1],
      const: "no such word",
    };
    const seen = new Set<string>();
    for (const [keyword, value] of Object.entries(wrong)) {
      for (const schema of schemas) {
        if (!(keyword in schema) || (typeof schema[keyword] === "object" && !Array.isArray(schema[keyword])))
          continue;
        let said: readonly { message: string }[] = [];
        try {
          createValidators().compile("body", { [keyword]: schema[keyword] })(value);
        } catch (error) {
          if (error instanceof AppError) said = error.faults;
        }
        for (const { message } of said) {
          seen.add(keyword);
          assert.doesNotMatch(
            message,
            /must NOT|fewer than|undefined|\^|\\|keyword|schema/,
            `${keyword}: ${message}`,
          );
          assert.match(message, /^(?:must|is|has|holds) /, `${keyword}: ${message}`);
        }
        if (keyword !== "pattern" && keyword !== "format" && seen.has(keyword)) break;
      }
    }
    for (const keyword of [
      "minLength",
      "maxLength",
      "minItems",
      "maxItems",
      "minimum",
      "maximum",
      "pattern",
      "enum",
    ])
      assert.ok(seen.has(keyword), `nothing was said of ${keyword}`);
  });

  it("A16: explain every pattern and format of our schemas", async () => {
    for (const { pattern, type } of await listSchemas()) {
      if (typeof pattern !== "string" || type === "object") continue;
      assert.doesNotMatch(describePattern(pattern), /[\^$]|must match/, pattern);
    }
    const unknown = describeSchemaError({ keyword: "dependentRequired", instancePath: "", params: {} });
    assert.equal(unknown.message, "is not valid here");
  });

  it("A16: use the right singular and plural", () => {
    const say = (keyword: string, limit: number) =>
      describeSchemaError({ keyword, instancePath: "/a", params: { limit } }).message;
    assert.equal(say("minItems", 1), "must have at least one item");
    assert.equal(say("minItems", 2), "must have at least 2 items");
    assert.equal(say("minLength", 1), "must not be empty");
    assert.equal(say("minLength", 24), "must have at least 24 characters");
    assert.equal(say("maxItems", 100), "must have at most 100 items");
    assert.equal(say("minimum", 1), "must be 1 or more");
    assert.equal(say("maximum", 100), "must be 100 or less");
  });
});
