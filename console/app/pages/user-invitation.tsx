import type { Invitation, InvitationRefusalCode } from "../../../sdk/src/generated/types.ts";
import { slipway } from "../api/client.ts";
import { read, useRead } from "../api/query.ts";
import { ActionButton } from "../components/confirm.tsx";
import { Notice } from "../components/problem.tsx";
import { useFollow } from "../live/use-live.tsx";
import { CopyButton } from "../ui/copy.tsx";
import { Facts, Row, Stack } from "../ui/layout.tsx";
import { When } from "../ui/time.tsx";

/** The invitation of a person by e-mail, and its text to copy. */
export function UserInvitation({ userId }: { readonly userId: string }) {
  const reading = read("users", "getInvitation", userId);
  const { last, message, refusal } = useRead(reading);
  useFollow(reading, (options) => slipway.users.watchInvitation(userId, options));
  const reason = refusal === null ? null : REFUSALS[refusal.code];
  return (
    <Stack>
      {reason === null ? null : <Notice title={reason} />}
      {last === null ? null : <LastInvitation last={last} />}
      <Row>
        <ActionButton
          label={last === null ? "Send an invitation" : "Send it again"}
          disabledReason={reason}
          work={() => slipway.users.invite(userId)}
          refreshes={["users"]}
        />
        {message === null ? null : (
          <CopyButton text={message.text} what="the text of the invitation" label="Copy the text" />
        )}
      </Row>
    </Stack>
  );
}

const REFUSALS: Readonly<Record<InvitationRefusalCode, string>> = {
  EMAIL_NOT_CONFIGURED:
    "This installation has no mail server. Copy the text of the invitation, and send it yourself.",
  NO_EMAIL_ADDRESS: "The user has no email address. Set one first.",
  NO_WAY_TO_SIGN_IN:
    "No identity provider lets this person in as this user. Create a key for the user first.",
};

const STATUSES: Readonly<Record<Invitation["status"], string>> = {
  PENDING: "Being sent",
  SENT: "The mail server accepted it",
  FAILED: "Not sent",
};

function LastInvitation({ last }: { readonly last: Invitation }) {
  const { status, email, error, answer } = last;
  return (
    <>
      {error === null ? null : (
        <Notice title={`${error.message} ${error.action}`} isBad={status === "FAILED"}>
          {answer === null ? null : (
            <p>
              Its answer: <code>{answer}</code>
            </p>
          )}
        </Notice>
      )}
      <Facts
        of={[
          ["Last invitation", STATUSES[status]],
          ["To", email],
          ["Requested", <When at={last.requestedAt} />],
        ]}
      />
    </>
  );
}
