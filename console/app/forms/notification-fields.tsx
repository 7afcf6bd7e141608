import type { Fault, NotificationChannel, Project } from "../../../sdk/src/generated/types.ts";
import type { Form } from "../components/form.tsx";
import { TextArea, TextField } from "../ui/field.tsx";
import { FormSection } from "../ui/form-section.tsx";
import { RadioField } from "../ui/radio-field.tsx";
import { describeEventFault, EventFields, type EventValues, placeRequestOf } from "./event-fields.tsx";

export type NotificationValues = EventValues & {
  readonly kind: string;
  readonly name: string;
  readonly url: string;
  /** One address a line. */
  readonly recipients: string;
};

/** What a form of a channel begins with. @param channel null for a new one */
export function notificationValuesOf(channel: NotificationChannel | null): NotificationValues {
  return {
    kind: channel?.kind ?? "slack",
    name: channel?.name ?? "",
    url: "",
    recipients: channel?.recipients?.join("\n") ?? "",
    events: channel === null || channel.types === null ? "default" : "chosen",
    types: channel?.types ?? [],
    projectId: channel?.projectId ?? "",
    environmentId: channel?.environmentId ?? "",
  };
}

/** What the API takes. @param isNew whether the receiver must be given */
export function notificationRequestOf(values: NotificationValues, isNew: boolean) {
  const { kind, name, url, recipients, events, types } = values;
  const addresses = recipients.split(/[\n,;]+/).flatMap((address) => address.trim() || []);
  return {
    name: name.trim(),
    ...(kind === "email"
      ? { recipients: addresses }
      : url.trim() === "" && !isNew
        ? {}
        : { url: url.trim() }),
    types: events === "default" ? null : types,
    ...placeRequestOf(values),
  };
}

/** Words for the faults of a form in which something is not chosen. */
export function describeNotificationFault(fault: Fault, values: NotificationValues): string | null {
  return describeEventFault(fault, values, "the default set");
}

const URL_HINTS: Readonly<Record<string, string>> = {
  slack: "In Slack: Apps → Incoming Webhooks → Add to a channel.",
  discord: "In Discord: channel settings → Integrations → Webhooks → Copy webhook URL.",
  teams: "In Teams: channel → Workflows → Send webhook alerts to a channel.",
};

/** The fields of a channel, new or not. @param props.isNew the kind of a channel cannot change */
export function NotificationFields({
  form,
  projects,
  isNew,
}: {
  readonly form: Form<NotificationValues>;
  readonly projects: readonly Project[];
  readonly isNew: boolean;
}) {
  const { kind } = form.values;
  return (
    <>
      <FormSection title="Receiver">
        {isNew ? (
          <RadioField
            label="Kind"
            options={[
              ["slack", "Slack", "By an incoming webhook."],
              ["discord", "Discord", "By a webhook of a channel."],
              ["teams", "Microsoft Teams", "By a webhook of Workflows."],
              ["email", "E-mail", "By the mail server of this installation."],
            ]}
            {...form.field("kind")}
          />
        ) : null}
        <TextField label="Name" hint="The name of the channel in the console." {...form.field("name")} />
        {kind === "email" ? (
          <TextArea label="Addresses" hint="One a line, at most 20." {...form.field("recipients")} />
        ) : (
          <TextField
            label="Webhook URL"
            isOptional={!isNew}
            hint={`${URL_HINTS[kind] ?? ""} It is a secret: it is stored encrypted and never shown.${isNew ? "" : " Kept if left empty."}`}
            placeholder="https://"
            inputMode="url"
            {...form.field("url")}
          />
        )}
      </FormSection>
      <EventFields
        events={form.field("events", "/events")}
        types={form.field("types")}
        project={form.field("projectId")}
        environment={form.field("environmentId")}
        projects={projects}
        without={[
          "default",
          "Default set",
          "Deployments, jobs, domains, certificates and accounts that fail or recover, and what waits for approval.",
        ]}
        hint="Groups of events, or single types. A recovery is reported with its problem."
      />
    </>
  );
}
