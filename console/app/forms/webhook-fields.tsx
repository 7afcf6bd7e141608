import type { Fault, Project, WebhookEndpoint } from "../../../sdk/src/generated/types.ts";
import { readHeaders } from "../api/event-words.ts";
import type { Form } from "../components/form.tsx";
import { TextArea, TextField } from "../ui/field.tsx";
import { FormSection } from "../ui/form-section.tsx";
import { describeEventFault, EventFields, type EventValues, placeRequestOf } from "./event-fields.tsx";

export type WebhookValues = EventValues & {
  readonly url: string;
  readonly description: string;
  readonly maxPerSecond: string;
  readonly headers: string;
};

/** What a form of a webhook begins with. @param endpoint null for a new one */
export function webhookValuesOf(endpoint: WebhookEndpoint | null): WebhookValues {
  const types = endpoint?.types ?? ["*"];
  return {
    url: endpoint?.url ?? "",
    description: endpoint?.description ?? "",
    events: types.includes("*") ? "all" : "chosen",
    types: types.filter((type) => type !== "*"),
    projectId: endpoint?.projectId ?? "",
    environmentId: endpoint?.environmentId ?? "",
    maxPerSecond: String(endpoint?.maxPerSecond ?? ""),
    headers: "",
  };
}

/** What the API takes. @throws InputError for headers that are none */
export function webhookRequestOf(values: WebhookValues) {
  const { url, description, events, types, maxPerSecond, headers } = values;
  return {
    url: url.trim(),
    description: description.trim(),
    types: events === "all" ? ["*"] : types,
    ...placeRequestOf(values),
    maxPerSecond: maxPerSecond.trim() === "" ? null : Number(maxPerSecond),
    ...(headers.trim() === "" ? {} : { headers: readHeaders(headers) }),
  };
}

/** Words for the fault of a form in which no event is chosen. */
export function describeWebhookFault(fault: Fault, values: WebhookValues): string | null {
  return describeEventFault(fault, values, "all events");
}

/** The fields of a webhook, new or not. @param props.headerNames those it has already */
export function WebhookFields({
  form,
  projects,
  headerNames,
}: {
  readonly form: Form<WebhookValues>;
  readonly projects: readonly Project[];
  readonly headerNames: readonly string[];
}) {
  const kept = headerNames.length === 0 ? "" : ` Kept if left empty: ${headerNames.join(", ")}.`;
  return (
    <>
      <FormSection title="Receiver">
        <TextField
          label="Address"
          hint="Begins with https://, and answers within 15 seconds."
          placeholder="https://hooks.example.com/slipway"
          inputMode="url"
          {...form.field("url")}
        />
        <TextField
          label="Description"
          isOptional
          hint="The name of the webhook in the console."
          {...form.field("description")}
        />
      </FormSection>
      <EventFields
        events={form.field("events", "/events")}
        types={form.field("types")}
        project={form.field("projectId")}
        environment={form.field("environmentId")}
        projects={projects}
        without={["all", "All events", "Also types that later releases add."]}
        hint="Groups of events, or single types."
      />
      <FormSection title="Requests">
        <TextField
          label="Maximum events per second"
          isOptional
          inputMode="numeric"
          hint="Empty: no limit."
          {...form.field("maxPerSecond")}
        />
        <TextArea
          label="Additional headers"
          isOptional
          isCode
          hint={`One a line, such as Authorization: Bearer abc. The values are stored encrypted and never shown.${kept}`}
          {...form.field("headers")}
        />
      </FormSection>
    </>
  );
}
