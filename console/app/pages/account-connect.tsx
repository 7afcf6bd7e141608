import type { AwsAccount } from "../../../sdk/src/generated/types.ts";
import { slipway } from "../api/client.ts";
import { useMe } from "../api/permissions.ts";
import { ActionButton } from "../components/confirm.tsx";
import { Copyable } from "../ui/copy.tsx";
import { Card, Fine, Row } from "../ui/layout.tsx";
import { buttonClass } from "../ui/button.tsx";

/** How an account becomes connected; nothing once it is. */
export function AccountConnect({
  account,
  reason,
}: {
  readonly account: AwsAccount;
  readonly reason: string | null;
}) {
  const { cloud } = useMe();
  const { cloudStack, status } = account;
  if (status === "CONNECTED") return null;
  return (
    <Card label="Connect it">
      <h2>{status === "DISCONNECTED" ? "Connect it again" : "Next: create the stack"}</h2>
      {cloudStack === undefined ? (
        <p>An admin of your organization creates the stack that gives Slipway a role in the account.</p>
      ) : (
        <>
          <p>
            Open the stack in the cloud account and create it. It gives Slipway a role there. This page
            updates when the role works.
          </p>
          <Row>
            <a className={buttonClass("primary")} href={cloudStack.consoleUrl} target="_blank" rel="noopener">
              Open the stack console
            </a>
            {cloud === "sandbox" ? (
              <ActionButton
                label="Create the stack in the sandbox"
                disabledReason={reason}
                work={() => slipway.request("POST", "/sandbox/stacks", { body: { ServiceId: account.id } })}
                said="The stack is being created."
                refreshes={["awsAccounts"]}
              />
            ) : null}
          </Row>
          <details>
            <summary>Without the stack console</summary>
            <p>
              Create a stack named <code>{cloudStack.template.stackName}</code> in{" "}
              <code>{cloudStack.template.region}</code> from this template, with the parameter{" "}
              <code>ServiceId</code>:
            </p>
            <p>
              <Copyable text={cloudStack.template.url} what="the template's address" />
            </p>
            <p>
              <Copyable text={cloudStack.template.parameters.ServiceId} what="the parameter ServiceId" />
            </p>
            <Fine>Anyone with this parameter can connect an account of their own. Keep it private.</Fine>
          </details>
        </>
      )}
    </Card>
  );
}
