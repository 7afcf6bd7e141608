import { Type } from "typebox";
import { EXAMPLE_IDS, Flag, Nullable, Text, Words } from "../../http/schemas.ts";
import { declareEvents } from "../events/event.ts";
import { CLEANUP_ACTORS } from "./preview-removal.ts";
import { type Preview, PREVIEW_STATES } from "./preview.ts";

const PreviewData = Type.Object({
  key: Text("`pr-12` for a pull request; otherwise as a client named it.", "pr-12"),
  branch: Text("The branch of the pull request.", "feature/cart"),
  commit: Text("The commit that it is to show.", "9fceb02d0ae598e95dc970b74767f19372d61af8"),
  isFork: Flag("Whether the commit comes from another repository.", false),
  state: Words(PREVIEW_STATES, { description: "The present state.", examples: ["ACTIVE"] }),
  url: Nullable(Text("The pull request, for people.", "https://github.com/acme/shop/pull/12")),
});

export const PREVIEW_EVENTS = declareEvents({
  "preview.created": {
    subject: "preview",
    description: "A pull request, or a key of a client, got a preview.",
    data: PreviewData,
  },
  "preview.approval_requested": {
    subject: "preview",
    description: "A commit of another repository waits until a member approves it.",
    data: PreviewData,
  },
  "preview.approved": {
    subject: "preview",
    description: "A member approved a commit of another repository.",
    data: Type.Object({ ...PreviewData.properties, approvedBy: Text("The user.", EXAMPLE_IDS.user) }),
  },
  "preview.cleanup_failed": {
    subject: "preview",
    description:
      "A deleted preview still has resources in the cloud account that cannot be removed. Slipway tries again until they are removed.",
    data: Type.Object({
      key: PreviewData.properties.key,
      code: Text(
        "The cause: `HAS_DOMAINS`, `ACCOUNT_NOT_CONNECTED`, `LATE`, or the account's refusal.",
        "ACCESS_DENIED",
      ),
      message: Text(
        "The cause, and what to do.",
        "It has domains: cart.example.com. Delete their groups, then the preview is deleted.",
      ),
      waitsFor: Words(CLEANUP_ACTORS, { description: "Who must act.", examples: ["admin"] }),
    }),
  },
  "preview.slept": {
    subject: "preview",
    description:
      "A preview got no request for the time that its template says. Its processes are stopped until the next request.",
    data: PreviewData,
  },
  "preview.woke": {
    subject: "preview",
    description: "The processes of a preview that slept run again, after a request or a new release.",
    data: PreviewData,
  },
  "preview.ended": {
    subject: "preview",
    description:
      "A preview of an open pull request ended, because a user deleted it or it reached its lifetime, and nothing of it is left in the cloud account. The next commit creates it again.",
    data: PreviewData,
  },
  "preview.deleted": {
    subject: "preview",
    description: "A preview ended, and nothing of it is left in the cloud account.",
    data: PreviewData,
  },
});

/** The data of all events of a preview. */
export function previewData({ key, branch, commitHash, isFork, state, pullRequest }: Preview) {
  return { key, branch, commit: commitHash, isFork, state, url: pullRequest?.url ?? null };
}
