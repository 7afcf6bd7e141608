/** What the git host is sent: deployments, statuses of commits, and one comment in each pull request. */
import type { CommentReport, DeploymentReport, StatusReport } from "../../git/pull-requests.ts";

export type { DeploymentReport, StatusReport } from "../../git/pull-requests.ts";

/** A report as it should be at the host. Its key distinguishes it from others of its deployment or preview. */
export type Report =
  | { readonly operation: "deployment"; readonly key: string; readonly report: Omit<DeploymentReport, "id"> }
  | { readonly operation: "status"; readonly key: string; readonly report: StatusReport }
  | { readonly operation: "comment"; readonly key: string; readonly report: Omit<CommentReport, "id"> };

/** A report that the host took. */
export type SentReport = Report & {
  /** Its id at the host; null for what has none. */
  readonly hostId: string | null;
};

/** A report of an ordinary environment or of a preview, which names where people read more. */
export type Links = {
  readonly deployment: (id: string) => string;
  /** Where the console shows the previews. */
  readonly previews: string;
};
