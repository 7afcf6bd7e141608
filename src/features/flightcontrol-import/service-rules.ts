/**
 * What becomes of each field of a service that is imported: one table for containers (web, worker and scheduler), one
 * for static sites. Fields of the build are in `decide-build.ts`. If Slipway supports another field, its line changes.
 */
import { isObject } from "../../lib/json/is-object.ts";
import { ONE_LINE } from "../../lib/shown-text.ts";
import type { Autoscaling, HealthCheckTimes } from "../../cloud/platform.ts";
import { rulesOf } from "./classify.ts";
import {
  blocking,
  changed,
  ignored,
  isServer,
  mapped,
  missing,
  type Verdict,
  wrongForm,
} from "./flightcontrol-import.ts";
import { judgeHealthTime } from "./decide-health-times.ts";
import { BUILD_FIELDS } from "./decide-build.ts";
import { containsSecret } from "./looks-secret.ts";
import { type Proposed, readWatchPaths } from "./decide-service.ts";

type Rule = (value: unknown, of: Proposed) => Verdict;

const LINE = new RegExp(ONE_LINE, "u");
const STORAGE_GB = 20;

const USUAL = "Slipway does the same.";

/** A field that Slipway does not have: one of these values changes nothing. */
function unless(values: readonly unknown[], verdict: Verdict): Rule {
  return (value) => (values.includes(value) || isEmpty(value) ? ignored(USUAL) : verdict);
}

function isEmpty(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0;
  return isObject(value) && Object.keys(value).length === 0;
}

const always =
  (verdict: Verdict): Rule =>
  () =>
    verdict;

const isName = (value: unknown): value is string =>
  typeof value === "string" && value.trim() !== "" && value.length <= 200 && LINE.test(value);

/** The name that the proposal has; undefined for its id. */
export function nameOf(value: unknown): string | undefined {
  return isName(value) ? value : undefined;
}

export function judgeName(value: unknown): Verdict {
  return isName(value)
    ? mapped()
    : changed("A name has 1 to 200 characters in one line. The id is shown instead.");
}

const OLD_TYPES: ReadonlySet<unknown> = new Set(["fargate", "fargate-worker"]);

const SHARED: Readonly<Record<string, Rule>> = {
  id: (value, { id }) =>
    value === id
      ? mapped()
      : changed(`Ids have letters, digits, _ and -, and at most 60 of them: it is ${id}.`),
  name: judgeName,
  type: (value, { type }) => (OLD_TYPES.has(value) ? changed(`It is the former name of ${type}.`) : mapped()),
  dependsOn: (_, { dependsOn }) => dependsOn.verdict,
  domain: (value, { type, id, environment }) =>
    type === "web-private"
      ? missing("Only services of its environment reach it, so no name leads to it.")
      : typeof value === "string"
        ? changed(
            "Custom domains are not part of slipway.json.",
            `After the first deployment: slipway domains add ${/^[\w.*-]+$/.test(value) ? value : "NAME"} -e ${environment} -s ${id} --wait.`,
          )
        : wrongForm("a domain name"),
  ...Object.fromEntries(
    BUILD_FIELDS.map((field): [string, Rule] => [
      field,
      (_, { build }) => build.verdicts.get(field) ?? missing("Services of this type do not have it."),
    ]),
  ),
  watchPaths: (value) =>
    isEmpty(value)
      ? ignored("It is empty.")
      : readWatchPaths(value) === null
        ? wrongForm("a list of at most 50 texts of at most 255 characters")
        : mapped(),
  versionHistoryCount: always(ignored("Slipway keeps the artifacts that a rollback needs.")),
  cloudfrontAutoCacheInvalidation: always(
    ignored("A release is served from a new address, so nothing is stale."),
  ),
  originShieldEnabled: always(ignored("It only changes how often CloudFront asks the service.")),
  "ci.type": always(ignored("Slipway builds with CodeBuild in your account.")),
  "ci.instanceSize": always(ignored("It only sizes the machine of the build.")),
  "ci.instanceStorage": always(ignored("It only sizes the machine of the build.")),
  "ci.storageThroughput": always(ignored("It only sizes the machine of the build.")),
  "ci.storageIops": always(ignored("It only sizes the machine of the build.")),
  "ci.storageType": always(ignored("It only sizes the machine of the build.")),
  "integrations.uploadSentrySourceMap": unless(
    [false],
    missing("Slipway does not upload source maps.", "Upload them in the build command, with sentry-cli."),
  ),
};

export const STATIC_RULES = rulesOf<Proposed>({
  ...SHARED,
  singlePageApp: (value) =>
    value === true ? mapped() : value === false ? ignored(USUAL) : wrongForm("true or false"),
});

const FARGATE = "Services run on Fargate, which needs no instances of EC2.";
const NO_REQUESTS = ignored("A worker takes no requests.");

function time(field: keyof HealthCheckTimes): Rule {
  return (value, { type, healthTimes }) =>
    isServer(type) ? judgeHealthTime(field, value, healthTimes) : NO_REQUESTS;
}

function threshold(name: keyof Autoscaling): Rule {
  return (value, { type, instances, autoscaling }) => {
    if (!isServer(type) && name === "requestsPerTarget") return NO_REQUESTS;
    if (typeof value !== "number" || value <= 0) return wrongForm("a number above 0");
    if (instances.min === instances.max) return ignored("The number of instances never changes.");
    if (autoscaling === null) return missing("This server runs one instance of each service.");
    const written = autoscaling[name];
    return value === written ? mapped() : changed(`It is ${written}.`);
  };
}

export const CONTAINER_RULES = rulesOf<Proposed>({
  ...SHARED,
  "target.type": (value) =>
    value === "fargate"
      ? ignored("Slipway runs services on Fargate.")
      : value === "ecs-ec2"
        ? changed(FARGATE)
        : wrongForm("fargate or ecs-ec2"),
  "target.clusterInstanceSize": always(ignored(FARGATE)),
  "target.clusterMinInstances": always(ignored(FARGATE)),
  "target.clusterMaxInstances": always(ignored(FARGATE)),
  cpu: (_, { size }) => size.cpu,
  memory: (_, { size }) => size.memory,
  gpu: unless([0], blocking("Fargate has no GPU.", "Leave this service where it is.")),
  storage: unless(
    [STORAGE_GB],
    blocking(
      `An instance has ${STORAGE_GB} GB of disk.`,
      "Keep the files in a bucket, or leave this service where it is.",
    ),
  ),
  minInstances: (value, { instances }) => judgeCount(value, instances.min),
  maxInstances: (value, { instances }) => judgeCount(value, instances.max),
  "autoscaling.cpuThreshold": threshold("cpuThreshold"),
  "autoscaling.memoryThreshold": threshold("memoryThreshold"),
  "autoscaling.requestsPerTarget": threshold("requestsPerTarget"),
  "autoscaling.cooldownTimerSecs": always(ignored("AWS's default time is used.")),
  port: (value, { type, port }) =>
    !isServer(type)
      ? NO_REQUESTS
      : value === port
        ? mapped()
        : Number(value) === port
          ? changed("It is a number.")
          : wrongForm("a port from 1 to 65535"),
  healthCheckPath: (value, { type, healthCheckPath }) =>
    !isServer(type)
      ? NO_REQUESTS
      : value === healthCheckPath
        ? mapped()
        : typeof value === "string" && containsSecret(value)
          ? blocking(
              "It contains a text that looks like a secret, so it is not copied.",
              "Let the service answer a path without it, and write that path in the proposal.",
            )
          : wrongForm("a path of at most 1,024 characters without spaces, such as /health"),
  healthCheckTimeoutSecs: time("healthCheckTimeoutSeconds"),
  healthCheckIntervalSecs: time("healthCheckIntervalSeconds"),
  healthCheckGracePeriodSecs: time("healthCheckGracePeriodSeconds"),
  "experimental.healthCheckTimeout": time("healthCheckTimeoutSeconds"),
  "experimental.healthCheckInterval": time("healthCheckIntervalSeconds"),
  "experimental.runAsNonRootUser": unless(
    [false],
    missing("The image decides the user.", "Set USER in the Dockerfile."),
  ),
  "experimental.datadog": (value) =>
    isObject(value) && value["enabled"] === false
      ? ignored(USUAL)
      : missing("Slipway starts no agent of Datadog.", "Send traces and logs from the service itself."),
  stickySessionsEnabled: (value, { instances }) =>
    value === false || instances.max === 1
      ? ignored("There is one instance, or they are not used.")
      : blocking(
          "Requests of one visitor may reach any instance.",
          "Keep sessions in a database or a cookie, or set maxInstances to 1.",
        ),
  stickySessionsDurationSecs: always(ignored("It belongs to stickySessionsEnabled.")),
  enableCloudfrontSwr: unless([false], missing("CloudFront does not serve stale answers of the service.")),
  preDeployCommand: (_, { preDeploy }) => preDeploy.verdict,
  postDeployCommand: (_, { postDeploy }) => postDeploy.verdict,
  privileged: unless(
    [false],
    blocking("Fargate runs no privileged containers.", "Leave this service where it is."),
  ),
  dockerLabels: unless([], missing("Containers get no labels of the file.")),
  injectEnvVariablesInDockerfile: always(
    ignored("Slipway passes variables to a build, and never changes the Dockerfile."),
  ),
  includeEnvVariablesInBuild: unless(
    [true],
    missing("A build gets the variables of its service, too.", "Check that the build prints none of them."),
  ),
  containerInsights: unless([false], missing("Slipway does not switch on Container Insights.")),
  sidecars: (value) =>
    isEmpty(value)
      ? ignored(USUAL)
      : hasEssential(value)
        ? blocking(
            "A service has one container.",
            "Run what the sidecar does in the service, or as a service of its own.",
          )
        : missing(
            "A service has one container, so sidecars are left out.",
            "Run an agent as a service of its own.",
          ),
  "logging.cloudwatchLogsEnabled": unless([true], missing("Logs are always in CloudWatch.")),
  "logging.cloudwatchLogsRetentionDays": (value, { logRetentionDays }) => {
    if (typeof value !== "number" || value < 1) return wrongForm("a number of days");
    if (logRetentionDays === null) return missing("This server keeps logs by size, not by days.");
    return changed(
      value === logRetentionDays
        ? "It is called logRetentionDays."
        : `CloudWatch does not have this period: logRetentionDays is ${logRetentionDays}.`,
    );
  },
  "logging.ecsLogsMetadataEnabled": unless([false], missing("Lines of the log have no metadata of ECS.")),
  "logging.firelens": unless(
    [],
    missing("Logs go to CloudWatch, and to no router.", "Send them from the service itself."),
  ),
  "logging.envVariables": unless([], missing("They belong to the router of logs.")),
  "permissions.attach": unless([], noPermissions()),
  "permissions.inline": unless([""], noPermissions()),
});

const OF_A_PROCESS = ignored("A scheduler starts no process: each start of a job is one instance.");

export const SCHEDULER_RULES = rulesOf<Proposed>({
  ...Object.fromEntries(CONTAINER_RULES),
  minInstances: always(OF_A_PROCESS),
  maxInstances: always(OF_A_PROCESS),
  preDeployCommand: always(missing("A scheduler has no command before a release.")),
  postDeployCommand: always(missing("A scheduler has no command after a release.")),
  cpuArchitecture: (value) =>
    JSON.stringify([value].flat()) === '["x86_64"]'
      ? ignored(USUAL)
      : missing("Slipway builds and runs x86_64.", "Check that the dependencies exist for x86_64."),
});

function noPermissions(): Verdict {
  return blocking(
    "The role of a service has no permissions for other services of AWS.",
    "Give the service credentials as managed variables, or leave it where it is.",
  );
}

function hasEssential(value: unknown): boolean {
  return Array.isArray(value) && value.some((one) => isObject(one) && one["essential"] === true);
}

function judgeCount(value: unknown, written: number): Verdict {
  if (value === written) return mapped();
  return typeof value === "number"
    ? changed(`There are 1 to 100 instances, and maxInstances is at least minInstances: it is ${written}.`)
    : wrongForm("a number");
}
