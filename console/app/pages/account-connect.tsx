import type { AwsAccount } from "../../../sdk/src/generated/types.ts";
import { OWN_CLOUDS } from "../api/own-cloud.ts";
import { slipway } from "../api/client.ts";
import { useMe } from "../api/permissions.ts";
import { AccountTerms } from "../components/account-terms.tsx";
import { ActionButton } from "../components/confirm.tsx";
import { buttonClass } from "../ui/button.tsx";
import { Copyable, CopyButton } from "../ui/copy.tsx";
import { Card, Fine, Row } from "../ui/layout.tsx";
import css from "./account-connect.module.css";

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
  if (cloud === "host") return <ServerConnect account={account} reason={reason} />;
  return (
    <Card label="Connect it">
      <h2>{status === "DISCONNECTED" ? "Connect it again" : "Next: create the stack"}</h2>
      {cloudStack === undefined ? (
        <p>
          An admin of your organization creates the stack that gives Slipway a role in the account. {reason}
        </p>
      ) : (
        <>
          {cloud === "sandbox" ? (
            <p>
              The stack gives Slipway a role in the account. The sandbox can create it for you, or you open
              its page as in a real cloud. This page updates when the role works.
            </p>
          ) : (
            <AwsSteps account={account} region={cloudStack.template.region} />
          )}
          <Row>
            {cloud === "sandbox" ? (
              <ActionButton
                label="Create the stack in the sandbox"
                look="primary"
                disabledReason={reason}
                work={() =>
                  slipway.request("POST", OWN_CLOUDS.sandbox.connectAt, { body: { ServiceId: account.id } })
                }
                said="The stack is being created."
                refreshes={["awsAccounts"]}
              />
            ) : null}
            <a
              className={buttonClass(cloud === "sandbox" ? "normal" : "primary")}
              href={cloudStack.consoleUrl}
              target="_blank"
              rel="noopener"
            >
              Open the stack console
            </a>
            {cloud === "sandbox" ? null : (
              <CopyButton
                label="Copy the link for an administrator"
                what="the link for an administrator of the account"
                text={cloudStack.consoleUrl}
              />
            )}
          </Row>
          <details>
            <summary>Permissions and cost</summary>
            <AccountTerms />
            <p>
              <a href={cloudStack.template.url} target="_blank" rel="noopener">
                Read the template of the stack
              </a>
            </p>
          </details>
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

/** The account is the installation's own server: one request connects it. */
function ServerConnect({
  account,
  reason,
}: {
  readonly account: AwsAccount;
  readonly reason: string | null;
}) {
  const { status, id, cloudStack } = account;
  return (
    <Card label="Connect it">
      <h2>{status === "DISCONNECTED" ? "Connect it again" : "Next: connect this server"}</h2>
      <p>
        This server's edge serves the domains of the connection. This page updates when the edge listens.{" "}
        {cloudStack === undefined ? "An admin of your organization connects it." : null}
      </p>
      <Row>
        <ActionButton
          label={OWN_CLOUDS.host.connect}
          look="primary"
          disabledReason={reason}
          work={() => slipway.request("POST", OWN_CLOUDS.host.connectAt, { body: { ServiceId: id } })}
          said="The server is being connected."
          refreshes={["awsAccounts"]}
        />
      </Row>
      <details>
        <summary>What it takes</summary>
        <AccountTerms />
      </details>
    </Card>
  );
}

/** What an administrator of the AWS account does. */
function AwsSteps({ account, region }: { readonly account: AwsAccount; readonly region: string }) {
  const number = account.connectedAwsAccountId ?? account.expectedAwsAccountId;
  return (
    <ol className={css["steps"]}>
      <li>
        Sign in to the AWS account{number === null ? "" : ` ${number}`} as an administrator: the stack makes
        IAM roles. If that is not you, copy the link and send it in private.
      </li>
      <li>
        Open the stack. CloudFormation shows it in {region}, with everything filled in. Confirm that IAM
        resources are created, and choose Create stack.
      </li>
      <li>Wait some minutes. The stack reports to Slipway, which checks the role, and this page updates.</li>
    </ol>
  );
}
