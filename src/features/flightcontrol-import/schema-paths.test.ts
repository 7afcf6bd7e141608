/**
 * Every property of Flightcontrol's schema (July 2025) has exactly one class, wherever it may be. The list is ours: the
 * paths of the schema's properties, by type of service, with values that the schema allows.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { FINDING_CLASSES } from "./flightcontrol-import.ts";
import { DATABASE, fileOf, findingAt, importChecked, SITE, WEB } from "./testing-import.ts";

type Values = Readonly<Record<string, readonly unknown[]>>;

const SERVICE_VALUES = [
  "dbConnectionString",
  "username",
  "password",
  "dbName",
  "port",
  "host",
  "origin",
  "loadBalancerHost",
  "loadBalancerOrigin",
  "authToken",
  "connectionString",
  "readerconnectionString",
  "readerHost",
  "readerPort",
  "bucketName",
  "loadBalancerPort_80",
];

/** The variables below a field; of a link, both fields are set, one after the other. */
function variables(field: string): Values {
  return {
    [field]: [{}],
    [`${field}.A`]: ["text", "", 5, true],
    [`${field}.A.fromParameterStore`]: ["a.parameter"],
    [`${field}.A.fromSecretsManager`]: ["a/secret"],
    [`${field}.A.fromService.id`]: ["web", "db", "none"],
    [`${field}.A.fromService.value`]: ["origin"],
    [`${field}.A.fromService`]: ["web", "db"].flatMap((id) => SERVICE_VALUES.map((value) => ({ id, value }))),
  };
}

const VARIABLES = variables("envVariables");
const CI: Values = {
  "ci.type": ["ec2", "codebuild"],
  "ci.instanceSize": ["t3.large"],
  "ci.instanceStorage": [30],
  "ci.storageThroughput": [125],
  "ci.storageIops": [3000],
  "ci.storageType": ["gp3", "gp2", "io1", "io2"],
};
const COMMON: Values = {
  dependsOn: [[], ["db"]],
  "dependsOn[]": ["db"],
  buildType: ["nodejs", "nixpacks", "docker"],
  basePath: [".", "./apps/web"],
  installCommand: ["npm ci"],
  buildCommand: ["npm run build"],
  postBuildCommand: ["npm run after"],
  dockerfilePath: ["./Dockerfile", "web/Dockerfile"],
  dockerContext: [".", "web"],
  versionHistoryCount: [10],
  "watchPaths[]": ["src/**"],
  "integrations.uploadSentrySourceMap": [true, false],
  cloudfrontAutoCacheInvalidation: [true, false],
  ...CI,
  ...VARIABLES,
};
const STATIC: Values = {
  ...COMMON,
  outputDirectory: ["public"],
  singlePageApp: [true, false],
  originShieldEnabled: [true, false],
};
const SERVER: Values = {
  ...COMMON,
  buildType: ["nodejs", "nixpacks", "docker", "fromService", "fromRepository"],
  "target.type": ["fargate", "ecs-ec2"],
  "target.clusterInstanceSize": ["t3.medium"],
  "target.clusterMinInstances": [1],
  "target.clusterMaxInstances": [3],
  "containerImage.fromService": ["other"],
  "containerImage.registryId": ["registry"],
  "containerImage.repository": ["images"],
  "containerImage.tag": ["latest"],
  cpu: [0.125, 0.25, 0.75, 1, 4],
  memory: [0.125, 0.5, 3, 512, 2048],
  gpu: [0, 1],
  containerInsights: [true, false],
  storage: [20, 100],
  minInstances: [1, 2],
  maxInstances: [1, 4],
  startCommand: ["node server.js", ["node", "server.js"]],
  "startCommand[]": ["node"],
  preDeployCommand: ["npm run migrate"],
  "preDeployCommand[]": ["migrate"],
  postDeployCommand: ["npm run warm"],
  "postDeployCommand[]": ["warm"],
  privileged: [true, false],
  injectEnvVariablesInDockerfile: [true, false],
  "dockerLabels.label": ["value"],
  includeEnvVariablesInBuild: [true, false],
  "autoscaling.cpuThreshold": [70, 90],
  "autoscaling.memoryThreshold": [70],
  "autoscaling.cooldownTimerSecs": [300],
  "sidecars[].name": ["agent"],
  "sidecars[].image": ["agent:1"],
  "sidecars[].cpuAllotment": [0.25],
  "sidecars[].memoryAllotment": [0.25],
  "sidecars[].enableNetworking": [true],
  "sidecars[].essential": [true, false],
  "sidecars[].logging": [true],
  "sidecars[].ports[]": [8125],
  "sidecars[].startCommand": ["run"],
  "sidecars[].startCommand[]": ["run"],
  "sidecars[].dockerLabels.label": ["value"],
  ...variables("sidecars[].envVariables"),
  "logging.cloudwatchLogsEnabled": [true, false],
  "logging.cloudwatchLogsRetentionDays": [30, 365],
  "logging.ecsLogsMetadataEnabled": [true, false],
  ...variables("logging.envVariables"),
  "logging.firelens.configSource": ["inline"],
  "logging.firelens.configFilePath": ["fluent.conf"],
  "logging.firelens.config[].name": ["output"],
  "logging.firelens.config[].match": ["*"],
  "logging.firelens.config[].options.a": ["b", 1],
  "logging.firelens.config[].options.a[]": ["c"],
  "permissions.attach[]": ["arn:aws:iam::aws:policy/AmazonS3ReadOnlyAccess"],
  "permissions.inline": ["{}"],
  "permissions.inline.Statement[].Effect": ["Allow"],
};
const CONTAINER: Values = {
  ...SERVER,
  "experimental.runAsNonRootUser": [true, false],
  "experimental.healthCheckInterval": [30],
  "experimental.healthCheckTimeout": [5],
  "experimental.datadog.enabled": [true, false],
  "experimental.datadog.datadogSite": ["example.com"],
  "experimental.datadog.datadogApiKey": ["parameter"],
  "experimental.datadog.logging": [true],
  ...variables("experimental.datadog.envVariables"),
};
const HTTP: Values = {
  ...CONTAINER,
  "autoscaling.requestsPerTarget": [500],
  healthCheckPath: ["/", "/health"],
  healthCheckTimeoutSecs: [5],
  healthCheckIntervalSecs: [30],
  healthCheckGracePeriodSecs: [60],
  port: [3000, "3000"],
  stickySessionsEnabled: [true, false],
  stickySessionsDurationSecs: [86_400],
  originShieldEnabled: [true, false],
  enableCloudfrontSwr: [true, false],
  domain: ["www.shop.example"],
};
const PORTS: Values = {
  "ports[].port": [5432],
  "ports[].protocol": ["tcp", "udp", "http", "http2", "grpc"],
  "ports[].tls": [true],
  "ports[].healthCheck.tcpPort": [5432],
  "ports[].healthCheck.path": ["/"],
  "ports[].healthCheck.intervalSecs": [30],
  "ports[].healthCheck.timeoutSecs": [5],
  "ports[].healthCheck.gracePeriodSecs": [0],
};
const RDS: Values = {
  dependsOn: [[]],
  "dependsOn[]": ["web"],
  engine: ["postgres", "mysql", "mariadb"],
  engineVersion: ["16"],
  instanceSize: ["db.t4g.micro"],
  private: [true, false],
  storage: [20],
  maxStorage: [100],
  storageType: ["gp3"],
  storageProvisionedIops: [1000],
  autoUpgradeMinorVersions: [true],
  applyChangesImmediately: [true],
  deletionProtection: [true, false],
  connectionStringEnvVarName: ["DATABASE_URL"],
  backupRetentionPeriodInDays: [35],
  deleteBackupsWithRdsDeletion: [true],
  performanceInsights: [true],
  multiAvailabilityZones: [true],
  encryptionAtRest: [true],
  port: [5432],
};
const CACHE: Values = {
  dependsOn: [[]],
  "dependsOn[]": ["web"],
  engine: ["redis"],
  engineVersion: ["7.1"],
  clusterMode: [false],
  instanceSize: ["cache.t4g.micro"],
  connectionStringEnvVarName: ["REDIS_URL"],
  applyChangesImmediately: [true],
  autoMinorVersionUpgrade: [true],
  encryptionAtRest: [true],
  evictionPolicy: ["allkeys-lru"],
  numberOfReplicas: [1],
  port: [6379],
};
const BUCKET: Values = {
  dependsOn: [[]],
  "dependsOn[]": ["web"],
  bucketNameBase: ["uploads"],
  bucketVersioning: [true],
  bucketPolicy: ["{}"],
  "bucketPolicy.Statement[].Principal.AWS[]": ["*"],
  blockAllPublicAccess: [true, false],
};
const SCHEDULER: Values = {
  ...CONTAINER,
  cpuArchitecture: ["arm64"],
  "cpuArchitecture[]": ["arm64"],
  "jobs.nightly.schedule": ["0 3 * * ? *"],
  "jobs.nightly.startCommand": ["node nightly.js"],
  "jobs.nightly.startCommand[]": ["node"],
  "jobs.nightly.timezone": ["Europe/Berlin"],
  "jobs.nightly.timeout": [60],
  "jobs.nightly.cpu": [0.5, null],
  "jobs.nightly.gpu": [1, null],
  "jobs.nightly.memory": [1, null],
};
const LAMBDA: Values = {
  ...COMMON,
  "containerImage.fromService": ["web"],
  outputDirectory: ["dist"],
  includeEnvVariablesInBuild: [true],
  injectEnvVariablesInDockerfile: [true],
  "dockerLabels.label": ["value"],
  "lambda.packageType": ["zip", "image"],
  "lambda.handler": ["index.handler"],
  "lambda.runtime": ["nodejs22.x"],
  "lambda.cpuArchitecture": ["arm64"],
  "lambda.cpuArchitecture[]": ["arm64"],
  "lambda.memory": [512],
  "lambda.storage": [512],
  "lambda.timeoutSecs": [30],
  "lambda.reservedConcurrency": [1],
  "lambda.tracing": [true],
  "lambda.vpc": [true],
  "lambda.fnUrl.enabled": [true, false],
  "lambda.fnUrl.authType": ["None"],
  "lambda.fnUrl.invokeMode": ["Buffered"],
  "lambda.fnUrl.cors.allowCredentials": [true],
  "lambda.fnUrl.cors.allowHeaders[]": ["*"],
  "lambda.fnUrl.cors.allowMethods[]": ["*"],
  "lambda.fnUrl.cors.allowOrigin[]": ["*"],
  "lambda.fnUrl.cors.exposedHeaders[]": ["*"],
  "lambda.fnUrl.cors.maxAge": [0],
};
const LEAST: Values = { id: ["own-id", "own id"], name: ["Own name"] };

const TYPES: Readonly<Record<string, Values>> = {
  static: STATIC,
  web: HTTP,
  fargate: HTTP,
  "web-private": HTTP,
  worker: CONTAINER,
  "fargate-worker": CONTAINER,
  rds: RDS,
  elasticache: CACHE,
  s3: BUCKET,
  scheduler: SCHEDULER,
  "lambda-function": LAMBDA,
  "network-server": { ...SERVER, ...PORTS },
  "private-network-server": { ...SERVER, ...PORTS },
};

const ENVIRONMENT: Values = {
  id: ["staging"],
  name: ["Staging"],
  region: ["us-east-1"],
  "source.branch": ["main"],
  "source.pr": [false],
  "source.trigger": ["push", "manual"],
  "vpc.id": ["vpc-1"],
  "vpc.cidr": ["10.0.0.0/16"],
  "vpc.private": [true, false],
  ...VARIABLES,
};
const TEMPLATE: Values = {
  "source.trigger": ["push", "manual"],
  "source.filter.labels[]": ["preview"],
  "source.filter.toBranches[]": ["main", null],
  "source.filter.toBranch": ["main"],
  "source.filter.toBranch[]": ["main"],
  "source.filter.fromBranches[]": ["feature/*", null],
  "source.filter.watchPaths[]": ["src/**"],
};
const ROOT: Values = {
  $schema: ["https://app.example/schema.json"],
  ...VARIABLES,
};

/** Sets a path such as `sidecars[].ports[]`, and makes what is above it. @returns the pointer to the value */
function set(target: object, field: string, value: unknown): string {
  const steps = field.replaceAll("[]", ".[]").split(".");
  let at = target as Record<string, unknown>;
  let path = "";
  for (const [index, step] of steps.entries()) {
    const name = step === "[]" ? "0" : step;
    path += `/${name}`;
    const next = steps[index + 1];
    const present = at[name];
    const isContainer = typeof present === "object" && present !== null;
    if (next === undefined) at[name] = value;
    else if (!isContainer || Array.isArray(present) !== (next === "[]")) at[name] = next === "[]" ? [] : {};
    at = at[name] as Record<string, unknown>;
  }
  return path;
}

const NIGHTLY = { schedule: "0 3 * * ? *", startCommand: "node nightly.js" };
const JOBS_OF: Readonly<Record<string, object>> = { scheduler: { jobs: { nightly: NIGHTLY } } };

function requireClass(file: object, path: string): void {
  const finding = findingAt(importChecked(file), path);
  assert.ok(FINDING_CLASSES.includes(finding.class), path);
  assert.match(finding.reason, /^[^a-z].+[.!]$/s, path);
  if (finding.class !== "unsupported") assert.equal(finding.isBlocking, false, path);
  if (finding.isBlocking) assert.notEqual(finding.action, null, `${path} says what to do`);
}

describe("each property of the schema", () => {
  for (const [type, values] of Object.entries(TYPES))
    it(`has one class in ${type}`, () => {
      for (const [field, all] of Object.entries({ ...LEAST, ...values }))
        for (const value of all) {
          const base = ["rds", "elasticache", "s3"].includes(type) ? {} : { cpu: 0.5, memory: 1 };
          const service = {
            id: "own",
            name: "Own",
            type,
            ...(type === "static" ? {} : base),
            ...JOBS_OF[type],
          };
          const at = set(service, field, value);
          requireClass(fileOf([structuredClone(WEB), service, DATABASE]), `/environments/0/services/1${at}`);
        }
    });

  it("has one class in an environment, a template and the file", () => {
    for (const [field, all] of Object.entries(ENVIRONMENT))
      for (const value of all) {
        const file = fileOf([WEB, SITE], { source: { branch: "main" } });
        const at = set((file as { environments: object[] }).environments[0] ?? {}, field, value);
        requireClass(file, `/environments/0${at}`);
      }
    for (const [field, all] of Object.entries(TEMPLATE))
      for (const value of all) {
        const file = fileOf([WEB, SITE], { source: { pr: true } });
        const at = set((file as { environments: object[] }).environments[0] ?? {}, field, value);
        requireClass(file, `/environments/0${at}`);
        requireClass(file, "/environments/0/source/pr");
      }
    for (const [field, all] of Object.entries(ROOT))
      for (const value of all) {
        const file = fileOf([WEB, DATABASE]);
        const at = set(file, field, value);
        requireClass(file, at);
      }
  });

  it("that the schema does not have is unsupported, at every level", () => {
    const file = fileOf(
      [{ ...WEB, color: "red", ci: { type: "ec2", color: 1 } }, SITE],
      { color: 1, vpc: { color: 1 } },
      { color: 1 },
    );
    const imported = importChecked(file);
    for (const path of [
      "/color",
      "/environments/0/color",
      "/environments/0/vpc/color",
      "/environments/0/services/0/color",
      "/environments/0/services/0/ci/color",
    ])
      assert.equal(findingAt(imported, path).class, "unsupported", path);
    assert.ok(!JSON.stringify(imported.proposal).includes("color"));
  });
});
