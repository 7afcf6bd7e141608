import { useState } from "react";
import type { DeploymentApproval, DeploymentDetails } from "../../../sdk/src/generated/types.ts";
import { reasonAgainstDecision, tellApprovers, emitDecision } from "../api/approval-rules.ts";
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

type Props = {
  readonly deployment: DeploymentDetails;
  readonly approval: DeploymentApproval;
  /** The name of the environment that asks. */
  readonly environment: string;
};

/** A deployment's approvals: the open ones and the decisions; nothing for a deployment without approvals. */
export function Approvals({
  deployment,
  nameOf,
}: Pick<Props, "deployment"> & {
  readonly nameOf: (environment: { id: string; configId: string }) => string;
}) {
  return deployment.approvals.map((approval) => {
    const { environmentId, configId, status } = approval;
    const props = { deployment, approval, environment: nameOf({ id: environmentId, configId }) };
    return status === "WAITING" ? (
      <Waiting key={environmentId} {...props} />
    ) : (
      <Decided key={environmentId} {...props} />
    );
  });
}

function Waiting({ deployment, approval, environment }: Props) {
  const { projectId, startedBy } = deployment;
  const { environmentId, expiresAt, approvers } = approval;
  const target = { projectId, environmentId };
  const { user } = useMe();
  const [choice, setChoice] = useState<Choice | null>(null);
  const mayDeploy = useCan("approve deployments", target);
  // What admins of the project do is refused to others for the same reason.
  const asAdmin = useCan("protect environments", target);
  const byRole = mayDeploy.reason ?? (approvers === "admin" ? asAdmin.reason : null);
  const reason = byRole ?? reasonAgainstDecision({ startedBy }, user.id);
  return (
    <Notice title={`${environment} waits for an approval`}>
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
        <DecisionDialog {...{ deployment, approval, environment, choice }} onClose={() => setChoice(null)} />
      )}
    </Notice>
  );
}

type Choice = "approve" | "reject" | "bypass";

const WORDS: Readonly<Record<Choice, { readonly action: string; readonly said: string }>> = {
  approve: { action: "Approve", said: "Approved. It continues." },
  reject: { action: "Reject", said: "Rejected. It does not go live there." },
  bypass: { action: "Begin", said: "Begun without a second person, which is recorded." },
};

function DecisionDialog({
  deployment: { id, commit },
  approval: { environmentId },
  environment,
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
    approve: `Approve ${commit} for ${environment}?`,
    reject: `Reject ${commit} for ${environment}?`,
    bypass: `Begin ${commit} in ${environment} without a second person?`,
  }[choice];
  return (
    <Dialog title={title} onClose={onClose}>
      {choice === "bypass" ? (
        <p>For emergencies. This action and its reason are recorded, and emitted as an event.</p>
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

function Decided({ approval, environment }: Props) {
  const { status, isBypass, decidedBy, decidedAt, comment } = approval;
  const { data } = useLater(readAll("users", "list", {}), { isWanted: decidedBy !== null });
  const name = data?.users.find(({ id }) => id === decidedBy)?.name ?? decidedBy;
  return (
    <Fine>
      {environment}: {emitDecision({ status, isBypass }, name)}
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
