import { Type } from "typebox";
import { At, EXAMPLE_IDS, Id, Instant, Nullable, NullableInstant, Text, Words } from "../../http/schemas.ts";
import { DeployersSchema } from "../projects/views.ts";
import { type Approval, APPROVAL_STATUSES } from "./deployment.ts";
import { instant } from "./run-views.ts";

export const ApprovalSchema = Type.Object(
  {
    environmentId: Id("env", "The environment that asks."),
    configId: Text("Its id in the configuration.", "production"),
    approvers: At(DeployersSchema, "The least role in the project that may decide."),
    status: Words(APPROVAL_STATUSES, {
      title: "ApprovalStatus",
      description:
        "`WAITING` for a decision. Else what became of it: `TIMED_OUT` without one, `CANCELLED` with the deployment, `SUPERSEDED` by a newer one.",
      examples: ["APPROVED"],
    }),
    requestedAt: Instant("Since when it waits.", "2026-11-20T09:52:02.000Z"),
    expiresAt: Instant("When it is cancelled, if nobody decides.", "2026-11-23T09:52:02.000Z"),
    decidedBy: Nullable(Text("The user who approved or rejected; null if nobody did.", EXAMPLE_IDS.user)),
    decidedAt: NullableInstant("When it no longer waited.", "2026-11-20T09:52:40.000Z"),
    comment: Nullable(Text("What that user said to it.", "Read and tried.")),
    isBypass: Type.Boolean({
      description: "Whether an admin of the project did without a second person, in an emergency.",
      examples: [false],
    }),
  },
  { title: "DeploymentApproval", description: "The approval that an environment asks for." },
);

export function viewApproval({ environmentId, configId, approvers, status, ...approval }: Approval) {
  return {
    environmentId,
    configId,
    approvers,
    status,
    requestedAt: approval.requestedAt.toISOString(),
    expiresAt: approval.expiresAt.toISOString(),
    decidedBy: approval.decidedBy,
    decidedAt: instant(approval.decidedAt),
    comment: approval.comment,
    isBypass: approval.isBypass,
  };
}
