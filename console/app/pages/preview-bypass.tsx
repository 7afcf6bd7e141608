import { useState } from "react";
import type { EnvironmentRow, PreviewBypass } from "../../../sdk/src/generated/types.ts";
import { slipway } from "../api/client.ts";
import { useCan } from "../api/permissions.ts";
import { ConfirmButton } from "../components/confirm.tsx";
import { SecretOnce } from "../components/secret-once.tsx";

/** The secret with which tests open the protected previews of a template. */
export function BypassButton({ template: { id, name, projectId } }: { readonly template: EnvironmentRow }) {
  const { reason } = useCan("deploy", { projectId, environmentId: id });
  const [made, setMade] = useState<PreviewBypass | null>(null);
  return (
    <>
      <ConfirmButton
        label={`Make a bypass secret for ${name}`}
        look="normal"
        disabledReason={reason}
        title={`Make a bypass secret for the previews of ${name}?`}
        consequences={[
          "Tests that send the secret open these previews without a sign-in. It is shown once.",
          "It replaces the previous secret, which stops working.",
        ]}
        action="Make it"
        work={() => slipway.previews.createBypass(id)}
        refreshes={[]}
        onDone={setMade}
      />
      {made === null ? null : (
        <SecretOnce
          title={`Bypass secret for ${name}`}
          what="the secret"
          secret={made.secret}
          onDone={() => setMade(null)}
        >
          <p>
            Send it in the header <code>{made.header}</code> of each request.
          </p>
        </SecretOnce>
      )}
    </>
  );
}
