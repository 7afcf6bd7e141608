/** The ways to give a cloud account up: each says what it loses, and what stays in the account. */
import type { AwsAccount } from "../../../sdk/src/generated/types.ts";
import { reasonAgainstAbandon } from "../api/account-words.ts";
import { slipway } from "../api/client.ts";
import { useMe } from "../api/permissions.ts";
import { ConfirmButton } from "../components/confirm.tsx";
import { Fine, Row, Section } from "../ui/layout.tsx";

type Props = { readonly account: AwsAccount; readonly reason: string | null; readonly onGone: () => void };

const FORGOTTEN = "Slipway forgets the snapshots of data stores. They stay in the cloud account.";

export function AccountEnd({ account, reason, onGone }: Props) {
  const { id, name } = account;
  // An own server is connected without a stack.
  const hasStack = useMe().cloud !== "host";
  const refreshes = ["awsAccounts", "overview"] as const;
  return (
    <Section title="Give it up">
      <Fine>
        Delete removes a connection that no project uses. Abandon is for an account that Slipway cannot reach
        any more.
      </Fine>
      <Row>
        <ConfirmButton
          label="Delete"
          disabledReason={reason}
          title={`Delete ${name}?`}
          consequences={[
            "The connection is deleted in Slipway. It is refused while a project is deployed there.",
            FORGOTTEN,
            ...(hasStack ? ["The stack stays in the cloud account, with its role. Delete it there."] : []),
          ]}
          action="Delete connection"
          work={() => slipway.awsAccounts.delete(id)}
          said={`${name} is deleted.`}
          refreshes={refreshes}
          onDone={onGone}
        />
        <ConfirmButton
          label="Abandon"
          disabledReason={reason ?? reasonAgainstAbandon(account)}
          title={`Abandon ${name}?`}
          consequences={[
            "The connection is deleted at once, though Slipway cannot clean up in the account.",
            "Distributions, certificates and stacks of deleted projects stay there, and may cost money.",
            FORGOTTEN,
            "Projects that are still deployed there have to be deleted or abandoned first.",
          ]}
          action="Abandon account"
          typed={account.givenId}
          work={() => slipway.awsAccounts.abandon(id)}
          said={`${name} is abandoned. The audit has what stays in the account.`}
          refreshes={refreshes}
          onDone={onGone}
        />
        <ConfirmButton
          label="Unbind"
          disabledReason={
            reason ?? (account.connectedAwsAccountId === null ? "It belongs to no account yet." : null)
          }
          title={`Unbind ${name} from its account?`}
          consequences={[
            "For a connection that belongs to the wrong account. It is refused while anything uses it.",
            "It gets a new id, and must be connected again.",
            ...(hasStack ? ["The old stack cannot connect any more. Delete it in the cloud account."] : []),
          ]}
          action="Unbind account"
          work={() => slipway.awsAccounts.unbind(id)}
          said={`${name} can be connected again.`}
          refreshes={refreshes}
          onDone={onGone}
        />
      </Row>
    </Section>
  );
}
