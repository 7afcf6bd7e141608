import { useCan } from "../api/permissions.ts";
import { LinkButton } from "../components/link.tsx";
import { Page } from "../components/page.tsx";
import { Permitted } from "../components/permitted.tsx";
import { paths } from "../paths.ts";
import { KeyTable } from "./key-table.tsx";

/** With what people sign in, and programs call the API. */
export function ApiKeysPage() {
  const { may } = useCan("manage keys");
  return (
    <Page
      title="API keys"
      lead="People sign in with a key, and programs call the API with one. A key is shown once, when it is created."
      actions={
        may ? (
          <LinkButton look="primary" to={paths.newKey()}>
            Create a key
          </LinkButton>
        ) : undefined
      }
    >
      <Permitted action="manage keys">
        <KeyTable />
      </Permitted>
    </Page>
  );
}
