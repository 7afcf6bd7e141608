/**
 * Holds every endpoint that takes a body to refusing a wrong one with all its faults at once. What each
 * needs and takes comes from `/openapi.json`, so that a new endpoint is held to it too; the kinds that a
 * schema cannot say so shortly are in the table.
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { resolveReferences } from "../helpers/document/api-document.ts";
import { type Instance, startInstance } from "../helpers/instance.ts";
import { assertRefused } from "../helpers/problems.ts";
import { createProject, type Project } from "../helpers/customers/scenario.ts";

type Schema = {
  readonly type?: string | readonly string[];
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
};

type Write = "post" | "put" | "patch" | "delete";
type Operation = { readonly method: Write; readonly path: string; readonly schema: Schema };

type Case = {
  readonly method: Write;
  readonly path: string;
  readonly bodies: Readonly<Record<string, readonly [body: unknown, faults: readonly string[]]>>;
};

const WRONG_USER = { email: "no-address", name: "", role: "owner", gitLogin: "" };
const LONG_USER = { email: `${"a".repeat(250)}@b.example`, name: "n".repeat(201), gitLogin: "g".repeat(101) };
const WRONG_ACCOUNT = { name: "", givenId: "-a b" };
const LONG_ACCOUNT = { name: "n".repeat(201), givenId: "g".repeat(61) };

const userFaults = ["/email WRONG_FORM", "/gitLogin TOO_SMALL", "/name TOO_SMALL", "/role NOT_ALLOWED"];
const accountFaults = ["/givenId WRONG_FORM", "/name TOO_SMALL"];
const tooLong = (...fields: readonly string[]) => fields.map((field) => `/${field} TOO_LARGE`);

const domainBodies: Case["bodies"] = {
  "names that no certificate may have, and one twice": [
    {
      domains: [
        "co.uk",
        "a_b.example.com",
        "localhost",
        "127.0.0.1",
        "a.*.example.com",
        "a.example.com",
        "A.example.com.",
      ],
    },
    [
      "/domains/0 PUBLIC_SUFFIX",
      "/domains/1 UNDERSCORE",
      "/domains/2 SINGLE_LABEL",
      "/domains/3 IP_ADDRESS",
      "/domains/4 WILDCARD_MISPLACED",
      "/domains/6 DUPLICATE",
    ],
  ],
  "names that are too long, addresses and values that are not text": [
    { domains: [`${"a".repeat(64)}.example.com`, "a.".repeat(130), "https://a.example.com", 7, ""] },
    [
      "/domains/0 LABEL_TOO_LONG",
      "/domains/1 TOO_LONG",
      "/domains/2 NOT_A_DOMAIN",
      "/domains/3 WRONG_TYPE",
      "/domains/4 TOO_SMALL",
    ],
  ],
  "no names": [{ domains: [] }, ["/domains TOO_SMALL"]],
  "more names than fit": [
    { domains: Array.from({ length: 101 }, (_, index) => `n${index}.example.com`) },
    ["/domains TOO_LARGE"],
  ],
};

const variableBodies: Case["bodies"] = {
  "groups and values of wrong types": [
    { plainText: [], parameterStore: { A: 1 }, fromService: { B: "x", C: { id: 1, other: 2 } }, secrets: {} },
    [
      "/fromService/B WRONG_TYPE",
      "/fromService/C/id WRONG_TYPE",
      "/fromService/C/other UNKNOWN_FIELD",
      "/fromService/C/value REQUIRED",
      "/parameterStore/A WRONG_TYPE",
      "/plainText WRONG_TYPE",
      "/secrets UNKNOWN_FIELD",
    ],
  ],
  "names, sizes and references that cannot be, and a name in two groups": [
    {
      plainText: { "1ST": "", "A/B": "", TWICE: "", BIG: "é".repeat(16_385) },
      parameterStore: { EMPTY: "", BIG_SECRET: "x".repeat(4_097) },
      secretsManager: { TWICE: "x", BIGGER: "x".repeat(65_537) },
      fromParameterStore: { PLACE: "/with space" },
      fromSecretsManager: { SECRET: "arn:aws:s3:::bucket" },
    },
    [
      "/fromParameterStore/PLACE WRONG_FORM",
      "/fromSecretsManager/SECRET WRONG_FORM",
      "/parameterStore/BIG_SECRET TOO_LARGE",
      "/parameterStore/EMPTY TOO_SMALL",
      "/plainText/1ST WRONG_FORM",
      "/plainText/A~1B WRONG_FORM",
      "/plainText/BIG TOO_LARGE",
      "/plainText/TWICE DUPLICATE",
      "/secretsManager/BIGGER TOO_LARGE",
      "/secretsManager/TWICE DUPLICATE",
    ],
  ],
};

/** What they are about need not exist, for the body is looked at first. */
const CASES: readonly Case[] = [
  {
    method: "post",
    path: "/v1/users",
    bodies: {
      "fields that cannot be": [WRONG_USER, userFaults],
      "fields that are too long": [{ ...LONG_USER, role: "viewer" }, tooLong("email", "gitLogin", "name")],
    },
  },
  {
    method: "patch",
    path: "/v1/users/nobody",
    bodies: {
      "fields that cannot be": [WRONG_USER, userFaults],
      "fields that are too long": [LONG_USER, tooLong("email", "gitLogin", "name")],
      "null where there is no null": [{ name: null, gitLogin: null }, ["/name WRONG_TYPE"]],
    },
  },
  {
    method: "post",
    path: "/v1/api-keys",
    bodies: {
      "a name that is empty": [{ name: "", userId: 1 }, ["/name TOO_SMALL", "/userId WRONG_TYPE"]],
      "a name that is too long": [{ name: "n".repeat(201) }, tooLong("name")],
    },
  },
  {
    method: "post",
    path: "/v1/workload-trusts",
    bodies: {
      "fields that cannot be": [
        {
          name: " ",
          userId: 1,
          issuer: "ftp://issuer.example",
          audience: "",
          conditions: { "a b": "x", sub: "", ref: 1 },
          scopes: [],
        },
        [
          "/audience TOO_SMALL",
          "/conditions/a b INVALID",
          "/conditions/ref WRONG_TYPE",
          "/conditions/sub TOO_SMALL",
          "/issuer INVALID",
          "/name WRONG_FORM",
          "/scopes TOO_SMALL",
          "/userId WRONG_TYPE",
        ],
      ],
    },
  },
  {
    method: "post",
    path: "/v1/aws-accounts",
    bodies: {
      "fields that cannot be": [WRONG_ACCOUNT, accountFaults],
      "fields that are too long": [LONG_ACCOUNT, tooLong("givenId", "name")],
    },
  },
  {
    method: "patch",
    path: "/v1/aws-accounts/nobody",
    bodies: {
      "fields that cannot be": [WRONG_ACCOUNT, accountFaults],
      "fields that are too long": [LONG_ACCOUNT, tooLong("givenId", "name")],
    },
  },
  {
    method: "post",
    path: "/v1/services/nobody/domain-certificate-groups",
    bodies: {
      ...domainBodies,
      "fields that cannot be beside the names": [
        { domains: ["localhost"], name: "", useDefaultCdn: "no" },
        ["/domains/0 SINGLE_LABEL", "/name TOO_SMALL", "/useDefaultCdn WRONG_TYPE"],
      ],
    },
  },
  { method: "post", path: "/v1/domain-certificate-groups/nobody/domains", bodies: domainBodies },
  { method: "post", path: "/v1/environments/nobody/env-variables", bodies: variableBodies },
  { method: "post", path: "/v1/services/nobody/env-variables", bodies: variableBodies },
  { method: "put", path: "/v1/environments/nobody/env-variables", bodies: variableBodies },
  { method: "put", path: "/v1/services/nobody/env-variables", bodies: variableBodies },
  {
    method: "put",
    path: "/sandbox/dns/records",
    bodies: {
      "fields that cannot be": [
        { name: "", type: "MX", values: [], ttl: 1.5, extra: 1 },
        [
          "/extra UNKNOWN_FIELD",
          "/name TOO_SMALL",
          "/ttl WRONG_TYPE",
          "/type NOT_ALLOWED",
          "/values TOO_SMALL",
        ],
      ],
    },
  },
  {
    method: "delete",
    path: "/sandbox/dns/records",
    bodies: {
      nothing: [{}, ["/name REQUIRED", "/type REQUIRED"]],
      "fields that cannot be": [{ name: 1, type: "MX" }, ["/name WRONG_TYPE", "/type NOT_ALLOWED"]],
    },
  },
  {
    method: "post",
    path: "/sandbox/stacks",
    bodies: {
      nothing: [{}, ["/ServiceId REQUIRED"]],
      "a wrong id and a field more": [
        { ServiceId: "a b", extra: 1 },
        ["/ServiceId WRONG_FORM", "/extra UNKNOWN_FIELD"],
      ],
    },
  },
  {
    method: "put",
    path: "/sandbox/faults",
    bodies: {
      nothing: [{}, ["/kind REQUIRED", "/operation REQUIRED"]],
      "fields that cannot be": [
        { operation: "nope", kind: "x", rate: 2, count: 0 },
        ["/count TOO_SMALL", "/kind NOT_ALLOWED", "/operation NOT_ALLOWED", "/rate TOO_LARGE"],
      ],
    },
  },
];

/** The first of several fields, one of which is required. */
const ONE_OF: Readonly<Record<string, readonly string[]>> = {
  "post /v1/services/nobody/domains/import": ["domains"],
};

describe("an invalid body", () => {
  let instance: Instance;
  let project: Project;
  before(async () => {
    instance = await startInstance();
    project = await createProject(instance.admin, "invalid");
  });
  after(() => instance.dispose());

  const refuse = async (method: Write, path: string, body: unknown): Promise<readonly string[]> =>
    assertRefused(await instance.admin[method](path, body), 400, "INVALID_REQUEST");

  it("of each endpoint is refused with every wrong, unknown and missing field at once", async () => {
    const operations = await listOperations(instance);
    assert.ok(operations.length >= 11);
    for (const { method, path, schema } of operations) {
      const name = `${method} ${path}`;
      const properties = Object.entries(schema.properties ?? {});
      assert.ok(properties.length > 0, `${name} documents its fields`);

      const missing = await refuse(method, path, { nonsense: 1, "a/b~c": 1 });
      const required = [...(schema.required ?? []), ...(ONE_OF[name] ?? [])].map(
        (field) => `/${field} REQUIRED`,
      );
      const unknown = ["/nonsense UNKNOWN_FIELD", "/a~1b~0c UNKNOWN_FIELD"];
      assert.deepEqual(missing, [...required, ...unknown].toSorted(), name);

      const wrong = Object.fromEntries(properties.map(([field, { type }]) => [field, otherThan(type)]));
      const faults = await refuse(method, path, { ...wrong, nonsense: 1 });
      for (const [field] of properties)
        assert.ok(faults.includes(`/${field} WRONG_TYPE`), `${name}: ${field}`);
      assert.ok(faults.includes("/nonsense UNKNOWN_FIELD"), name);
    }
  });

  it("that is not an object is refused by each endpoint", async () => {
    for (const { method, path } of await listOperations(instance)) {
      for (const body of ["[]", '"text"', "7", "true"]) {
        assert.deepEqual(await refuse(method, path, body), [" WRONG_TYPE"], `${method} ${path} ${body}`);
      }
      assert.deepEqual(await refuse(method, path, "null"), [" REQUIRED"], `${method} ${path} null`);
    }
  });

  for (const { method, path, bodies } of CASES) {
    for (const [name, [body, faults]] of Object.entries(bodies)) {
      it(`of ${method.toUpperCase()} ${path} with ${name} is refused`, async () => {
        assert.deepEqual(await refuse(method, path, body), faults);
      });
    }
  }

  it("with invalid links to services is refused, with each of them", async () => {
    const { web, jobs } = project.services;
    const links = {
      NOBODY: { id: "svc_nobody", value: "url" },
      ITSELF: { id: web, value: "url" },
      OF_WORKER: { id: jobs, value: "url" },
    };
    const path = `/v1/services/${web}/env-variables`;
    assert.deepEqual(await refuse("post", path, { fromService: links }), [
      "/fromService/ITSELF/id SELF_REFERENCE",
      "/fromService/NOBODY/id UNKNOWN_SERVICE",
      "/fromService/OF_WORKER/value NOT_ALLOWED",
    ]);
    const port = { fromService: { PORT: { id: web, value: "port" } } };
    assert.deepEqual(await refuse("post", `/v1/environments/${project.environmentId}/env-variables`, port), [
      "/fromService/PORT/value NOT_ALLOWED",
    ]);
  });
});

/** The endpoints that take a body, with paths of missing resources. */
async function listOperations(instance: Instance): Promise<readonly Operation[]> {
  const answer = await instance.admin.get("/openapi.json");
  const paths: Record<
    string,
    Record<string, { requestBody?: { content: Record<string, { schema: Schema }> } }>
  > = (resolveReferences(answer.body) as { paths: never }).paths;
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, { requestBody }]) => {
      const schema = requestBody?.content["application/json"]?.schema;
      if (schema === undefined) return [];
      return [{ method: method as Write, path: path.replaceAll(/\{\w+\}/g, "nobody"), schema }];
    }),
  );
}

/** A value of another type. */
function otherThan(type: Schema["type"]): unknown {
  return [type].flat().includes("string") ? { no: "text" } : "text";
}
