import { useNavigate } from "@tanstack/react-router";
import { slipway } from "../api/client.ts";
import { useCan } from "../api/permissions.ts";
import { paths } from "../paths.ts";
import { Row } from "../ui/layout.tsx";
import { ActionButton } from "./confirm.tsx";
import { Link } from "./link.tsx";

/** Connects the account that the sandbox has for everyone who tries it: the connection and its stack in one click. */
export function SandboxAccount() {
  const { reason } = useCan("manage accounts");
  const navigate = useNavigate();
  return (
    <Row>
      <ActionButton
        label="Connect the sandbox"
        look="primary"
        disabledReason={reason}
        work={async () => {
          const account = await slipway.awsAccounts.create({ givenId: "sandbox", name: "Sandbox" });
          await slipway.request("POST", "/sandbox/stacks", { body: { ServiceId: account.id } });
          return account;
        }}
        refreshes={["awsAccounts"]}
        onDone={({ id }) => navigate({ to: paths.account(id) })}
      />
      <Link to={paths.newAccount()}>Do it step by step, as in a real cloud</Link>
    </Row>
  );
}
