import {
  type Deployment,
  type DeploymentStatus,
  hasEnded,
  NOTHING_WATCHED,
  type Run,
} from "../deployments/deployment.ts";
import type { Preview } from "../previews/preview.ts";
import type { Report as ReportSetting } from "../projects/project.ts";
import { type CommentFacts, ENDED_TEXT, writeCommentText } from "./comment-text.ts";
import type { DeploymentReport, Links, Report, SentReport, StatusReport } from "./report.ts";

const HOST_STATES: Readonly<Record<DeploymentStatus, DeploymentReport["state"]>> = {
  PENDING: "queued",
  PENDING_APPROVAL: "queued",
  INPROGRESS: "in_progress",
  BUILDING: "in_progress",
  DEPLOYING: "in_progress",
  SUCCESS: "success",
  ERROR: "failure",
  BUILD_ERROR: "failure",
  CANCELLED: "inactive",
  SUPERSEDED: "inactive",
};

/** The deployment has what errors say: a host may show this to everyone. */
const DESCRIPTIONS: Readonly<Record<DeploymentStatus, string>> = {
  PENDING: "The deployment waits.",
  PENDING_APPROVAL: "A second person has to approve the deployment.",
  INPROGRESS: "The deployment has started.",
  BUILDING: "The services are being built.",
  DEPLOYING: "The services are being released.",
  SUCCESS: "The commit is live.",
  ERROR: "The deployment failed. Its page shows the error.",
  BUILD_ERROR: "A build failed. Its log shows the error.",
  CANCELLED: "The deployment was cancelled.",
  SUPERSEDED: "A newer deployment replaced this one.",
};

type Stated = Pick<Deployment, "status" | "statusReason">;

/** Other reasons may contain what a program printed. */
function describe({ status, statusReason }: Stated): string {
  return status === "SUCCESS" && statusReason === NOTHING_WATCHED ? NOTHING_WATCHED : DESCRIPTIONS[status];
}

/** The state of a commit in an environment. Pure. */
function statusReport(commit: string, environment: string, stated: Stated, url: string | null): Report {
  const { status } = stated;
  const state: StatusReport["state"] = !hasEnded(status)
    ? "pending"
    : status === "SUCCESS"
      ? "success"
      : "failure";
  const context = `slipway/${environment}`;
  const report = { commit, context, state, url, description: describe(stated) };
  return { operation: "status", key: `status ${environment} ${commit}`, report };
}

/** The statuses that a commit has by a deployment in ordinary environments. Pure. */
export function decideStatuses(
  { id, commitHash }: Deployment,
  runs: readonly Pick<Run, "configId" | "status" | "statusReason">[],
  links: Links,
): readonly Report[] {
  return runs.map((run) => statusReport(commitHash, run.configId, run, links.deployment(id)));
}

export type PreviewFacts = CommentFacts & {
  /** Null if it was deleted. */
  readonly preview: Preview | null;
  /** Of its template. */
  readonly setting: ReportSetting;
  /** The template's id in the configuration. */
  readonly templateName: string;
  /** The environment's name at the host. */
  readonly environment: string;
  /** The address of its first HTTP service; null if there is none yet. */
  readonly url: string | null;
  readonly sent: readonly SentReport[];
};

/** What the git host should show of a preview. Reports that are not in the result stay as they are. Pure. */
export function decidePreviewReports(facts: PreviewFacts): readonly Report[] {
  const { preview, deployment, setting, sent } = facts;
  if (preview === null || preview.state === "DELETING" || preview.state === "ENDED")
    return sent.flatMap((one) => endReport(one, preview));
  if (setting === "none") return [];
  const deployed = deployment === null ? [] : reportDeployment(facts, preview, deployment);
  const earlier = sent.filter(
    (one) =>
      one.operation === "deployment" &&
      one.report.commit !== deployment?.commitHash &&
      // A commit that is live stays until the next one is live.
      !(one.report.state === "success" && deployment?.status !== "SUCCESS"),
  );
  return [
    ...earlier.flatMap((one) => endReport(one, preview)),
    ...deployed,
    ...statusOfPreview(facts, preview),
    ...(setting === "comment" ? writeComment(facts, preview) : []),
  ];
}

function endReport(sent: Report, preview: Preview | null): readonly Report[] {
  switch (sent.operation) {
    case "deployment":
      return [
        {
          ...sent,
          report: { ...sent.report, state: "inactive", description: "The commit is no longer deployed." },
        },
      ];
    case "comment":
      return [
        {
          ...sent,
          report: { ...sent.report, text: ENDED_TEXT[preview?.staysEnded === true ? "open" : "closed"] },
        },
      ];
    case "status":
      return [];
  }
}

function reportDeployment(
  { environment, url, links }: PreviewFacts,
  { branch }: Preview,
  deployment: Deployment,
): readonly Report[] {
  const { id, commitHash, status } = deployment;
  const report = {
    commit: commitHash,
    ref: branch,
    environment,
    isPreview: true,
    state: HOST_STATES[status],
    url,
    logUrl: links.deployment(id),
    description: describe(deployment),
  };
  return [{ operation: "deployment", key: `deployment ${commitHash}`, report }];
}

function statusOfPreview(
  { deployment, templateName, links }: PreviewFacts,
  { state, commitHash }: Preview,
): readonly Report[] {
  if (deployment?.commitHash === commitHash)
    return [statusReport(commitHash, templateName, deployment, links.deployment(deployment.id))];
  const description =
    state === "WAITING_FOR_APPROVAL"
      ? "A member of the project has to approve the commit."
      : "The preview waits until another one ends.";
  const context = `slipway/${templateName}`;
  const report = { commit: commitHash, context, state: "pending", url: links.previews, description } as const;
  return [{ operation: "status", key: `status ${templateName} ${commitHash}`, report }];
}

function writeComment(facts: PreviewFacts, preview: Preview): readonly Report[] {
  const { id, pullRequest } = preview;
  if (pullRequest === null) return [];
  const text = writeCommentText(facts, preview);
  return [{ operation: "comment", key: "comment", report: { number: pullRequest.number, marker: id, text } }];
}

/** With the longest ids of a template and of a preview, 255 characters: both hosts allow no more. */
const PROJECT_CHARACTERS_MAX = 153;

/**
 * The name of a preview's environment at the host, where other projects may have the same repository: the id of the
 * project ends a name that is cut, or has letters that the hosts do not allow. Pure.
 */
export function nameAtHost(
  { id, name }: { readonly id: string; readonly name: string },
  templateName: string,
  key: string,
): string {
  const lower = name.toLowerCase();
  const readable = lower.replaceAll(/[^a-z0-9]+/g, "-");
  if (readable.length <= PROJECT_CHARACTERS_MAX && !/[^ -~]/.test(lower))
    return `${readable}/${templateName}-${key}`;
  const cut = readable.slice(0, PROJECT_CHARACTERS_MAX - id.length - 1);
  return `${cut}-${id}`.replace(/^-+/, "").replace(/-+(?=-)/, "") + `/${templateName}-${key}`;
}
