import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Ajv } from "ajv";
import * as fc from "fast-check";
import { type Configuration, ConfigurationError, createConfigurationParser } from "./configuration.ts";
import { CONFIGURATION_SCHEMA } from "./configuration-schema.ts";

const parse = createConfigurationParser(null);
const CLOUD = {
  kind: "aws",
  sleeps: true,
  keepsLogsByDays: true,
  scalesInstances: true,
  buildsDockerfiles: true,
  runsImages: true,
  joinsValues: true,
  createsStores: [],
  sizesStores: true,
} as const;

type Json = { [name: string]: unknown };

const site = { id: "web", type: "static", outputDirectory: "public" };
const api = { id: "api", type: "web", startCommand: "node server.js", port: 3000 };
const jobs = { id: "jobs", type: "worker", startCommand: "node jobs.js" };
const shop = { id: "shop", type: "external", hostname: "shop.example.com" };

function environment(services: readonly Json[], more: Json = {}): Json {
  return { id: "production", region: "us-west-2", source: { branch: "main" }, services, ...more };
}

function config(services: readonly Json[], more: Json = {}): Json {
  return { environments: [environment(services, more)] };
}

/** `path code`, in the order reported. */
function faultsOf(value: unknown, parser = parse): readonly string[] {
  try {
    parser(value);
    return [];
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    return error.faults.map(({ path, code }) => `${path} ${code}`);
  }
}

const S = "/environments/0/services";

describe("a configuration", () => {
  it("is read with the defaults of each type filled in", () => {
    const { environments, variables } = parse(config([site, api, jobs, shop]));
    assert.deepEqual(variables, []);
    assert.deepEqual(environments, [
      {
        id: "production",
        name: "production",
        region: "us-west-2",
        branch: "main",
        trigger: "manual",
        watchPaths: [],
        report: "comment",
        variables: [],
        template: null,
        services: [
          {
            id: "web",
            name: "web",
            type: "static",
            settings: { dependsOn: [], outputDirectory: "public" },
            variables: [],
          },
          {
            id: "api",
            name: "api",
            type: "web",
            settings: {
              dependsOn: [],
              startCommand: "node server.js",
              port: 3000,
              cpu: 0.25,
              memoryGb: 0.5,
              minInstances: 1,
              maxInstances: 1,
              healthCheckPath: "/",
            },
            variables: [],
          },
          {
            id: "jobs",
            name: "jobs",
            type: "worker",
            settings: {
              dependsOn: [],
              startCommand: "node jobs.js",
              cpu: 0.25,
              memoryGb: 0.5,
              minInstances: 1,
              maxInstances: 1,
            },
            variables: [],
          },
          {
            id: "shop",
            name: "shop",
            type: "external",
            settings: { dependsOn: [], hostname: "shop.example.com" },
            variables: [],
          },
        ],
      },
    ] satisfies Configuration["environments"]);
  });

  it("takes a variable as text or as one of three references", () => {
    const envVariables = {
      TEXT: "",
      URL: { fromService: { id: "web", value: "url" } },
      PARAMETER: { fromParameterStore: "/app/key" },
      SECRET: { fromSecretsManager: "arn:aws:secretsmanager:us-west-2:111122223333:secret:app" },
    };
    const read = parse(config([site], { envVariables })).environments[0]?.variables;
    assert.deepEqual(read, [
      { name: "TEXT", value: { kind: "plainText", value: "" } },
      { name: "URL", value: { kind: "fromService", serviceConfigId: "web", property: "url" } },
      { name: "PARAMETER", value: { kind: "fromParameterStore", reference: "/app/key" } },
      {
        name: "SECRET",
        value: {
          kind: "fromSecretsManager",
          reference: "arn:aws:secretsmanager:us-west-2:111122223333:secret:app",
        },
      },
    ]);
  });

  describe("the domain of previews", () => {
    const templateOf = (domain: string, id = "preview") => ({
      id,
      region: "us-west-2",
      source: { branch: "main", pr: true, previews: { domain } },
      services: [site],
    });
    const faultsOf = (environments: readonly object[], parser = parse): readonly string[] => {
      try {
        parser({ environments });
        return [];
      } catch (error) {
        assert.ok(error instanceof ConfigurationError);
        return error.faults.map(({ path, code }) => `${path.replace(/^.environments/, "")} ${code}`);
      }
    };
    const AT = "/0/source/previews/domain";

    it("is a rule of the template", () => {
      const [template] = parse({ environments: [templateOf("preview.example.com")] }).environments;
      assert.equal(template?.template?.rules.domain, "preview.example.com");
    });

    const rows: readonly (readonly [string, string])[] = [
      ["*.preview.example.com", "WRONG_FORM"],
      ["Preview.example.com", "WRONG_FORM"],
      ["preview.example.com.", "WRONG_FORM"],
      ["https://preview.example.com", "NOT_A_DOMAIN"],
      ["co.uk", "PUBLIC_SUFFIX"],
      ["preview.test", "SPECIAL_USE"],
      [`${"a".repeat(60)}.${"b".repeat(60)}.${"c".repeat(60)}.example.com`, "TOO_LARGE"],
    ];
    for (const [domain, code] of rows)
      it(`is refused as ${code} for ${domain.slice(0, 30)}`, () =>
        assert.deepEqual(faultsOf([templateOf(domain)]), [`${AT} ${code}`]));

    it("belongs to one template", () =>
      assert.deepEqual(faultsOf([templateOf("p.example.com"), templateOf("p.example.com", "other")]), [
        "/1/source/previews/domain DUPLICATE",
      ]));
  });

  it("lets previews sleep where the cloud can do that, after 5 minutes at the earliest", () => {
    const templateOf = (sleepAfterMinutes: unknown) =>
      config([site], { source: { branch: "main", pr: true, previews: { sleepAfterMinutes } } });
    const at = "/environments/0/source/previews/sleepAfterMinutes";
    assert.equal(parse(templateOf(5)).environments[0]?.template?.rules.sleepAfterMinutes, 5);
    assert.deepEqual(faultsOf(templateOf(4)), [`${at} TOO_SMALL`]);
    assert.deepEqual(faultsOf(templateOf(10_081)), [`${at} TOO_LARGE`]);
    const onAws = createConfigurationParser({ ...CLOUD, sleeps: false });
    assert.deepEqual(faultsOf(templateOf(5), onAws), [`${at} NOT_ALLOWED`]);
  });

  it("has days for logs, and a path and a context of the Dockerfile, only in a cloud that can", () => {
    const faultsWith = (settings: object, cloud: object = {}) =>
      faultsOf(config([{ ...api, ...settings }]), createConfigurationParser({ ...CLOUD, ...cloud }));
    const settings = { logRetentionDays: 365, dockerfilePath: "docker/api.Dockerfile", dockerContext: "." };
    assert.deepEqual(faultsWith(settings), []);
    assert.deepEqual(faultsWith({ logRetentionDays: 366 }), [`${S}/0/logRetentionDays NOT_ALLOWED`]);
    assert.deepEqual(faultsWith({ dockerfilePath: "../Dockerfile" }), [`${S}/0/dockerfilePath WRONG_FORM`]);
    assert.deepEqual(faultsWith({ dockerContext: "apps/web" }), []);
    for (const dockerContext of ["..", "./web", "web/", "/web", "", "a b"])
      assert.deepEqual(faultsWith({ dockerContext }), [`${S}/0/dockerContext WRONG_FORM`]);
    assert.deepEqual(
      faultsWith(settings, { kind: "host", keepsLogsByDays: false, buildsDockerfiles: false }),
      ["logRetentionDays", "dockerfilePath", "dockerContext"].map((name) => `${S}/0/${name} NOT_ALLOWED`),
    );
  });

  it("runs an image instead of a build, with its own command, only in a cloud that can", () => {
    const { startCommand, ...own } = api;
    const faultsWith = (settings: Json, cloud: object = {}) =>
      faultsOf(config([{ ...own, ...settings }]), createConfigurationParser({ ...CLOUD, ...cloud }));
    const digest = `sha256:${"a".repeat(64)}`;
    const images = ["nginx", "acme/api:1.4", "ghcr.io/acme/api", `ghcr.io/acme/api:1.4@${digest}`];
    for (const image of [
      ...images,
      `localhost:5000/a/b/c@${digest}`,
      "123456789012.dkr.ecr.us-west-2.amazonaws.com/a:1",
    ])
      assert.deepEqual(faultsWith({ image }), [], image);
    for (const image of [
      "",
      "https://ghcr.io/a",
      "Acme/api",
      "a:",
      "a@sha256:1",
      "a b",
      "a//b",
      "a/../b",
      ":1",
    ])
      assert.deepEqual(faultsWith({ image }), [`${S}/0/image WRONG_FORM`], image);
    assert.deepEqual(faultsWith({ image: "nginx", startCommand }), []);
    assert.deepEqual(faultsWith({}), [`${S}/0/startCommand REQUIRED`]);
    const build = { installCommand: "a", buildCommand: "a", dockerfilePath: "a", dockerContext: "." };
    const place = { basePath: "a", watchPaths: ["a"] };
    assert.deepEqual(
      faultsWith({ image: "nginx", ...build, ...place }),
      Object.keys({ ...build, ...place }).map((name) => `${S}/0/${name} NOT_ALLOWED`),
    );
    assert.deepEqual(faultsWith({ image: "nginx" }, { kind: "host", runsImages: false }), [
      `${S}/0/image NOT_ALLOWED`,
    ]);
  });

  it("scales only in a cloud that can, between two different numbers, and a worker not by requests", () => {
    const faultsWith = (settings: Json, cloud: object = {}) =>
      faultsOf(config([settings]), createConfigurationParser({ ...CLOUD, ...cloud }));
    const autoscaling = { cpuThreshold: 60, memoryThreshold: 75, requestsPerTarget: 1_000 };
    const scaled = { ...api, minInstances: 1, maxInstances: 4, autoscaling };
    const at = `${S}/0/autoscaling`;
    assert.deepEqual(faultsWith(scaled), []);
    assert.deepEqual(parse(config([scaled])).environments[0]?.services[0]?.settings, {
      ...parse(config([{ ...api, maxInstances: 4 }])).environments[0]?.services[0]?.settings,
      autoscaling,
    });
    assert.deepEqual(faultsWith({ ...scaled, maxInstances: 1 }), [`${at} NOT_ALLOWED`]);
    assert.deepEqual(faultsWith({ ...api, autoscaling }), [`${at} NOT_ALLOWED`]);
    assert.deepEqual(faultsWith({ ...scaled, autoscaling: {} }), [`${at} INVALID`]);
    assert.deepEqual(faultsWith({ ...scaled, autoscaling: { cpuThreshold: 101 } }), [
      `${at}/cpuThreshold TOO_LARGE`,
    ]);
    assert.deepEqual(faultsWith({ ...jobs, maxInstances: 4, autoscaling }), [
      `${at}/requestsPerTarget UNKNOWN_FIELD`,
    ]);
    assert.deepEqual(faultsWith(scaled, { kind: "sandbox", scalesInstances: false }), [`${at} NOT_ALLOWED`]);
  });

  it("has private services, which have the settings of web services", () => {
    const hidden = { ...api, type: "web-private" };
    const [read] = parse(config([hidden])).environments[0]?.services ?? [];
    const [ofWeb] = parse(config([api])).environments[0]?.services ?? [];
    assert.deepEqual(read, { ...ofWeb, type: "web-private" });
    const linked = { ...jobs, envVariables: { PORT: { fromService: { id: api.id, value: "port" } } } };
    assert.deepEqual(faultsOf(config([hidden, linked])), []);
    assert.deepEqual(faultsOf(config([{ ...hidden, hostname: "a.example.com" }])), [
      `${S}/0/hostname UNKNOWN_FIELD`,
    ]);
  });

  it("has commands that are lists of words, as long as a line may be", () => {
    const words = ["node", "it's $HOME", "", "@/%#", "two\nlines"];
    const written = { ...api, startCommand: words, preDeployCommand: ["true"] };
    assert.deepEqual(parse(config([written])).environments[0]?.services[0]?.settings, {
      ...parse(config([api])).environments[0]?.services[0]?.settings,
      startCommand: words,
      preDeployCommand: ["true"],
    });
    const faultsWith = (command: unknown) =>
      ["startCommand", "preDeployCommand"].map((name) =>
        faultsOf(config([{ ...api, [name]: command }])).map((fault) => fault.replace(`${S}/0/${name}`, "")),
      );
    for (const [command, ...faults] of [
      [[], " WRONG_FORM"],
      [["node", 5], " WRONG_FORM"],
      [5, " WRONG_FORM"],
      [["", "a"], "/0 WRONG_FORM"],
      [Array.from({ length: 257 }, () => "a"), " WRONG_FORM"],
      [["a".repeat(2_048), "b".repeat(2_048)], " TOO_LARGE"],
      [["a".repeat(2_048), "b".repeat(2_047)]],
    ] as const)
      assert.deepEqual(faultsWith(command), [faults, faults], JSON.stringify(command).slice(0, 40));
    assert.throws(
      () => parse(config([{ ...api, startCommand: "" }])),
      (error: ConfigurationError) =>
        /a line of 1 to 4096 characters, or a list/.test(error.faults[0]?.message ?? ""),
    );
  });

  it("has data stores whose values other services refer to, and never their secrets", () => {
    const secret = { fromSecretsManager: "acme/password" };
    const db = {
      id: "db",
      type: "postgres",
      existing: { host: "db.acme.example", dbName: "shop", username: "shop", password: secret },
    };
    const faultsWith = (store: Json, value: string, cloud: object = {}) =>
      faultsOf(
        config([store, { ...api, envVariables: { A: { fromService: { id: "db", value } } } }]),
        createConfigurationParser({ ...CLOUD, ...cloud }),
      );
    const link = `${S}/1/envVariables/A/fromService/value NOT_ALLOWED`;
    const at = `${S}/0/existing`;
    for (const value of ["dbConnectionString", "username", "password", "dbName", "host", "port"])
      assert.deepEqual(faultsWith(db, value), [], value);
    for (const value of ["url", "authToken", "bucketName"])
      assert.deepEqual(faultsWith(db, value), [link], value);
    assert.deepEqual(faultsWith(db, "dbConnectionString", { joinsValues: false }), [link]);
    assert.deepEqual(faultsWith({ ...db, existing: { host: "a.example" } }, "password"), [link]);
    assert.deepEqual(faultsWith({ id: "db", type: "postgres" }, "host"), [`${S}/0/type NOT_ALLOWED`]);
    const creates = { createsStores: ["postgres"], sizesStores: false };
    const created = { id: "db", type: "postgres", version: "17" };
    assert.deepEqual(faultsWith(created, "dbConnectionString", creates), []);
    assert.deepEqual(faultsWith({ ...created, version: "9" }, "host", creates), [
      `${S}/0/version NOT_ALLOWED`,
    ]);
    const sized = { ...created, size: "small", storageGb: 20, backupRetentionDays: 7 };
    assert.deepEqual(
      faultsWith(sized, "host", creates),
      ["size", "storageGb", "backupRetentionDays"].map((field) => `${S}/0/${field} NOT_ALLOWED`),
    );
    assert.deepEqual(faultsWith({ ...db, version: "17" }, "host", creates), [`${S}/0/version NOT_ALLOWED`]);
    const bucket = { id: "files", type: "bucket" };
    const kept = { id: "kept", type: "postgres", deletionProtection: true };
    const template = config([created, bucket, kept], { source: { branch: "main", pr: true } });
    assert.deepEqual(
      faultsOf(template, createConfigurationParser({ ...CLOUD, createsStores: ["postgres", "bucket"] })),
      [`${S}/1/type NOT_ALLOWED`, `${S}/2/deletionProtection NOT_ALLOWED`],
    );
    for (const [existing, fault] of [
      [{ host: "db.acme.example:5432" }, "/host WRONG_FORM"],
      [{ host: "a@b" }, "/host WRONG_FORM"],
      [{ port: 0 }, "/port WRONG_FORM"],
      [{ password: "canary" }, "/password WRONG_FORM"],
      [{ password: { fromParameterStore: "a b" } }, "/password/fromParameterStore WRONG_FORM"],
      [{ secretArn: "a" }, "/secretArn UNKNOWN_FIELD"],
    ] as const)
      assert.deepEqual(
        faultsWith({ ...db, existing: { ...db.existing, ...existing } }, "username"),
        [`${at}${fault}`],
        JSON.stringify(existing),
      );
    assert.throws(
      () => parse(config([{ ...db, existing: { password: "canary" } }])),
      (error: ConfigurationError) =>
        error.faults.some(({ message }) => /never part of a configuration/.test(message)) &&
        !JSON.stringify(error.faults).includes("canary"),
    );
    assert.deepEqual(faultsOf(config([{ id: "b", type: "bucket", existing: { bucketName: "A B" } }])), [
      `${at}/bucketName WRONG_FORM`,
    ]);
  });

  it("keeps variables that are named like members of every object", () => {
    const names = ["__proto__", "constructor", "toString"];
    const envVariables: unknown = JSON.parse(`{${names.map((name) => `"${name}":"kept"`).join(",")}}`);
    const read = parse(config([site], { envVariables })).environments[0]?.variables;
    assert.deepEqual(
      read,
      names.map((name) => ({ name, value: { kind: "plainText", value: "kept" } })),
    );
  });

  it("lets services link to each other in a circle, which is not a dependency", () => {
    const refer = (id: string) => ({ envVariables: { OTHER: { fromService: { id, value: "url" } } } });
    assert.deepEqual(
      faultsOf(
        config([
          { ...site, ...refer("api") },
          { ...api, ...refer("web") },
        ]),
      ),
      [],
    );
  });

  it("lets two services depend on one, which is not a cycle", () => {
    const services = [
      { ...site, dependsOn: ["api", "jobs"] },
      { ...api, dependsOn: ["shop"] },
      { ...jobs, dependsOn: ["shop"] },
      shop,
    ];
    assert.deepEqual(faultsOf(config(services)), []);
  });

  it("may name its schema, for editors", () => {
    assert.deepEqual(faultsOf({ $schema: "http://localhost:4000/schema.json", ...config([site]) }), []);
  });

  const refused: Record<string, [value: unknown, faults: readonly string[]]> = {
    "that is not an object": [[], [" WRONG_TYPE"]],
    "without environments": [{}, ["/environments REQUIRED"]],
    "with an empty list of environments": [{ environments: [] }, ["/environments TOO_SMALL"]],
    "with an environment without services": [config([]), [`${S} TOO_SMALL`]],
    "with unknown fields at every depth": [
      { ...config([{ ...site, buildcommand: "x" }], { regoin: "x" }), extra: 1 },
      ["/extra UNKNOWN_FIELD", "/environments/0/regoin UNKNOWN_FIELD", `${S}/0/buildcommand UNKNOWN_FIELD`],
    ],
    "with __proto__ as a field": [
      JSON.parse(`{"__proto__": {}, "environments": ${JSON.stringify(config([site])["environments"])}}`),
      ["/__proto__ UNKNOWN_FIELD"],
    ],
    "with a field of another type of service": [
      config([{ ...site, port: 80 }]),
      [`${S}/0/port UNKNOWN_FIELD`],
    ],
    "with a service of an unknown type": [config([{ ...site, type: "lambda" }]), [`${S}/0/type NOT_ALLOWED`]],
    "with a service without type": [config([{ id: "web" }]), [`${S}/0/type REQUIRED`]],
    "without the fields that its types need": [
      config([
        { id: "a", type: "static" },
        { id: "b", type: "web" },
        { id: "c", type: "worker" },
        { id: "d", type: "external" },
      ]),
      [
        `${S}/0/outputDirectory REQUIRED`,
        `${S}/1/startCommand REQUIRED`,
        `${S}/1/port REQUIRED`,
        `${S}/2/startCommand REQUIRED`,
        `${S}/3/hostname REQUIRED`,
      ],
    ],
    "with one environment id twice": [
      { environments: [environment([site]), environment([site])] },
      ["/environments/1/id DUPLICATE"],
    ],
    "with one service id twice": [config([site, { ...site, name: "Again" }]), [`${S}/1/id DUPLICATE`]],
    "with something else than a region": [
      config([site], { region: "Oregon" }),
      ["/environments/0/region WRONG_FORM"],
    ],
    "with more instances at least than at most": [
      config([{ ...api, minInstances: 3, maxInstances: 2 }]),
      [`${S}/0/maxInstances TOO_SMALL`],
    ],
    "with health checks that take longer than until the next": [
      config([
        { ...api, healthCheckTimeoutSeconds: 10 },
        { ...api, id: "b", healthCheckIntervalSeconds: 5 },
        { ...api, id: "c", healthCheckIntervalSeconds: 20, healthCheckTimeoutSeconds: 30 },
        { ...api, id: "d", healthCheckIntervalSeconds: 30, healthCheckTimeoutSeconds: 20 },
        { ...api, id: "e", healthCheckIntervalSeconds: "30" },
      ]),
      [
        ...[0, 1, 2].map((at) => `${S}/${at}/healthCheckIntervalSeconds TOO_SMALL`),
        `${S}/4/healthCheckIntervalSeconds WRONG_TYPE`,
      ],
    ],
    "with a maximum of instances below the default": [
      config([{ ...api, maxInstances: 0 }]),
      [`${S}/0/maxInstances TOO_SMALL`, `${S}/0/maxInstances TOO_SMALL`],
    ],
    "with a dependency on an unknown service and on itself": [
      config([{ ...site, dependsOn: ["nobody", "web"] }]),
      [`${S}/0/dependsOn/0 UNKNOWN_SERVICE`, `${S}/0/dependsOn/1 SELF_REFERENCE`],
    ],
    "with services that depend on each other": [
      config([
        { ...site, dependsOn: ["api"] },
        { ...api, dependsOn: ["jobs"] },
        { ...jobs, dependsOn: ["api"] },
      ]),
      [`${S}/1/dependsOn CYCLE`],
    ],
    "with references to an unknown service, to the service itself, and to what a type lacks": [
      config([
        {
          ...site,
          envVariables: {
            A: { fromService: { id: "nobody", value: "url" } },
            B: { fromService: { id: "web", value: "url" } },
            C: { fromService: { id: "jobs", value: "url" } },
            D: { fromService: { id: "shop", value: "port" } },
            E: { fromService: { id: "api", value: "port" } },
          },
        },
        api,
        jobs,
        shop,
      ]),
      [
        `${S}/0/envVariables/A/fromService/id UNKNOWN_SERVICE`,
        `${S}/0/envVariables/B/fromService/id SELF_REFERENCE`,
        `${S}/0/envVariables/C/fromService/value NOT_ALLOWED`,
        `${S}/0/envVariables/D/fromService/value NOT_ALLOWED`,
      ],
    ],
    "with a variable for all environments that one of them cannot resolve": [
      {
        envVariables: { API: { fromService: { id: "api", value: "url" } } },
        environments: [environment([api]), environment([site], { id: "staging" })],
      },
      ["/envVariables/API/fromService/id UNKNOWN_SERVICE"],
    ],
    "with names that no variable can have": [
      config([site], { envVariables: { "1A": "", "A-B": "", "": "", "A/B~": "", ["X".repeat(256)]: "" } }),
      [
        "/environments/0/envVariables/1A WRONG_FORM",
        "/environments/0/envVariables/A-B WRONG_FORM",
        "/environments/0/envVariables/ WRONG_FORM",
        "/environments/0/envVariables/A~1B~0 WRONG_FORM",
        `/environments/0/envVariables/${"X".repeat(256)} TOO_LARGE`,
      ],
    ],
    "with a value one byte too long": [
      config([site], { envVariables: { FITS: "x".repeat(32_768), LONG: `${"x".repeat(32_767)}é` } }),
      ["/environments/0/envVariables/LONG TOO_LARGE"],
    ],
    "with values of no known form": [
      config([site], {
        envVariables: {
          A: 5,
          B: {},
          C: { fromParameterStore: "/a", fromSecretsManager: "b" },
          D: { fromService: { id: "web" } },
          E: null,
        },
      }),
      ["A", "B", "C", "D", "E"].map((name) => `/environments/0/envVariables/${name} WRONG_FORM`),
    ],
    "with references that lead nowhere": [
      config([site], {
        envVariables: {
          A: { fromParameterStore: "" },
          B: { fromParameterStore: "/a b" },
          C: { fromSecretsManager: "arn:aws:s3:::bucket" },
        },
      }),
      [
        "/environments/0/envVariables/A/fromParameterStore WRONG_FORM",
        "/environments/0/envVariables/B/fromParameterStore WRONG_FORM",
        "/environments/0/envVariables/C/fromSecretsManager WRONG_FORM",
      ],
    ],
    "with folders outside the repository": [
      config(
        ["/etc", "../up", "a/../../b", "a//b", "a\\b"].map((outputDirectory, index) => ({
          id: `s${index}`,
          type: "static",
          outputDirectory,
        })),
      ),
      [0, 1, 2, 3, 4].map((index) => `${S}/${index}/outputDirectory WRONG_FORM`),
    ],
    "with origins that are not host names": [
      config(
        [
          "https://a.example",
          "a.example/x",
          "10.0.0.1",
          "0x7f.1",
          "[::1]",
          "a..b",
          "a.example:99999",
          "host",
        ].map((hostname, index) => ({ id: `s${index}`, type: "external", hostname })),
      ),
      [0, 1, 2, 3, 4, 5, 6, 7].map((index) => `${S}/${index}/hostname WRONG_FORM`),
    ],
  };
  for (const [name, [value, expected]] of Object.entries(refused)) {
    it(`is refused ${name}`, () => assert.deepEqual([...faultsOf(value)].sort(), [...expected].sort()));
  }

  it("accepts the usual forms of folders and origins", () => {
    const services = [
      ...[".", "dist", "dist/site/", "a..b"].map((outputDirectory, index) => ({
        id: `s${index}`,
        type: "static",
        outputDirectory,
      })),
      ...["app.example.com", "APP.example.com:8443", "localhost:3000", "xn--bcher-kva.example"].map(
        (hostname, index) => ({ id: `e${index}`, type: "external", hostname }),
      ),
    ];
    assert.deepEqual(faultsOf(config(services)), []);
  });

  it("reports faults of the schema and of the rules together", () => {
    const value = config([{ ...site, dependsOn: ["nobody"], port: 1 }], { region: "x" });
    assert.deepEqual([...faultsOf(value)].sort(), [
      "/environments/0/region WRONG_FORM",
      `${S}/0/dependsOn/0 UNKNOWN_SERVICE`,
      `${S}/0/port UNKNOWN_FIELD`,
    ]);
  });

  it("names at most a hundred faults", () => {
    const services = Array.from({ length: 100 }, (_, index) => ({ id: `s${index}`, type: "web", x: 1 }));
    assert.equal(faultsOf(config(services)).length, 100);
  });

  it("is refused fast when it is far too large", () => {
    const services = Array.from({ length: 20_000 }, (_, index) => ({
      id: `s${index}`,
      type: "static",
      outputDirectory: ".",
      dependsOn: [`s${index + 1}`],
    }));
    assert.deepEqual(faultsOf(config(services)), [`${S} TOO_LARGE`]);
  });
});

describe("whatever is sent as a configuration", () => {
  /** Values that get past the outer shape more often than random JSON would. */
  const id = fc.constantFrom("web", "api", "jobs", "__proto__", "constructor", "", "a b");
  const value = fc.oneof(
    fc.string(),
    fc.jsonValue(),
    fc.record({ fromService: fc.record({ id, value: fc.constantFrom("url", "port", "x") }) }),
    fc.record({ fromParameterStore: fc.string() }),
  );
  const variables = fc.dictionary(fc.oneof(id, fc.string()), value);
  const service = fc.record(
    {
      id: fc.oneof(id, fc.jsonValue()),
      name: fc.oneof(fc.string(), fc.jsonValue()),
      type: fc.oneof(fc.constantFrom("static", "web", "worker", "external"), fc.jsonValue()),
      outputDirectory: fc.oneof(fc.string(), fc.jsonValue()),
      startCommand: fc.string(),
      port: fc.integer(),
      hostname: fc.oneof(fc.domain(), fc.string()),
      minInstances: fc.integer({ min: 0, max: 3 }),
      maxInstances: fc.integer({ min: 0, max: 3 }),
      dependsOn: fc.oneof(fc.array(id), fc.jsonValue()),
      envVariables: fc.oneof(variables, fc.jsonValue()),
    },
    { requiredKeys: ["id", "type"] },
  );
  const anyEnvironment = fc.record(
    {
      id,
      region: fc.constantFrom("us-west-2", "eu-central-1", "nowhere"),
      source: fc.oneof(fc.record({ branch: fc.string() }), fc.jsonValue()),
      envVariables: fc.oneof(variables, fc.jsonValue()),
      services: fc.oneof(fc.array(service, { maxLength: 6 }), fc.jsonValue()),
    },
    { requiredKeys: ["id", "region", "services"] },
  );
  const anyConfig = fc.oneof(
    fc.jsonValue(),
    fc.record({
      envVariables: fc.oneof(variables, fc.jsonValue()),
      environments: fc.oneof(fc.array(anyEnvironment, { maxLength: 3 }), fc.jsonValue()),
    }),
  );

  it("is read, or refused with places that exist or are missing; nothing else is thrown", () => {
    fc.assert(
      fc.property(anyConfig, (sent) => {
        for (const fault of faultsOf(sent)) assert.match(fault, /^(\/.*)? [A-Z_]+$/s);
      }),
      { seed: 7, numRuns: 500 },
    );
  });

  it("matches the published schema if it is accepted", () => {
    const isValid = new Ajv({ strict: false }).compile(CONFIGURATION_SCHEMA);
    fc.assert(
      fc.property(anyConfig, (sent) => {
        if (faultsOf(sent).length === 0) assert.equal(isValid(sent), true);
      }),
      { seed: 8, numRuns: 300 },
    );
  });

  it("keeps every variable of an accepted one", () => {
    const names = fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_]{0,20}$/);
    fc.assert(
      fc.property(fc.dictionary(fc.oneof(names, fc.constant("__proto__")), fc.string()), (sent) => {
        const text = JSON.stringify(config([{ ...site, envVariables: sent }]));
        const read = parse(JSON.parse(text)).environments[0]?.services[0]?.variables ?? [];
        assert.deepEqual(
          read.map(({ name, value }) => [name, value.kind === "plainText" ? value.value : null]),
          Object.entries(sent),
        );
      }),
      { seed: 9, numRuns: 200 },
    );
  });
});
