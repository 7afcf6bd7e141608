/** Templates of every shape, for tests and for CloudFormation's linter. */
import type { RuntimeVariable, Workload, WorkloadSize } from "../../../../platform.ts";
import type { Routing } from "./container-resources.ts";
import { environmentTemplate } from "./environment-template.ts";
import { prepareTemplate } from "./prepare-template.ts";
import { serviceTemplate } from "./service-template.ts";
import { type StoreParts, storeTemplate } from "./store-template.ts";
import type { Template } from "./template.ts";

export const ACCOUNT = {
  connectionId: "aws_01h455vb4pex5vsknk084sn02q",
  accountId: "123456789012",
  roleArn: "arn:aws:iam::123456789012:role/slipway-access",
};
export const SERVICE = {
  serviceId: "svc_01h455vb4pex5vsknk084sn02r",
  environmentId: "env_01h455vb4pex5vsknk084sn02s",
  region: "us-west-2",
};
const ROLES = `arn:aws:iam::${ACCOUNT.accountId}:role/slipway/${ACCOUNT.connectionId}`;
export const RUN_ROLE = `${ROLES}/slipway-run-${SERVICE.environmentId}`;
export const BUILD_ROLE = `${ROLES}/slipway-build-${SERVICE.serviceId}`;
export const SIZE: WorkloadSize = { cpu: 0.25, memoryGb: 0.5, minInstances: 1, maxInstances: 1 };
const ORIGIN = { dbName: "app", username: "slipway", snapshot: null };
export const DATABASE: Extract<StoreParts["shape"], { type: "postgres" | "mysql" }> = {
  type: "postgres",
  version: "17",
  size: "micro",
  storageGb: 20,
  backupRetentionDays: 7,
  deletionProtection: true,
};
export const CACHE: Extract<StoreParts["shape"], { type: "redis" }> = {
  type: "redis",
  version: "8",
  size: "micro",
  deletionProtection: true,
};
export const IMAGE = `sha256:${"a".repeat(64)}`;
export const WEB: Extract<Workload, { type: "web" }> = {
  type: "web",
  buildCommand: null,
  startCommand: "npm start",
  port: 3000,
  healthCheckPath: "/healthz",
  size: SIZE,
};
export const VARIABLES: readonly RuntimeVariable[] = [
  { name: "PLAIN", kind: "plainText", value: "a ${Ref} that is none" },
  { name: "PORT", kind: "plainText", value: "1" },
  { name: "STORED", kind: "fromParameterStore", reference: "/slipway/stored" },
  {
    name: "SECRET",
    kind: "fromSecretsManager",
    reference: "arn:aws:secretsmanager:us-west-2:123456789012:secret:slipway/s-AbCdEf",
  },
  { name: "NAMED", kind: "fromSecretsManager", reference: "slipway/by-name" },
];

export function releaseTemplate(
  workload: Workload,
  variables: readonly RuntimeVariable[] = [],
  artifact: string = IMAGE,
  routing: Routing = { kind: "shared", place: 1 },
): Template {
  const common = { digest: "0123456789abcdef", workload, artifact, variables, runRole: RUN_ROLE };
  const release = { ...common, routing: workload.type === "web" ? routing : null };
  return serviceTemplate(ACCOUNT, SERVICE, BUILD_ROLE, release);
}

export function templateOfStore(shape: StoreParts["shape"], more: Partial<StoreParts> = {}): Template {
  return storeTemplate({
    storeId: SERVICE.serviceId,
    environmentId: SERVICE.environmentId,
    networkId: SERVICE.environmentId,
    accountId: ACCOUNT.accountId,
    shape,
    origin: ORIGIN,
    isRemovable: false,
    ...more,
  });
}

export function allTemplates(): ReadonlyMap<string, Template> {
  const worker = { type: "worker", buildCommand: null, startCommand: null, size: SIZE } as const;
  const site = { type: "static", buildCommand: null, outputDirectory: "dist" } as const;
  const scaled = { ...WEB, size: { ...SIZE, maxInstances: 4 } };
  const byAll = {
    ...scaled,
    autoscaling: { cpuThreshold: 60, memoryThreshold: 75, requestsPerTarget: 1_000 },
  };
  const restored = { origin: { ...ORIGIN, snapshot: "slipway-store-1" } };
  return new Map([
    ["environment", environmentTemplate(SERVICE.environmentId, { hasBalancer: false })],
    ["environment with a web service", environmentTemplate(SERVICE.environmentId, { hasBalancer: true })],
    ["service before its first release", serviceTemplate(ACCOUNT, SERVICE, BUILD_ROLE, null)],
    ["service of a connection of version 1", serviceTemplate(ACCOUNT, SERVICE, null, null)],
    ["web service", releaseTemplate(WEB, VARIABLES)],
    ["web service with its own load balancer", releaseTemplate(WEB, VARIABLES, IMAGE, { kind: "own" })],
    ["web service that moves", releaseTemplate(WEB, VARIABLES, IMAGE, { kind: "both", place: 49 })],
    ["web service that scales", releaseTemplate(scaled)],
    ["web service that scales by all", releaseTemplate(byAll)],
    ["moving service that scales by all", releaseTemplate(byAll, [], IMAGE, { kind: "both", place: 2 })],
    [
      "service with its own load balancer that scales by all",
      releaseTemplate(byAll, [], IMAGE, { kind: "own" }),
    ],
    ["scheduler", releaseTemplate({ type: "scheduler", buildCommand: null, size: SIZE }, VARIABLES)],
    ["worker", releaseTemplate(worker, VARIABLES)],
    [
      "command before a release",
      prepareTemplate(ACCOUNT, SERVICE, {
        digest: "0123456789abcdef",
        workload: WEB,
        artifact: IMAGE,
        variables: VARIABLES,
        runRole: RUN_ROLE,
      }),
    ],
    ["worker of an image", releaseTemplate(worker, VARIABLES, `ghcr.io/acme/api@${IMAGE}`)],
    ["worker that scales", releaseTemplate({ ...worker, size: scaled.size })],
    ["static service", releaseTemplate(site, [], "commits/abc/def")],
    ["PostgreSQL", templateOfStore(DATABASE)],
    ["restored PostgreSQL", templateOfStore(DATABASE, restored)],
    ["PostgreSQL to be removed", templateOfStore(DATABASE, { isRemovable: true })],
    ["MySQL", templateOfStore({ ...DATABASE, type: "mysql", version: "8.4" })],
    ["cache", templateOfStore(CACHE)],
    ["restored cache", templateOfStore(CACHE, restored)],
    ["bucket", templateOfStore({ type: "bucket", deletionProtection: true })],
    ["single-page app", releaseTemplate({ ...site, singlePageApp: true }, [], "commits/abc/def")],
  ]);
}
