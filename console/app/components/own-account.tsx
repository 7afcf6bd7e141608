import { useNavigate } from "@tanstack/react-router";
import { OWN_CLOUDS, type OwnCloud } from "../api/own-cloud.ts";
import { slipway } from "../api/client.ts";
import { useCan } from "../api/permissions.ts";
import { paths } from "../paths.ts";
import { Row } from "../ui/layout.tsx";
import { ActionButton } from "./confirm.tsx";
import { Link } from "./link.tsx";

/** Connects the account that the installation itself has: the connection and what it needs, in one click. */
export function OwnAccount({ cloud }: { readonly cloud: OwnCloud }) {
  const { reason } = useCan("manage accounts");
  const navigate = useNavigate();
  const { connect, givenId, name, connectAt, step } = OWN_CLOUDS[cloud];
  return (
    <Row>
      <ActionButton
        label={connect}
        look="primary"
        disabledReason={reason}
        work={async () => {
          const account = await slipway.awsAccounts.create({ givenId, name });
          await slipway.request("POST", connectAt, { body: { ServiceId: account.id } });
          return account;
        }}
        refreshes={["awsAccounts"]}
        onDone={({ id }) => navigate({ to: paths.account(id) })}
      />
      <Link to={paths.newAccount()}>{step}</Link>
    </Row>
  );
}
