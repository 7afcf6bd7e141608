import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { decideImport } from "./decide-import.ts";
import { AWS, DATABASE, fileOf, findingAt, importChecked, SANDBOX, SITE, WEB } from "./testing-import.ts";
import type { ImportedFile } from "./flightcontrol-import.ts";

type Proposal = {
  readonly envVariables?: Readonly<Record<string, unknown>>;
  readonly environments: readonly {
    readonly id: string;
    readonly source: object;
    readonly envVariables?: Readonly<Record<string, unknown>>;
    readonly services: readonly Readonly<Record<string, unknown>>[];
  }[];
};

const proposalOf = ({ proposal }: ImportedFile): Proposal => {
  assert.ok(proposal !== null);
  return proposal as Proposal;
};
const serviceOf = (imported: ImportedFile, index = 0) =>
  proposalOf(imported).environments[0]?.services[index] ?? assert.fail("there is no such service");
const blocked = ({ findings }: ImportedFile) =>
  findings.filter(({ isBlocking }) => isBlocking).map(({ path }) => path);

const SERVICE = "/environments/0/services/0";

describe("an import", () => {
  it("of a site and a server needs nothing else", () => {
    const imported = importChecked(
      fileOf([
        { ...WEB, memory: 2, cpu: 1, healthCheckPath: "/health", minInstances: 1, maxInstances: 3 },
        {
          ...SITE,
          dependsOn: ["web"],
          buildCommand: "npm ci && npm run build",
          envVariables: { API: { fromService: { id: "web", value: "origin" } } },
        },
      ]),
    );
    assert.deepEqual(blocked(imported), []);
    assert.deepEqual(imported.proposal, {
      environments: [
        {
          id: "production",
          name: "Production",
          region: "eu-west-1",
          source: { branch: "main", trigger: "push" },
          services: [
            {
              id: "web",
              name: "Web",
              type: "web",
              installCommand: "npm ci",
              buildCommand: "npm run build",
              startCommand: "node server.js",
              port: 8080,
              cpu: 1,
              memoryGb: 2,
              minInstances: 1,
              maxInstances: 3,
              healthCheckPath: "/health",
            },
            {
              id: "site",
              name: "Site",
              type: "static",
              buildCommand: "npm ci && npm run build",
              outputDirectory: "dist",
              dependsOn: ["web"],
              envVariables: { API: { fromService: { id: "web", value: "url" } } },
            },
          ],
        },
      ],
    });
  });

  it("writes the trigger of a branch, which is push in Flightcontrol", () => {
    for (const [source, trigger] of [
      [{ branch: "main" }, "push"],
      [{ branch: "main", trigger: "push" }, "push"],
      [{ branch: "main", trigger: "manual" }, "manual"],
      [{ branch: "main", trigger: "manual", pr: false }, "manual"],
    ] as const) {
      const imported = importChecked(fileOf([SITE], { source }));
      assert.deepEqual(proposalOf(imported).environments[0]?.source, { branch: "main", trigger });
      assert.equal(
        findingAt(imported, "/environments/0/source/trigger").class,
        "trigger" in source ? "mapped" : "mappedWithChange",
      );
    }
  });

  it("makes a template of previews", () => {
    const sourceOf = (filter: object | undefined, others: readonly object[] = []) => {
      const file = {
        environments: [
          ...others,
          {
            id: "preview",
            region: "eu-west-1",
            source: { pr: true, ...(filter === undefined ? {} : { filter }) },
            services: [SITE],
          },
        ],
      };
      return proposalOf(importChecked(file)).environments.at(-1)?.source;
    };
    const live = { id: "live", region: "eu-west-1", source: { branch: "trunk" }, services: [SITE] };
    assert.deepEqual(sourceOf(undefined), { branch: "main", pr: true, filter: { toBranches: ["**"] } });
    assert.deepEqual(sourceOf({}, [live]), { branch: "trunk", pr: true, filter: { toBranches: ["**"] } });
    assert.deepEqual(sourceOf({ toBranch: "develop", labels: ["preview"] }, [live]), {
      branch: "develop",
      pr: true,
      filter: { labels: ["preview"], toBranches: ["develop"] },
    });
    assert.deepEqual(sourceOf({ toBranches: ["release/*"], watchPaths: ["web/**"] }, [live]), {
      branch: "trunk",
      pr: true,
      filter: { toBranches: ["release/*"], watchPaths: ["web/**"] },
    });
    assert.deepEqual(sourceOf({ toBranches: [null], fromBranches: [null] }), {
      branch: "main",
      pr: true,
      filter: { toBranches: ["**"] },
    });
  });

  it("takes the older names of types", () => {
    const imported = importChecked(
      fileOf([
        { ...WEB, type: "fargate", domain: "www.shop.example" },
        { ...WEB, id: "jobs", type: "fargate-worker", port: undefined },
      ]),
    );
    assert.deepEqual([serviceOf(imported).type, serviceOf(imported, 1).type], ["web", "worker"]);
    assert.ok(!("port" in serviceOf(imported, 1)));
    const domain = findingAt(imported, `${SERVICE}/domain`);
    assert.equal(domain.class, "mappedWithChange");
    assert.match(domain.action ?? "", /slipway domains add www\.shop\.example/);
  });

  it("keeps a private service, to which no name leads", () => {
    const imported = importChecked(
      fileOf([
        { ...WEB, type: "web-private", domain: "api.shop.example", healthCheckIntervalSecs: 30 },
        {
          ...WEB,
          id: "front",
          envVariables: {
            API: { fromService: { id: "web", value: "origin" } },
            PORT_OF_API: { fromService: { id: "web", value: "port" } },
          },
        },
      ]),
    );
    assert.deepEqual(blocked(imported), []);
    const { type, port, healthCheckIntervalSeconds } = serviceOf(imported);
    assert.deepEqual([type, port, healthCheckIntervalSeconds], ["web-private", 8080, 30]);
    assert.deepEqual(serviceOf(imported, 1)["envVariables"], {
      API: { fromService: { id: "web", value: "url" } },
      PORT_OF_API: { fromService: { id: "web", value: "port" } },
    });
    assert.equal(findingAt(imported, `${SERVICE}/domain`).class, "unsupported");
  });

  it("takes sizes that Fargate has, and memory in MB", () => {
    for (const [cpu, memory, expected, memoryClass] of [
      [0.25, 0.5, [0.25, 0.5], "mappedWithChange"],
      [0.25, 512, [0.25, 0.5], "mappedWithChange"],
      [0.5, 1024, [0.5, 1], "mappedWithChange"],
      [0.125, 0.25, [0.25, 0.5], "mappedWithChange"],
      [0.75, 0.75, [1, 2], "mappedWithChange"],
      [0.25, 4, [0.5, 4], "mappedWithChange"],
      [2, 120, [16, 120], "mappedWithChange"],
      ["1", 2, [undefined, 2], "mappedWithChange"],
      [1, "2", [1, 2], "unsupported"],
      [1, 500_000, [1, 2], "unsupported"],
    ] as const) {
      const imported = importChecked(fileOf([{ ...WEB, cpu, memory }]));
      const { cpu: got, memoryGb } = serviceOf(imported);
      assert.deepEqual([got, memoryGb], expected, `${cpu} ${memory}`);
      assert.equal(findingAt(imported, `${SERVICE}/memory`).class, memoryClass, `${cpu} ${memory}`);
    }
  });

  it("keeps the steps of a build, in the folder of the service", () => {
    const commandsOf = (fields: object) => {
      const { installCommand, buildCommand, startCommand, outputDirectory } = serviceOf(
        importChecked(fileOf([{ id: "web", name: "Web", cpu: 1, memory: 2, type: "web", ...fields }])),
      );
      return [installCommand, buildCommand, startCommand, outputDirectory];
    };
    for (const [fields, ...expected] of [
      [
        { buildCommand: "npm ci && npm run build", startCommand: "node a.js" },
        undefined,
        "npm ci && npm run build",
        "node a.js",
      ],
      [{ buildCommand: "npm run build" }, "npm install", "npm run build", "npm start"],
      [{ buildCommand: "yarn build" }, "corepack enable && yarn install", "yarn build", "npm start"],
      [
        { buildCommand: "pnpm build", startCommand: "pnpm start" },
        "corepack enable && pnpm install",
        "pnpm build",
        "pnpm start",
      ],
      [{}, "npm install", "npm run build --if-present", "npm start"],
      [
        { installCommand: "npm ci", buildCommand: "a; b", postBuildCommand: "c" },
        "npm ci",
        "(a; b) && c",
        "npm start",
      ],
      [
        {
          basePath: "./apps/web/",
          installCommand: "npm ci",
          buildCommand: "npm run build",
          startCommand: "node a.js",
        },
        "npm ci",
        "npm run build",
        "node a.js",
      ],
      [
        { basePath: "apps/web", buildCommand: "npm ci", startCommand: "A=1 node a.js" },
        undefined,
        "npm ci",
        "A=1 node a.js",
      ],
      [
        { buildCommand: "npm ci", startCommand: ["node", "a b.js", "--port=1"] },
        undefined,
        "npm ci",
        ["node", "a b.js", "--port=1"],
      ],
      [
        { buildCommand: "npm ci", startCommand: "VERSION=$FC_GIT_COMMIT_SHA node a.js" },
        undefined,
        "npm ci",
        "VERSION=$SLIPWAY_GIT_COMMIT_SHA node a.js",
      ],
      [
        { buildType: "docker", dockerfilePath: "Dockerfile", startCommand: "node a.js" },
        undefined,
        undefined,
        "node a.js",
      ],
      [
        { type: "static", buildCommand: "npm ci", outputDirectory: "./dist/" },
        undefined,
        "npm ci",
        undefined,
        "dist",
      ],
      [
        { type: "static", buildCommand: "npm ci", basePath: "site", outputDirectory: "dist" },
        undefined,
        "npm ci",
        undefined,
        "dist",
      ],
      [{ type: "static", buildCommand: "npm ci" }, undefined, "npm ci", undefined, "public"],
    ] as const)
      assert.deepEqual(
        commandsOf(fields),
        [expected[0], expected[1], expected[2], expected[3]],
        JSON.stringify(fields),
      );
  });

  it("keeps that a static site is a single-page app", () => {
    const classOf = (singlePageApp: boolean) => {
      const imported = importChecked(fileOf([{ ...SITE, singlePageApp }]));
      const { class: found } = findingAt(imported, `${SERVICE}/singlePageApp`);
      return [found, serviceOf(imported)["singlePageApp"]];
    };
    assert.deepEqual(
      [classOf(true), classOf(false)],
      [
        ["mapped", true],
        ["ignoredSafely", undefined],
      ],
    );
  });

  it("keeps the times of health checks, within the limits of Slipway", () => {
    const timesOf = (fields: object) => {
      const imported = importChecked(fileOf([{ ...WEB, ...fields }]));
      const settings = serviceOf(imported);
      return [
        ["Interval", "Timeout", "GracePeriod"].map((time) => settings[`healthCheck${time}Seconds`]),
        Object.keys(fields).map((field) => {
          const place = field === "experimental" ? "experimental/healthCheckInterval" : field;
          return findingAt(imported, `${SERVICE}/${place}`).class;
        }),
      ];
    };
    for (const [fields, ...times] of [
      [
        { healthCheckIntervalSecs: 30, healthCheckTimeoutSecs: 20, healthCheckGracePeriodSecs: 90 },
        30,
        20,
        90,
      ],
      [{ healthCheckIntervalSecs: 1, healthCheckGracePeriodSecs: 0 }, 5, 4, 10],
      [{ healthCheckTimeoutSecs: 15 }, undefined, 9, undefined],
      [{ healthCheckIntervalSecs: 900, healthCheckTimeoutSecs: 900 }, 300, 120, undefined],
      [{ experimental: { healthCheckInterval: 60 } }, 60, undefined, undefined],
    ] as const)
      assert.deepEqual(timesOf(fields), [times, Object.keys(fields).map(() => "mappedWithChange")]);
    const wrong = importChecked(fileOf([{ ...WEB, healthCheckIntervalSecs: "30" }]));
    assert.equal(findingAt(wrong, `${SERVICE}/healthCheckIntervalSecs`).class, "unsupported");
    const worker = importChecked(fileOf([{ ...WEB, type: "worker", healthCheckIntervalSecs: 30 }]));
    assert.equal(findingAt(worker, `${SERVICE}/healthCheckIntervalSecs`).class, "ignoredSafely");
  });

  it("keeps for how many days logs are kept, where logs are kept by days", () => {
    const daysOf = (days: unknown, keepsLogsByDays = true) => {
      const file = fileOf([{ ...WEB, logging: { cloudwatchLogsRetentionDays: days } }]);
      const imported = importChecked(file, { ...AWS, keepsLogsByDays });
      const { class: found } = findingAt(imported, `${SERVICE}/logging/cloudwatchLogsRetentionDays`);
      return [serviceOf(imported)["logRetentionDays"], found];
    };
    assert.deepEqual(daysOf(365), [365, "mappedWithChange"]);
    assert.deepEqual(daysOf(40), [60, "mappedWithChange"]);
    assert.deepEqual(daysOf(9_999), [3653, "mappedWithChange"]);
    assert.deepEqual(daysOf("365"), [undefined, "unsupported"]);
    assert.deepEqual(daysOf(365, false), [undefined, "unsupported"]);
  });

  it("keeps the thresholds of a service whose number of instances changes, where it can", () => {
    const scalingOf = (more: object, scalesInstances = true) => {
      const file = fileOf([{ ...WEB, minInstances: 1, maxInstances: 3, ...more }]);
      const imported = importChecked(file, { ...AWS, scalesInstances });
      const { class: found } = findingAt(imported, `${SERVICE}/autoscaling/cpuThreshold`);
      return [serviceOf(imported)["autoscaling"], found];
    };
    const autoscaling = { cpuThreshold: 60, memoryThreshold: 80, requestsPerTarget: 500 };
    assert.deepEqual(scalingOf({ autoscaling }), [autoscaling, "mapped"]);
    assert.deepEqual(scalingOf({ autoscaling: { cpuThreshold: 60.4 } }), [
      { cpuThreshold: 60 },
      "mappedWithChange",
    ]);
    assert.deepEqual(scalingOf({ autoscaling: { cpuThreshold: "60" } }), [undefined, "unsupported"]);
    assert.deepEqual(scalingOf({ autoscaling, maxInstances: 1 }), [undefined, "ignoredSafely"]);
    assert.deepEqual(scalingOf({ autoscaling }, false), [undefined, "unsupported"]);
    const { requestsPerTarget: _requests, ...ofWorker } = autoscaling;
    assert.deepEqual(scalingOf({ autoscaling, type: "worker" }), [ofWorker, "mapped"]);
  });

  it("keeps the commands before and after a release", () => {
    for (const field of ["preDeployCommand", "postDeployCommand"]) {
      const commandOf = (command: unknown) => {
        const imported = importChecked(fileOf([{ ...WEB, [field]: command }]), AWS);
        const { class: found, isBlocking } = findingAt(imported, `${SERVICE}/${field}`);
        return [serviceOf(imported)[field], found, isBlocking];
      };
      assert.deepEqual(commandOf("npm run migrate"), ["npm run migrate", "mapped", false]);
      assert.deepEqual(commandOf(["npm", "run", "a b"]), [["npm", "run", "a b"], "mapped", false]);
      assert.deepEqual(commandOf(""), [undefined, "ignoredSafely", false]);
      assert.deepEqual(commandOf(7), [undefined, "unsupported", true]);
    }
  });

  it("keeps which Dockerfile is built, and what it sees, where Dockerfiles are built", () => {
    const DOCKER = { ...WEB, buildType: "docker", installCommand: undefined, buildCommand: undefined };
    for (const [fields, context, file, ...classes] of [
      [{ dockerfilePath: "./Dockerfile" }, undefined, undefined, "ignoredSafely"],
      [{ dockerfilePath: "web/api.dockerfile" }, undefined, "web/api.dockerfile", "mapped"],
      [{ dockerfilePath: "./web/Dockerfile" }, undefined, "web/Dockerfile", "mappedWithChange"],
      [
        { dockerfilePath: "web/Dockerfile", dockerContext: "./web" },
        "web",
        "web/Dockerfile",
        "mapped",
        "mappedWithChange",
      ],
      [{ dockerfilePath: "docker/a", dockerContext: "web" }, "web", "docker/a", "mapped", "mapped"],
      [{ dockerContext: "web" }, "web", undefined, "mapped"],
      [{ dockerfilePath: "a", dockerContext: "./" }, undefined, "a", "mapped", "ignoredSafely"],
      [{ dockerfilePath: "a b" }, undefined, undefined, "unsupported"],
      [{ dockerContext: "../web" }, undefined, undefined, "unsupported"],
    ] as const) {
      const imported = importChecked(fileOf([{ ...DOCKER, ...fields }]));
      const settings = serviceOf(imported);
      assert.deepEqual([settings["dockerContext"], settings["dockerfilePath"]], [context, file]);
      assert.equal(settings["basePath"], undefined);
      const found = Object.keys(fields).map((field) => findingAt(imported, `${SERVICE}/${field}`).class);
      assert.deepEqual(found, classes, JSON.stringify(fields));
    }
    const elsewhere = importChecked(fileOf([{ ...DOCKER, dockerfilePath: "a", dockerContext: "web" }]), {
      ...AWS,
      buildsDockerfiles: false,
    });
    assert.deepEqual(blocked(elsewhere), [`${SERVICE}/dockerfilePath`]);
    const { dockerfilePath, dockerContext } = serviceOf(elsewhere);
    assert.deepEqual([dockerfilePath, dockerContext], [undefined, undefined]);
  });

  it("keeps the folder of a service, and the files that it depends on", () => {
    const imported = importChecked(
      fileOf([{ ...WEB, basePath: "./apps/web/", watchPaths: ["apps/web/**"] }]),
    );
    const { basePath, watchPaths } = serviceOf(imported);
    assert.deepEqual([basePath, watchPaths], ["apps/web", ["apps/web/**"]]);
    assert.equal(findingAt(imported, `${SERVICE}/watchPaths`).class, "mapped");
  });

  it("says what replaces an image of a registry, where images run", () => {
    const image = { registryId: "1", repository: "a" };
    const file = fileOf([{ ...WEB, startCommand: "a", buildType: "fromRepository", containerImage: image }]);
    const actionOf = (runsImages: boolean) =>
      findingAt(importChecked(file, { ...AWS, runsImages }), `${SERVICE}/buildType`).action;
    assert.match(actionOf(true) ?? "", /^Set image in the proposal/);
    assert.match(actionOf(false) ?? "", /^Add a Dockerfile/);
  });

  it("refuses builds that Slipway does not have", () => {
    for (const [fields, path] of [
      [{ buildType: "docker", startCommand: "a", basePath: "web" }, "basePath"],
      [{ buildType: "docker" }, "startCommand"],
      [
        {
          buildType: "fromRepository",
          startCommand: "a",
          containerImage: { registryId: "1", repository: "a" },
        },
        "buildType",
      ],
      [{ buildType: "fromService", startCommand: "a", containerImage: { fromService: "api" } }, "buildType"],
      [{ buildType: "nixpacks", startCommand: "bundle exec puma" }, "buildType"],
      [{ startCommand: "gunicorn app:app", buildCommand: "pip install -r requirements.txt" }, "buildType"],
      [{ type: "static", buildType: "docker" }, "buildType"],
      [{ startCommand: "a", basePath: "../other" }, "basePath"],
      [{ startCommand: "a", buildCommand: "x".repeat(5000) }, "buildCommand"],
    ] as const)
      assert.deepEqual(
        blocked(
          importChecked(fileOf([{ id: "web", name: "Web", cpu: 1, memory: 2, type: "web", ...fields }])),
        ),
        [`${SERVICE}/${path}`],
        JSON.stringify(fields),
      );
  });

  it("adopts a database by reference, with the values that variables need", () => {
    const link = (value: string) => ({ fromService: { id: "db", value } });
    const secret = (value: string) => ({ fromSecretsManager: `flightcontrol/production/db/${value}` });
    const variables = { DATABASE_URL: link("dbConnectionString"), DB_PASSWORD: link("password") };
    const imported = importChecked(
      fileOf([{ ...WEB, dependsOn: ["db"], envVariables: { ...variables, DB_ARN: link("arn") } }, DATABASE]),
    );
    assert.deepEqual(serviceOf(imported)["envVariables"], { ...variables, DB_ARN: secret("arn") });
    assert.deepEqual(serviceOf(imported)["dependsOn"], ["db"]);
    assert.deepEqual(serviceOf(imported, 1), {
      id: "db",
      name: "Database",
      type: "postgres",
      existing: { dbConnectionString: secret("dbConnectionString"), password: secret("password") },
    });
    const { class: found, action } = findingAt(imported, "/environments/0/services/1/engine");
    assert.equal(found, "mappedWithChange");
    assert.match(action ?? "", /flightcontrol\/production\/db\/password/);
    assert.deepEqual(blocked(imported), []);
    const unused = importChecked(fileOf([{ ...WEB, dependsOn: ["db"] }, DATABASE]));
    assert.deepEqual(blocked(unused), []);
    assert.ok(!("dependsOn" in serviceOf(unused)));
    assert.equal(proposalOf(unused).environments[0]?.services.length, 1);
    assert.equal(findingAt(unused, "/environments/0/services/1/engine").class, "unsupported");
    for (const [fields, type, value] of [
      [{}, "postgres", "dbConnectionString"],
      [{ engine: "mariadb" }, "mysql", "dbConnectionString"],
      [{ type: "elasticache", engine: "redis" }, "redis", "connectionString"],
    ] as const) {
      const set = importChecked(
        fileOf([WEB, { ...DATABASE, ...fields, connectionStringEnvVarName: "STORE_URL" }]),
      );
      assert.deepEqual(proposalOf(set).environments[0]?.envVariables, { STORE_URL: link(value) });
      assert.deepEqual(serviceOf(set, 1)["type"], type);
      assert.deepEqual(serviceOf(set, 1)["existing"], { [value]: secret(value) });
    }
    const bucket = { id: "files", name: "Files", type: "s3", bucketNameBase: "files" };
    const name = { BUCKET: { fromService: { id: "files", value: "bucketName" } } };
    assert.deepEqual(
      serviceOf(importChecked(fileOf([{ ...WEB, envVariables: name }, bucket])), 1)["existing"],
      {
        bucketName: { fromSecretsManager: "flightcontrol/production/files/bucketName" },
      },
    );
    const own = importChecked(
      fileOf([
        { ...WEB, envVariables: { DATABASE_URL: { fromParameterStore: "db.url" } } },
        { ...DATABASE, connectionStringEnvVarName: "DATABASE_URL" },
      ]),
    );
    assert.deepEqual(blocked(own), []);
    assert.equal(proposalOf(own).environments[0]?.envVariables, undefined);
  });

  it("moves references of the file's own variables to the environments that have the service", () => {
    const other = { id: "other", region: "eu-west-1", source: { branch: "other" }, services: [SITE] };
    const file = fileOf(
      [WEB, SITE],
      {},
      { envVariables: { A: { fromService: { id: "web", value: "origin" } }, B: "plain" } },
    ) as { environments: object[] };
    const imported = importChecked({ ...file, environments: [...file.environments, other] });
    assert.deepEqual(imported.proposal?.["envVariables"], { B: "plain" });
    assert.deepEqual(
      proposalOf(imported).environments.map(({ envVariables }) => envVariables),
      [{ A: { fromService: { id: "web", value: "url" } } }, undefined],
    );
    const nowhere = importChecked(
      fileOf([WEB], {}, { envVariables: { A: { fromService: { id: "none", value: "origin" } } } }),
    );
    assert.deepEqual(blocked(nowhere), ["/envVariables/A"]);
  });

  it("says which references lead nowhere in Slipway", () => {
    const of = (id: string, value: string) =>
      blocked(
        importChecked(
          fileOf([
            { ...WEB, envVariables: { A: { fromService: { id, value } } } },
            SITE,
            { id: "fn", type: "lambda-function" },
            { id: "cron", type: "scheduler" },
          ]),
        ),
      );
    assert.deepEqual(of("site", "origin").includes(`${SERVICE}/envVariables/A`), false);
    for (const [id, value] of [
      ["none", "origin"],
      ["web", "origin"],
      ["site", "port"],
      ["site", "authToken"],
      ["fn", "origin"],
      ["site", "loadBalancerPort_1"],
    ] as const)
      assert.ok(of(id, value).includes(`${SERVICE}/envVariables/A`), `${id} ${value}`);
    assert.ok(of("cron", "origin").includes("/environments/0/services/3"));
  });

  it("keeps references, writes numbers as text, and refuses other values", () => {
    const imported = importChecked(
      fileOf([
        {
          ...WEB,
          envVariables: {
            A: { fromParameterStore: "fc.web.a" },
            B: { fromSecretsManager: "b" },
            C: 5,
            D: false,
            E: null,
            F: { type: "secret", value: "canary" },
            "G-H": "x",
            I: ["x"],
            __proto__2: "x",
          },
        },
      ]),
    );
    assert.deepEqual(serviceOf(imported)["envVariables"], {
      A: { fromParameterStore: "fc.web.a" },
      B: { fromSecretsManager: "b" },
      C: "5",
      D: "false",
      __proto__2: "x",
    });
    assert.deepEqual(
      blocked(imported).map((path) => path.split("/").at(-1)),
      ["E", "F", "G-H", "I"],
    );
    assert.match(findingAt(imported, `${SERVICE}/envVariables/A`).action ?? "", /slipway:readable/);
  });

  it("makes ids that Slipway takes", () => {
    const imported = importChecked({
      environments: [
        {
          id: "my env!",
          region: "eu-west-1",
          source: { branch: "main" },
          services: [
            { ...SITE, id: "a b" },
            { ...SITE, id: "a-b" },
            { ...SITE, id: "x".repeat(150), dependsOn: ["a b"] },
          ],
        },
      ],
    });
    const { environments } = proposalOf(imported);
    assert.deepEqual(
      [environments[0]?.id, ...(environments[0]?.services.map(({ id }) => id) ?? [])],
      ["my-env-", "a-b-2", "a-b", "x".repeat(56)],
    );
    assert.deepEqual(environments[0]?.services[2]?.["dependsOn"], ["a-b-2"]);
  });

  it("leaves out an environment without a service to import", () => {
    const none = importChecked(fileOf([DATABASE]));
    assert.equal(none.proposal, null);
    assert.deepEqual(blocked(none), ["/environments/0"]);
    assert.deepEqual(blocked(importChecked(fileOf([]))), ["/environments/0"]);
  });

  it("of 1,000 lines takes little time", () => {
    const services = Array.from({ length: 40 }, (_, index) => ({
      ...WEB,
      id: `web-${index}`,
      sidecars: [{ name: "a", image: "b" }],
      envVariables: Object.fromEntries(
        Array.from({ length: 8 }, (__, at) => [`VARIABLE_${at}`, `a value of some length ${at}`]),
      ),
    }));
    const text = JSON.stringify(fileOf(services), null, 2);
    const lines = text.split("\n").length;
    decideImport(text, AWS);
    const began = performance.now();
    decideImport(text, AWS);
    console.log(`${lines} lines: ${(performance.now() - began).toFixed(1)} ms`);
    assert.ok(lines >= 1000, `${lines} lines`);
  });
});

describe("on a server that reads no secrets of AWS", () => {
  const link = (id: string, value: string) => ({ fromService: { id, value } });
  const CACHE = { id: "cache", name: "Cache", type: "elasticache", engine: "redis" };
  const envVariables = {
    DATABASE_URL: link("db", "dbConnectionString"),
    CACHE_URL: link("cache", "connectionString"),
    STRIPE: { fromParameterStore: "/acme/stripe" },
  };
  const file = fileOf([{ ...WEB, domain: "shop.acme.example", envVariables }, DATABASE, CACHE]);
  const says = (imported: ReturnType<typeof importChecked>, at: string) =>
    findingAt(imported, `/environments/0/services/${at}`).action ?? "";

  it("names commands that store what the file refers to", () => {
    const imported = importChecked(file, SANDBOX);
    const store = says(imported, "1/type");
    assert.match(store, /slipway env set NAME --store secrets-manager -e production --from-file FILE --wait/);
    assert.match(store, /in place of flightcontrol\/production\/db\/dbConnectionString/);
    assert.doesNotMatch(store, /tag|network/);
    assert.match(says(imported, "0/envVariables/DATABASE_URL"), /See the data store db/);
    assert.match(
      says(imported, "0/envVariables/STRIPE"),
      /env set STRIPE .* -e production -s web --from-file FILE/,
    );
    assert.deepEqual(imported.secrets, [{ environment: "production", service: "web", name: "STRIPE" }]);
    assert.match(says(imported, "0/domain"), /domains add shop.acme.example -e production -s web --wait/);
  });

  it("offers an empty data store only where Slipway creates one", () => {
    for (const [createsStores, form] of [
      [SANDBOX.createsStores, /remove its field existing/],
      [[], /^(?!.*existing)/],
    ] as const)
      assert.match(says(importChecked(file, { ...SANDBOX, createsStores }), "1/type"), form);
  });

  it("blocks a value of a data store that Slipway does not have", () => {
    const odd = { ...WEB, envVariables: { A: link("db", "dbConnectionString"), B: link("db", "arn") } };
    const found = findingAt(
      importChecked(fileOf([odd, DATABASE]), SANDBOX),
      "/environments/0/services/0/envVariables/B",
    );
    assert.deepEqual([found.class, found.isBlocking], ["unsupported", true]);
  });
});
