import { useMe } from "../api/permissions.ts";
import { Page } from "../components/page.tsx";
import { SessionTable } from "./session-table.tsx";

/** The browsers in which the reader is signed in. */
export function SessionsPage() {
  const { user } = useMe();
  return (
    <Page
      title="Sessions"
      lead="The browsers in which you are signed in. End sessions that you do not recognize or no longer use."
    >
      <SessionTable userId={user.id} />
    </Page>
  );
}
