import { Type } from "typebox";
import { Id, Instant, Nullable, Text, viewAs, Words } from "../../http/schemas.ts";
import { OUTCOMES, type Outcome, type Receipt } from "./receipt.ts";

const REASONS: Readonly<Record<Outcome, string | null>> = {
  STARTED: null,
  NO_PUSH: "It is not a push to a branch, but another event, a tag, or the deletion of a branch.",
  BRANCH_NOT_DEPLOYED: "No environment deploys on pushes to this branch.",
  NOT_HEAD: "The commit is no longer the head of the branch: a later push deploys.",
  REPEATED: "The same delivery came before, and its deployment succeeded, is under way, or has a successor.",
  ALREADY_DEPLOYED: "Another hook has already delivered this push.",
  SIGNATURE_WRONG:
    "It is not signed with the hook secret of this integration. Enter the present secret at the git host, or create a new one.",
  TOO_LARGE:
    "Its body is larger than 5 MiB, so its signature was not checked. Push fewer commits at once, or deploy the branch yourself. If you have not pushed, the delivery is not from your git host.",
  FAILED: "Slipway could not read the repository. Deliver it again from the git host.",
};

export const GitHookDeliverySchema = Type.Object(
  {
    id: Id("ghd", "Id of the delivery in Slipway."),
    receivedAt: Instant("When it arrived."),
    hostId: Nullable(Text("Its id at the git host.", "72d3162e-cc78-11e3-81ab-4c9367dc0958")),
    repositoryUrl: Text("The repository that it is about.", "https://github.com/acme/shop"),
    branch: Nullable(Text("The branch that was pushed; null for other events.", "main")),
    commitHash: Nullable(Text("The pushed commit.", "9fceb02d0ae598e95dc970b74767f19372d61af8")),
    outcome: Words(OUTCOMES, {
      title: "GitHookOutcome",
      description: "Its outcome: `STARTED`, or why it deployed nothing.",
      examples: ["BRANCH_NOT_DEPLOYED"],
    }),
    reason: Nullable(
      Text("Why it deployed nothing; null if it did.", "No environment deploys on pushes to this branch."),
    ),
    errorCode: Nullable(Text("With `FAILED`: the error code that the git host received.", null)),
    deploymentIds: Type.Array(Id("depl", "A deployment."), {
      description: "The deployments that it started.",
    }),
  },
  { title: "GitHookDelivery", description: "A delivery of a git host, and its outcome." },
);

export function viewReceipt(receipt: Receipt) {
  return viewAs(GitHookDeliverySchema, { ...receipt, reason: REASONS[receipt.outcome] });
}
