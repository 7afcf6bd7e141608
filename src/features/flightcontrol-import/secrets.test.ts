/** No plain secret of a file is in any output, and whatever a file has, the proposal is valid. */
import assert from "node:assert/strict";
import * as fc from "fast-check";
import { describe, it } from "node:test";
import { AppError } from "../../lib/errors.ts";
import { DATABASE, fileOf, importChecked, SITE, WEB } from "./testing-import.ts";

const CANARY = "canary7f3a9c";

describe("secrets of a file", () => {
  const secret = `postgres://app:${CANARY}@db.example/app`;
  const file = fileOf(
    [
      {
        ...WEB,
        buildCommand: `API_KEY=${CANARY} npm run build`,
        startCommand: ["node", "server.js", `--password=${CANARY}`],
        preDeployCommand: `psql ${secret}`,
        envVariables: {
          DATABASE_URL: secret,
          API_KEY: CANARY,
          OLD: { type: "secret", value: CANARY },
          BAD: [CANARY],
          "BAD-NAME": CANARY,
          NUMBER_TOKEN: 12_345_678,
        },
        dockerLabels: { label: CANARY },
        sidecars: [{ name: "agent", image: "agent", envVariables: { KEY: CANARY }, startCommand: CANARY }],
        experimental: { datadog: { enabled: true, datadogApiKey: CANARY, datadogSite: CANARY } },
        logging: {
          firelens: {
            configSource: "inline",
            config: [{ name: "a", match: "*", options: { token: CANARY } }],
          },
        },
        permissions: { inline: CANARY },
        domain: `${CANARY} is not a domain`,
        healthCheckPath: `/health?token=${CANARY}`,
        port: CANARY,
        color: CANARY,
        ci: { color: CANARY },
      },
      {
        ...SITE,
        singlePageApp: CANARY,
        outputDirectory: `/absolute/${CANARY}`,
        envVariables: { VITE_SECRET: CANARY },
      },
      { ...DATABASE, password: CANARY },
      { id: "fn", type: "lambda-function", envVariables: { KEY: CANARY } },
      { id: "odd", type: CANARY },
    ],
    { envVariables: { SESSION_SECRET: CANARY }, vpc: { id: CANARY, cidr: CANARY } },
    { envVariables: { TOKEN: CANARY, REDIS: `redis://:${CANARY}@cache.example` }, $schema: CANARY },
  );

  it("are in no output, and listed by name", () => {
    const imported = importChecked(file);
    assert.ok(
      !JSON.stringify(imported).includes(CANARY),
      JSON.stringify(imported, null, 1).match(new RegExp(`.*${CANARY}.*`))?.[0],
    );
    assert.ok(!JSON.stringify(imported).includes("12345678"));
    const [environment, none] = ["production", null];
    assert.deepEqual(imported.secrets, [
      { environment: none, service: none, name: "TOKEN" },
      { environment: none, service: none, name: "REDIS" },
      { environment, service: none, name: "SESSION_SECRET" },
      { environment, service: "web", name: "DATABASE_URL" },
      { environment, service: "web", name: "API_KEY" },
      { environment, service: "web", name: "NUMBER_TOKEN" },
      { environment, service: "site", name: "VITE_SECRET" },
    ]);
    assert.match(
      imported.findings.find(({ field }) => field === "envVariables.API_KEY")?.action ?? "",
      /slipway env set API_KEY --store secrets-manager -e production -s web --from-file FILE --wait/,
    );
  });

  it("are named with the ids of the proposal in commands, also where data stores keep theirs", () => {
    const cache = { type: "elasticache", engine: "redis" };
    const urlOf = (id: string) => ({ fromService: { id, value: "connectionString" } });
    const { findings, proposal } = importChecked(
      fileOf(
        [
          { ...WEB, id: "my web", envVariables: { API_KEY: CANARY, A: urlOf("my db"), B: urlOf("my-db") } },
          { ...cache, id: "my db" },
          { ...cache, id: "my-db" },
        ],
        { id: "live eu" },
      ),
    );
    const actions = findings.map(({ action }) => action ?? "").join("\n");
    assert.match(actions, /env set API_KEY --store secrets-manager -e live-eu -s my-web --from-file FILE/);
    for (const id of ["my-db", "my-db-2"])
      assert.ok(JSON.stringify(proposal).includes(`"flightcontrol/live-eu/${id}/connectionString"`), id);
  });

  it("of previews get the scope of previews", () => {
    const imported = importChecked(
      fileOf([{ ...SITE, envVariables: { API_KEY: CANARY } }], { source: { pr: true } }),
    );
    assert.match(
      imported.findings.find(({ field }) => field === "envVariables.API_KEY")?.action ?? "",
      /slipway env set API_KEY --store secrets-manager -e production --in-previews --from-file FILE --wait\./,
    );
  });
});

const KEYS = [
  "id",
  "name",
  "type",
  "cpu",
  "memory",
  "port",
  "buildType",
  "buildCommand",
  "startCommand",
  "installCommand",
  "basePath",
  "outputDirectory",
  "dependsOn",
  "minInstances",
  "maxInstances",
  "healthCheckPath",
  "envVariables",
  "containerImage",
  "dockerfilePath",
  "ci",
  "target",
  "autoscaling",
  "sidecars",
  "experimental",
  "connectionStringEnvVarName",
  "domain",
  "__proto__",
  "constructor",
  "toString",
];
const TYPES = [
  "web",
  "static",
  "worker",
  "fargate",
  "fargate-worker",
  "rds",
  "elasticache",
  "s3",
  "scheduler",
  "toString",
];

it("whatever a file has, the proposal is valid and each field is in one finding", () => {
  const odd = fc.oneof(
    fc.constantFrom(
      "",
      " ",
      ".",
      "..",
      "/",
      "a/../b",
      "a\nb",
      "\u202e",
      "web",
      "db",
      "toString",
      "__proto__",
    ),
    fc.jsonValue({ maxDepth: 2 }),
    fc.string(),
    fc.double(),
    fc.integer(),
  );
  const link = fc.record({
    fromService: fc.record({
      id: fc.constantFrom("web", "db", "a", "b", "none"),
      value: fc.constantFrom("origin", "host", "port", "dbConnectionString", "x"),
    }),
  });
  const reference = fc.oneof(
    fc.record({ fromParameterStore: odd }),
    fc.record({ fromSecretsManager: odd }),
    link,
    odd,
  );
  const variables = fc.oneof(
    fc.dictionary(
      fc.oneof(fc.constantFrom("A", "B", "__proto__", "DATABASE_URL", "a-b", ""), fc.string()),
      reference,
      { maxKeys: 4 },
    ),
    odd,
  );
  const fields = fc.dictionary(fc.constantFrom(...KEYS), odd, { maxKeys: 6 });
  const service = fc
    .tuple(
      fc.constantFrom(WEB, SITE, DATABASE),
      fc.constantFrom(...TYPES),
      fields,
      variables,
      fc.constantFrom("a", "b", "web", "db", "x y"),
    )
    .map(([base, type, more, envVariables, id]) => {
      const { id: _id, type: _type, ...others } = more;
      return { ...base, type, envVariables, ...others, id };
    });
  const source = fc.oneof(
    fc.constant({ branch: "main" }),
    fc.record(
      {
        pr: fc.constant(true),
        filter: fc.oneof(
          odd,
          fc.record({ labels: odd, toBranches: odd, toBranch: odd }, { requiredKeys: [] }),
        ),
        trigger: odd,
      },
      { requiredKeys: ["pr"] },
    ),
  );
  const environment = fc
    .tuple(fc.constantFrom("a", "b", "x y"), source, fc.array(service, { maxLength: 4 }), variables, odd, odd)
    .map(([id, from, services, envVariables, vpc, name]) => ({
      id,
      region: "eu-west-1",
      source: from,
      services,
      envVariables,
      vpc,
      name,
    }));
  let imports = 0;
  fc.assert(
    fc.property(
      fc.array(environment, { minLength: 1, maxLength: 3 }),
      variables,
      (environments, envVariables) => {
        try {
          importChecked({ environments, envVariables });
          imports += 1;
        } catch (error) {
          if (!(error instanceof AppError) || error.code !== "IMPORT_FILE_INVALID") throw error;
        }
      },
    ),
    { numRuns: 300 },
  );
  assert.ok(imports > 60, `only ${imports} files were imported`);
});
