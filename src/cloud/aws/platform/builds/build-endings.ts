/** The result of an ended build, for users. Pure. */
import type { Build } from "@aws-sdk/client-codebuild";
import {
  type BuildSeen,
  type BuildStatus,
  REPOSITORY_MAX_BYTES,
  type BuildRequest,
} from "../../../platform.ts";
import { TOO_LARGE_STATUS } from "./buildspec.ts";

export type BuildEnding = {
  readonly status: Exclude<BuildStatus, "RUNNING">;
  readonly failure: BuildSeen["failure"];
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
const TOO_LARGE = new RegExp(`exit status ${TOO_LARGE_STATUS}\\b`);

/** The ending of a build that did not succeed. */
export function endingOf({ buildStatus, phases }: Build, request: BuildRequest): BuildEnding {
  if (buildStatus === "TIMED_OUT") return timedOut(request);
  if (buildStatus === "STOPPED") return CANCELLED;
  const failed = phases?.find(({ phaseStatus }) => phaseStatus !== undefined && phaseStatus !== "SUCCEEDED");
  const isTooLarge = failed?.contexts?.some(({ message }) => TOO_LARGE.test(message ?? ""));
  if (failed?.phaseType === "PRE_BUILD" && isTooLarge === true) {
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
  const message = "A build command failed; the log says why.";
  return { status: "FAILED", failure: { code: "BUILD_COMMAND_FAILED", message } };
}
