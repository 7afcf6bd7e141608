import { useNavigate, useParams } from "@tanstack/react-router";
import { slipway } from "../api/client.ts";
import { useCan } from "../api/permissions.ts";
import { read, readAll, useRead } from "../api/query.ts";
import { webhookName } from "../api/webhook-rules.ts";
import { FormBox, useForm } from "../components/form.tsx";
import { Page } from "../components/page.tsx";
import { paths } from "../paths.ts";
import { describeWebhookFault, WebhookFields, webhookRequestOf, webhookValuesOf } from "./webhook-fields.tsx";

export function EditWebhookForm() {
  const { endpointId } = useParams({ from: "/shell/webhooks/$endpointId/edit" });
  const { reason } = useCan("manage webhooks");
  const endpoint = useRead(read("webhookEndpoints", "get", endpointId));
  const { projects } = useRead(readAll("projects", "list", {}));
  const navigate = useNavigate();
  const leave = async () => await navigate({ to: paths.webhook(endpointId) });
  const form = useForm({
    initial: webhookValuesOf(endpoint),
    submit: async (values) => await slipway.webhookEndpoints.update(endpointId, webhookRequestOf(values)),
    refreshes: ["webhookEndpoints"],
    tell: describeWebhookFault,
    onDone: leave,
  });
  return (
    <Page
      title="Change the webhook"
      crumbs={[
        ["Webhooks", paths.webhooks()],
        [webhookName(endpoint), paths.webhook(endpointId)],
      ]}
    >
      <FormBox form={form} action="Save" refusal={reason} onCancel={() => void leave()}>
        <WebhookFields form={form} projects={projects} headerNames={endpoint.headerNames} />
      </FormBox>
    </Page>
  );
}
