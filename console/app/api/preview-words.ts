/** The state of a preview, and who acts next, in words. Pure. */
import type { EnvironmentRow, Preview } from "../../../sdk/src/generated/types.ts";

export type PreviewWords = {
  /** A status of the API. */
  readonly status: string;
  readonly words: string;
  readonly tone: "good" | "busy" | "todo" | "bad" | "calm";
  /** Who acts next, and what follows. */
  readonly next: string;
};

/** Its pull request, or its key. */
export function titleOfPreview({ key, pullRequest }: Pick<Preview, "key" | "pullRequest">): string {
  if (pullRequest === null) return key;
  const { number, title } = pullRequest;
  return title.trim() === "" ? `#${number}` : `#${number} ${title}`;
}

/** @param environment of the preview; undefined if it has none */
export function describePreview(
  { state, reason, waitsFor = null }: Pick<Preview, "state" | "reason"> & Partial<Pick<Preview, "waitsFor">>,
  environment: Pick<EnvironmentRow, "state" | "lastDeployment"> | undefined,
): PreviewWords {
  switch (state) {
    case "WAITING_FOR_APPROVAL":
      return {
        status: state,
        words: "Awaiting approval",
        tone: "todo",
        next: `${waitsFor === "admin" ? "An admin" : "A member"}: read the commit, and approve it.`,
      };
    case "WAITING_FOR_CAPACITY":
      return {
        status: state,
        words: "Waiting for room",
        tone: "calm",
        next: "Slipway: deploys it when there are fewer previews.",
      };
    case "ENDED":
      return {
        status: state,
        words: "Ended",
        tone: "calm",
        next: reason ?? "The author: the next commit creates it again.",
      };
    case "DELETING":
      return {
        status: state,
        words: "Deleting",
        tone: "busy",
        next: reason ?? "Slipway: removes what it has in the cloud account.",
      };
    case "SLEEPING": {
      const active = describeActive(environment);
      const next = "Reviewers: open it. The first request starts it again.";
      return active.status === "LIVE" ? { status: state, words: "Asleep", tone: "calm", next } : active;
    }
    default:
      return describeActive(environment);
  }
}

function describeActive(
  environment: Pick<EnvironmentRow, "state" | "lastDeployment"> | undefined,
): PreviewWords {
  const status = environment?.lastDeployment?.status ?? "PENDING";
  if (status === "ERROR" || status === "BUILD_ERROR")
    return { status, words: "Failed", tone: "bad", next: "The author: see the log, and push a correction." };
  if (status === "CANCELLED")
    return { status, words: "Cancelled", tone: "calm", next: "A member: deploy it again." };
  if (status !== "SUCCESS")
    return { status, words: "Deploying", tone: "busy", next: "Slipway: deploys the commit." };
  return { status: "LIVE", words: "Live", tone: "good", next: "Reviewers: open it." };
}
