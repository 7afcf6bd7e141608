import { useState } from "react";
import type { DeploymentApproval, DeploymentDetails } from "../../../sdk/src/generated/types.ts";
import { reasonAgainstDecision, tellApprovers, tellDecision } from "../api/approval-rules.ts";
import { slipway } from "../api/client.ts";
import { useCan, useMe } from "../api/permissions.ts";
import { readAll, useLater } from "../api/query.ts";
import { FormBox, useForm } from "../components/form.tsx";
import { Notice } from "../components/problem.tsx";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { TextArea } from "../ui/field.tsx";
import { Fine, Row } from "../ui/layout.tsx";
import { toast } from "../ui/toast.tsx";
import { When } from "../ui/time.tsx";

type Props = { readonly deployment: DeploymentDetails; readonly approval: DeploymentApproval };

/** What a deployment waits for until a second person decides, and what was decided; nothing for others. */
export function Approvals({ deployment }: { readonly deployment: DeploymentDetails }) {
  return deployment.approvals.map((approval) =>
    approval.status === "WAITING" ? (
      <Waiting key={approval.environmentId} deployment={deployment} approval={approval} />
    ) : (
      <Decided key={approval.environmentId} {...approval} />
    ),
  );
}

function Waiting({ deployment, approval }: Props) {
  const { projectId, startedBy } = deployment;
  const { environmentId, configId, expiresAt, approvers } = approval;
  const target = { projectId, environmentId };
  const { user } = useMe();
  const [choice, setChoice] = useState<Choice | null>(null);
  const mayDeploy = useCan("approve deployments", target);
  // What admins of the project do is refused to others for the same reason.
  const asAdmin = useCan("protect environments", target);
  const byRole = mayDeploy.reason ?? (approvers === "admin" ? asAdmin.reason : null);
  const reason = byRole ?? reasonAgainstDecision({ startedBy }, user.id);
  return (
    <Notice title={`${configId} waits for an approval`}>
      <p>
        {tellApprovers(approval)} Without a decision, it is cancelled <When at={expiresAt} />.
      </p>
      <Row>
        <Button look="primary" disabledReason={reason} onClick={() => setChoice("approve")}>
          Approve
        </Button>
        <Button disabledReason={reason} onClick={() => setChoice("reject")}>
          Reject
        </Button>
        {reason !== null && asAdmin.may ? (
          <Button onClick={() => setChoice("bypass")}>Begin without a second person</Button>
        ) : null}
      </Row>
      {choice === null ? null : (
        <DecisionDialog {...{ deployment, approval, choice }} onClose={() => setChoice(null)} />
      )}
    </Notice>
  );
}

type Choice = "approve" | "reject" | "bypass";

const WORDS: Readonly<Record<Choice, { readonly action: string; readonly said: string }>> = {
  approve: { action: "Approve", said: "Approved. It goes on." },
  reject: { action: "Reject", said: "Rejected. It does not go live there." },
  bypass: { action: "Begin", said: "Begun without a second person, which is recorded." },
};

function DecisionDialog({
  deployment: { id, commit },
  approval: { environmentId, configId },
  choice,
  onClose,
}: Props & { readonly choice: Choice; readonly onClose: () => void }) {
  const { action, said } = WORDS[choice];
  const form = useForm({
    initial: { comment: "" },
    submit: ({ comment }) => {
      const decision = { environmentId, ...(comment.trim() === "" ? {} : { comment: comment.trim() }) };
      if (choice === "reject") return slipway.deployments.reject(id, decision);
      const isBypass = choice === "bypass";
      return slipway.deployments.approve(id, isBypass ? { ...decision, isBypass } : decision);
    },
    refreshes: ["deployments", "overview"],
    onDone: () => {
      onClose();
      toast(said);
    },
  });
  const title = {
    approve: `Approve ${commit} for ${configId}?`,
    reject: `Reject ${commit} for ${configId}?`,
    bypass: `Begin ${commit} in ${configId} without a second person?`,
  }[choice];
  return (
    <Dialog title={title} onClose={onClose}>
      {choice === "bypass" ? (
        <p>For emergencies. That you did this, and why, is recorded and told to those who follow events.</p>
      ) : null}
      <FormBox form={form} action={action} onCancel={onClose}>
        <TextArea
          label={choice === "bypass" ? "Why" : "Comment"}
          isOptional={choice !== "bypass"}
          maxLength={500}
          {...form.field("comment")}
        />
      </FormBox>
    </Dialog>
  );
}

function Decided({ configId, status, isBypass, decidedBy, decidedAt, comment }: DeploymentApproval) {
  const { data } = useLater(readAll("users", "list", {}), { isWanted: decidedBy !== null });
  const name = data?.users.find(({ id }) => id === decidedBy)?.name ?? decidedBy;
  return (
    <Fine>
      {configId}: {tellDecision({ status, isBypass }, name)}
      {decidedAt === null ? null : (
        <>
          {", "}
          <When at={decidedAt} />
        </>
      )}
      {comment === null ? null : <>. “{comment}”</>}
    </Fine>
  );
}
