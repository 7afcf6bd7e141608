/** The text of the comment in a pull request. It has only ids, states and addresses: a host may show it to everyone. Pure. */
import { shortHash } from "../../lib/short-hash.ts";
import type { Deployment, DeploymentStatus } from "../deployments/deployment.ts";
import type { Preview } from "../previews/preview.ts";
import type { Deployers } from "../projects/project.ts";
import type { Links } from "./report.ts";

export type CommentFacts = {
  /** The newest in its environment; null if there is none. */
  readonly deployment: Deployment | null;
  /** The services of that deployment. */
  readonly services: readonly {
    readonly configId: string;
    readonly status: DeploymentStatus;
    /** The commit that it still runs, because the deployed one changes none of its files; null: the deployed one. */
    readonly keptCommit: string | null;
    /** Null if it has none. */
    readonly address: string | null;
  }[];
  /** The lowest role that approves the commits of another repository. */
  readonly approver: Deployers;
  readonly links: Links;
};

/** Of a preview that ended, whose pull request may still be open. */
export const ENDED_TEXT = {
  open: "**Slipway**: the preview ended. The next commit creates it again.",
  closed: "**Slipway**: the preview was deleted.",
} as const;

const STATES: Readonly<Record<DeploymentStatus, { readonly state: string; readonly next: string }>> = {
  PENDING: { state: "waiting", next: "Slipway" },
  PENDING_APPROVAL: { state: "waiting for an approval", next: "a second person: approve the deployment" },
  INPROGRESS: { state: "waiting", next: "Slipway" },
  BUILDING: { state: "building", next: "Slipway" },
  DEPLOYING: { state: "being released", next: "Slipway" },
  SUCCESS: { state: "live", next: "reviewer: open the address" },
  ERROR: { state: "failed", next: "author: read the log, and push a correction" },
  BUILD_ERROR: { state: "build failed", next: "author: read the log, and push a correction" },
  CANCELLED: { state: "cancelled", next: "author: push another commit" },
  SUPERSEDED: { state: "replaced by a newer commit", next: "Slipway" },
};

export function writeCommentText(
  { deployment, services, approver, links }: CommentFacts,
  preview: Preview,
): string {
  const { state, commitHash } = preview;
  const paragraphs = ["**Slipway preview**"];
  if (deployment !== null) {
    const shown =
      services.length === 0
        ? [{ configId: "all", status: deployment.status, keptCommit: null, address: null }]
        : services;
    const rows = shown.map(({ configId, status, keptCommit, address }) => {
      const { state: said, next } = STATES[status];
      const commit = shortHash(keptCommit ?? deployment.commitHash);
      const saidOfIt = keptCommit === null ? said : `${said}, unchanged`;
      return row([configId, address ?? "none yet", saidOfIt, `\`${commit}\``, next]);
    });
    paragraphs.push([HEAD, ...rows].join("\n"), `[Deployment and log](${links.deployment(deployment.id)})`);
  }
  if (state === "WAITING_FOR_APPROVAL") paragraphs.push(howToApprove(preview, approver, links));
  if (state === "WAITING_FOR_CAPACITY" && deployment?.commitHash !== commitHash)
    paragraphs.push(`\`${shortHash(commitHash)}\` waits until another preview ends. Next: Slipway.`);
  return paragraphs.join("\n\n");
}

const row = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
const HEAD = [
  row(["Service", "Address", "State", "Commit", "Next"]),
  row(["---", "---", "---", "---", "---"]),
].join("\n");

function howToApprove({ id, commitHash }: Preview, approver: Deployers, links: Links): string {
  const roles = approver === "admin" ? "admin" : "developer or admin";
  return [
    `\`${shortHash(commitHash)}\` comes from another repository and is not deployed yet.`,
    `Next: a member of the project with the role ${roles} reviews the commit and approves it, in the [console](${links.previews}) or with \`slipway previews approve ${id} --commit ${commitHash}\`.`,
    "An approval is valid for this commit only. The preview gets no secrets.",
  ].join(" ");
}
