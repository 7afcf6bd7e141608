import { useState } from "react";
import type { DeploymentApproval, DeploymentDetails } from "../../../sdk/src/generated/types.ts";
import { chooseReason } from "../api/approval-rules.ts";
import { slipway } from "../api/client.ts";
import { titleOfCommit } from "../api/deployment-rules.ts";
import { useCan, useMe } from "../api/permissions.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { TextArea } from "../ui/field.tsx";
import { Row } from "../ui/layout.tsx";
import { toast } from "../ui/toast.tsx";
import { FormBox, useForm } from "./form.tsx";

type Props = {
  readonly deployment: DeploymentDetails;
  readonly approval: DeploymentApproval;
  /** The name of the environment that asks. */
  readonly environment: string;
  /** In a list: the names of its buttons say which deployment they are about. */
  readonly isInList?: boolean;
};

/** The buttons that decide on a deployment which waits for a second person. Each asks, with what follows. */
export function ApprovalDecision({ deployment, approval, environment, isInList = false }: Props) {
  const { projectId, commit } = deployment;
  const { environmentId } = approval;
  const target = { projectId, environmentId };
  const { user } = useMe();
  const [choice, setChoice] = useState<Choice | null>(null);
  const { reason: deciding } = useCan("approve deployments", target);
  const asAdmin = useCan("protect environments", target);
  const reason = chooseReason({ deciding, protecting: asAdmin.reason }, approval, deployment, user.id);
  const name = (words: string) => (isInList ? `${words} ${commit} in ${environment}` : undefined);
  return (
    <>
      <Row>
        <Button
          look="primary"
          aria-label={name("Approve")}
          disabledReason={reason}
          onClick={() => setChoice("approve")}
        >
          Approve
        </Button>
        <Button aria-label={name("Reject")} disabledReason={reason} onClick={() => setChoice("reject")}>
          Reject
        </Button>
        {reason !== null && asAdmin.may ? (
          <Button onClick={() => setChoice("bypass")}>Begin without a second person</Button>
        ) : null}
      </Row>
      {choice === null ? null : (
        <DecisionDialog {...{ deployment, approval, environment, choice }} onClose={() => setChoice(null)} />
      )}
    </>
  );
}

type Choice = "approve" | "reject" | "bypass";

const WORDS: Readonly<Record<Choice, { readonly action: string; readonly done: string }>> = {
  approve: { action: "Approve", done: "Approved. It continues." },
  reject: { action: "Reject", done: "Rejected. It does not go live there." },
  bypass: { action: "Begin", done: "Begun without a second person, which is recorded." },
};

function DecisionDialog({
  deployment,
  approval: { environmentId },
  environment,
  choice,
  onClose,
}: Props & { readonly choice: Choice; readonly onClose: () => void }) {
  const { id, commit } = deployment;
  const { action, done } = WORDS[choice];
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
      toast(done);
    },
  });
  const title = {
    approve: `Approve ${commit} for ${environment}?`,
    reject: `Reject ${commit} for ${environment}?`,
    bypass: `Begin ${commit} in ${environment} without a second person?`,
  }[choice];
  const consequences = {
    approve: `${titleOfCommit(deployment)} is built and released in ${environment} now. Your name and the comment are recorded.`,
    reject: `It is cancelled in ${environment}, which keeps running what runs now. The comment is shown to the user who started it.`,
    bypass: "For emergencies. This action and its reason are recorded, and emitted as an event.",
  }[choice];
  return (
    <Dialog title={title} onClose={onClose}>
      <p>{consequences}</p>
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
