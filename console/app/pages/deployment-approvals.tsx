import type { DeploymentApproval, DeploymentDetails } from "../../../sdk/src/generated/types.ts";
import { describeApprovers, describeDecision } from "../api/approval-rules.ts";
import { readAll, useLater } from "../api/query.ts";
import { ApprovalDecision } from "../components/approval-decision.tsx";
import { Notice } from "../components/problem.tsx";
import { Fine } from "../ui/layout.tsx";
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

function Waiting(props: Props) {
  const { approval, environment } = props;
  return (
    <Notice title={`${environment} waits for an approval`}>
      <p>
        {describeApprovers(approval)} Without a decision, it is cancelled <When at={approval.expiresAt} />.
      </p>
      <ApprovalDecision {...props} />
    </Notice>
  );
}

function Decided({ approval, environment }: Props) {
  const { status, isBypass, decidedBy, decidedAt, comment } = approval;
  const { data } = useLater(readAll("users", "list", {}), { isWanted: decidedBy !== null });
  const name = data?.users.find(({ id }) => id === decidedBy)?.name ?? decidedBy;
  return (
    <Fine>
      {environment}: {describeDecision({ status, isBypass }, name)}
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
