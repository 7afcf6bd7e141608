import type { Project, WebhookEndpoint } from "../../../sdk/src/generated/types.ts";
import { EVENT_TYPES, tellEventType } from "../api/event-types.ts";
import { choicesOf, EVENT_GROUPS, readHeaders, typesOf } from "../api/event-words.ts";
import type { Form } from "../components/form.tsx";
import { ChecksField, SelectField, TextArea, TextField } from "../ui/field.tsx";

export type WebhookValues = {
  readonly url: string;
  readonly description: string;
  readonly groups: readonly string[];
  readonly single: readonly string[];
  readonly projectId: string;
  readonly maxPerSecond: string;
  readonly headers: string;
};

/** What a form of a webhook begins with. @param endpoint null for a new one */
export function webhookValuesOf(endpoint: WebhookEndpoint | null): WebhookValues {
  return {
    url: endpoint?.url ?? "",
    description: endpoint?.description ?? "",
    ...choicesOf(endpoint?.types ?? []),
    projectId: endpoint?.projectId ?? "",
    maxPerSecond: String(endpoint?.maxPerSecond ?? ""),
    headers: "",
  };
}

/** What the API takes. @throws InputError for headers that are none */
export function webhookRequestOf(values: WebhookValues) {
  const { url, description, groups, single, projectId, maxPerSecond, headers } = values;
  return {
    url: url.trim(),
    description: description.trim(),
    types: typesOf(groups, single),
    projectId: projectId === "" ? null : projectId,
    maxPerSecond: maxPerSecond.trim() === "" ? null : Number(maxPerSecond),
    ...(headers.trim() === "" ? {} : { headers: readHeaders(headers) }),
  };
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
      <TextField label="Address" hint="Begins with https://." inputMode="url" {...form.field("url")} />
      <TextField label="Description" isOptional hint="What it is for." {...form.field("description")} />
      <ChecksField
        label="Events about"
        hint="Nothing chosen, here and below: all events."
        options={EVENT_GROUPS}
        {...form.field("groups", "/types")}
      />
      <details open={form.values.single.length > 0}>
        <summary>Choose single types of events</summary>
        <ChecksField
          label="Single types of events"
          options={[...new Set([...EVENT_TYPES, ...form.values.single])].map(
            (type) => [type, tellEventType(type)] as const,
          )}
          {...form.field("single", "/types")}
        />
      </details>
      <SelectField
        label="Project"
        options={[["", "All projects"], ...projects.map(({ id, name }) => [id, name] as const)]}
        {...form.field("projectId")}
      />
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
    </>
  );
}
