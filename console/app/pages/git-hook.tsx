import { useState } from "react";
import type { GitIntegration, HookSecret } from "../../../sdk/src/generated/types.ts";
import { slipway } from "../api/client.ts";
import { hookSteps } from "../api/git-words.ts";
import { ConfirmButton } from "../components/confirm.tsx";
import { DocsLink } from "../components/docs-link.tsx";
import { SecretOnce } from "../components/secret-once.tsx";
import { Copyable } from "../ui/copy.tsx";
import { Card, Row } from "../ui/layout.tsx";

/** How pushes reach Slipway: the steps at the git host, with the address and the secret for it. */
export function HookSetup({
  integration: { id, provider },
  reason,
}: {
  readonly integration: GitIntegration;
  readonly reason: string | null;
}) {
  const [hook, setHook] = useState<HookSecret | null>(null);
  return (
    <Card>
      <p>
        With a webhook at the git host, a push deploys the environments whose trigger is “push”. Without one,
        users deploy by hand.
      </p>
      <ol>
        <li>Make a hook secret here. Its address and the secret are shown once.</li>
        {hookSteps(provider).map((step) => (
          <li key={step}>{step}</li>
        ))}
      </ol>
      <Row>
        <ConfirmButton
          label="Make a hook secret"
          look="normal"
          disabledReason={reason}
          title="Make a hook secret?"
          consequences={[
            "An address and a secret are shown once. Enter both at the git host.",
            "It replaces the previous secret, which stops working.",
          ]}
          action="Make it"
          work={() => slipway.gitIntegrations.createHookSecret(id)}
          refreshes={["gitIntegrations"]}
          onDone={setHook}
        />
        <DocsLink chapter="Git integrations" />
      </Row>
      {hook === null ? null : (
        <SecretOnce
          title="Enter this at the git host"
          what="the secret"
          secret={hook.secret}
          onDone={() => setHook(null)}
        >
          <ol>
            {hookSteps(provider).map((step) => (
              <li key={step}>{step}</li>
            ))}
          </ol>
          <p>Address:</p>
          <Copyable text={hook.url} what="the address" />
          <p>Secret:</p>
        </SecretOnce>
      )}
    </Card>
  );
}
