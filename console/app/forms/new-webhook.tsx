import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import type { NewWebhookEndpoint } from "../../../sdk/src/generated/types.ts";
import { slipway } from "../api/client.ts";
import { useCan } from "../api/permissions.ts";
import { readAll, useRead } from "../api/query.ts";
import { FormBox, useForm } from "../components/form.tsx";
import { Page } from "../components/page.tsx";
import { SecretOnce } from "../components/secret-once.tsx";
import { paths } from "../paths.ts";
import { describeWebhookFault, WebhookFields, webhookRequestOf, webhookValuesOf } from "./webhook-fields.tsx";

export function NewWebhookForm() {
  const { reason } = useCan("manage webhooks");
  const { projects } = useRead(readAll("projects", "list", {}));
  const navigate = useNavigate();
  const [made, setMade] = useState<NewWebhookEndpoint | null>(null);
  const form = useForm({
    initial: webhookValuesOf(null),
    submit: async (values) => await slipway.webhookEndpoints.create(webhookRequestOf(values)),
    refreshes: ["webhookEndpoints"],
    tell: describeWebhookFault,
    onDone: setMade,
  });
  return (
    <Page
      title="Add a webhook"
      crumbs={[["Webhooks", paths.webhooks()]]}
      lead="Slipway sends each event to your address as a signed request. A failed request is repeated for three days."
    >
      <FormBox form={form} action="Add webhook" refusal={reason}>
        <WebhookFields form={form} projects={projects} headerNames={[]} />
      </FormBox>
      {made === null ? null : (
        <SecretOnce
          title="The webhook's secret"
          what="the secret"
          secret={made.secret}
          onDone={() => void navigate({ to: paths.webhook(made.id) })}
        >
          <p>Give it to the receiver, which verifies with it that a delivery is from Slipway.</p>
        </SecretOnce>
      )}
    </Page>
  );
}
