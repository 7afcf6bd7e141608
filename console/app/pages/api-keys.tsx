import { Page } from "../components/page.tsx";
import { Permitted, PermittedLink } from "../components/permitted.tsx";
import { paths } from "../paths.ts";
import { KeyTable } from "./key-table.tsx";

/** The keys with which people sign in and programs call the API. */
export function ApiKeysPage() {
  return (
    <Page
      title="API keys"
      lead="People sign in with a key, and programs call the API with one. A key is shown once, when it is created."
      actions={
        <PermittedLink action="manage keys" to={paths.newKey()} isPrimary>
          Create a key
        </PermittedLink>
      }
    >
      <Permitted action="manage keys">
        <KeyTable />
      </Permitted>
    </Page>
  );
}
