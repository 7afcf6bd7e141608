/** What CodeBuild gets for a commit, and what the ending of its build means. Pure. */
import type {
  Build,
  BuildPhase,
  EnvironmentVariable,
  StartBuildCommandInput,
} from "@aws-sdk/client-codebuild";
import type { CloudAccount } from "../../../cloud.ts";
import {
  type BuildRequest,
  type ObservedBuild,
  type BuildStatus,
  REPOSITORY_MAX_BYTES,
  type RuntimeVariable,
} from "../../../platform.ts";
import { tokenDigest } from "../../calls/tags.ts";
import {
  buildspecOf,
  INSTALL_FAILED_STATUS,
  sourceTypeOf,
  TOO_LARGE_STATUS,
  VARIABLE_PREFIX,
} from "./buildspec.ts";
import { namesOf } from "../stacks/names.ts";

/** CodeBuild's own bounds for a time limit, in minutes. */
const LIMIT_MINUTES = { min: 5, max: 2_160 };

/** The input of CodeBuild for a commit. */
export function startBuildInput(account: CloudAccount, request: BuildRequest): StartBuildCommandInput {
  const { workload, source, service, token, variables, timeLimitSeconds } = request;
  const digest = tokenDigest(token);
  const sourceType = sourceTypeOf(source.repoUrl);
  const minutes = Math.ceil(timeLimitSeconds / 60);
  const namesWhere = (isPlain: boolean) =>
    variables.flatMap(({ name, kind }) => ((kind === "plainText") === isPlain ? [name] : [])).join(" ");
  const own: Readonly<Record<string, string>> = {
    SLIPWAY_BUILD: digest,
    SLIPWAY_COMMIT: source.commit,
    SLIPWAY_REPOSITORY: source.repoUrl,
    SLIPWAY_MAX_KIB: String(REPOSITORY_MAX_BYTES / 1024),
    SLIPWAY_BASE: workload.basePath ?? ".",
    SLIPWAY_INSTALL_COMMAND: workload.installCommand ?? "",
    SLIPWAY_BUILD_COMMAND: workload.buildCommand ?? "",
    SLIPWAY_PLAIN: namesWhere(true),
    SLIPWAY_MANAGED: namesWhere(false),
    ...(workload.type === "static"
      ? { SLIPWAY_OUTPUT: workload.outputDirectory, SLIPWAY_FOLDER: folderOf(request) }
      : {
          SLIPWAY_DOCKERFILE: workload.dockerfilePath ?? "",
          SLIPWAY_CONTEXT: workload.dockerContext ?? "",
        }),
  };
  return {
    projectName: namesOf(account, service).project,
    idempotencyToken: digest,
    sourceTypeOverride: sourceType,
    ...(sourceType === "NO_SOURCE"
      ? {}
      : { sourceLocationOverride: source.repoUrl, sourceVersion: source.commit, gitCloneDepthOverride: 1 }),
    buildspecOverride: buildspecOf(workload, sourceType),
    // Docker needs it; static files do not.
    privilegedModeOverride: workload.type !== "static",
    timeoutInMinutesOverride: Math.min(Math.max(minutes, LIMIT_MINUTES.min), LIMIT_MINUTES.max),
    environmentVariablesOverride: [
      ...Object.entries(own).map(([name, value]) => ({ name, value, type: "PLAINTEXT" as const })),
      ...variables.map(toBuildVariable),
    ],
  };
}

/** The folder for the files of a static build. Two builds of a commit never use the same folder. */
export function folderOf({ source, token }: Pick<BuildRequest, "source" | "token">): string {
  return `commits/${source.commit}/${tokenDigest(token)}`;
}

/**
 * Passes a managed value as a reference, which CodeBuild resolves with the build's role
 * (https://docs.aws.amazon.com/codebuild/latest/APIReference/API_EnvironmentVariable.html).
 */
function toBuildVariable(variable: RuntimeVariable): EnvironmentVariable {
  const name = `${VARIABLE_PREFIX}${variable.name}`;
  switch (variable.kind) {
    case "plainText":
      return { name, value: variable.value, type: "PLAINTEXT" };
    case "fromParameterStore":
      return { name, value: variable.reference, type: "PARAMETER_STORE" };
    case "fromSecretsManager":
      return { name, value: variable.reference, type: "SECRETS_MANAGER" };
    case "joined":
      throw new TypeError("A build on AWS has a joined value, which findLostVariable refuses.");
  }
}

export type BuildEnding = {
  readonly status: Exclude<BuildStatus, "RUNNING">;
  readonly failure: ObservedBuild["failure"];
};

export const CANCELLED = {
  status: "CANCELLED",
  failure: { code: "CANCELLED", message: "The build was cancelled." },
} as const;

export function timedOut({ timeLimitSeconds }: BuildRequest): BuildEnding {
  const message = `The build took longer than its limit of ${timeLimitSeconds} seconds.`;
  return { status: "TIMED_OUT", failure: { code: "TIMED_OUT", message } };
}

/** CodeBuild reports a failed command only as text. */
const hasStatus = (phase: BuildPhase | undefined, status: number): boolean =>
  phase?.contexts?.some(({ message }) => new RegExp(`exit status ${status}\\b`).test(message ?? "")) === true;

/** The ending of a build that did not succeed. */
export function endingOf({ buildStatus, phases }: Build, request: BuildRequest): BuildEnding {
  if (buildStatus === "TIMED_OUT") return timedOut(request);
  if (buildStatus === "STOPPED") return CANCELLED;
  const failed = phases?.find(({ phaseStatus }) => phaseStatus !== undefined && phaseStatus !== "SUCCEEDED");
  if (failed?.phaseType === "PRE_BUILD" && hasStatus(failed, TOO_LARGE_STATUS)) {
    const message = `The repository is larger than the limit of ${REPOSITORY_MAX_BYTES / 1024 ** 3} GiB (its files, or its history as fetched). Remove large files from the repository, including its history.`;
    return { status: "FAILED", failure: { code: "REPOSITORY_TOO_LARGE", message } };
  }
  if (failed?.phaseType === "DOWNLOAD_SOURCE" || failed?.phaseType === "PRE_BUILD") {
    const message = `CodeBuild could not fetch commit ${request.source.commit} of ${request.source.repoUrl}. A private repository needs credentials. See the log.`;
    return { status: "FAILED", failure: { code: "SOURCE_UNAVAILABLE", message } };
  }
  if (buildStatus === "FAULT" || failed?.phaseType === "PROVISIONING") {
    const message = "CodeBuild itself failed. Deploy again.";
    return { status: "FAILED", failure: { code: "BUILD_FAULT", message } };
  }
  if (failed?.phaseType === "BUILD" && hasStatus(failed, INSTALL_FAILED_STATUS)) {
    const message = "installCommand failed; the log says why.";
    return { status: "FAILED", failure: { code: "INSTALL_COMMAND_FAILED", message } };
  }
  const message = "A build command failed; the log says why.";
  return { status: "FAILED", failure: { code: "BUILD_COMMAND_FAILED", message } };
}
