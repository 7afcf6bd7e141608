import { useState } from "react";
import type { Fault, NotificationTest, OwnNotifications } from "../../../sdk/src/generated/types.ts";
import { slipway } from "../api/client.ts";
import { eventChoices } from "../api/event-types.ts";
import { read, readAll, useRead } from "../api/query.ts";
import { ActionButton } from "../components/confirm.tsx";
import { FormBox, useForm } from "../components/form.tsx";
import { Page } from "../components/page.tsx";
import { Notice } from "../components/problem.tsx";
import { TestResult } from "../components/test-result.tsx";
import { useFollow } from "../live/use-live.tsx";
import { Facts, Section, Stack } from "../ui/layout.tsx";
import { PickField } from "../ui/pick-field.tsx";
import { RadioField } from "../ui/radio-field.tsx";
import { When } from "../ui/time.tsx";
import { toast } from "../ui/toast.tsx";

/** The e-mail that the reader gets about events. */
export function MyNotificationsPage() {
  const reading = read("me", "getNotifications");
  const own = useRead(reading);
  const [test, setTest] = useState<NotificationTest | null>(null);
  useFollow(reading, (options) => slipway.me.watchNotifications(options));
  const refusal = refusalOf(own);
  return (
    <Page
      title="My e-mail"
      lead="Slipway sends you an e-mail when a state changes. It reports only projects that you see."
      actions={
        <ActionButton
          label="Send a test"
          disabledReason={refusal ?? (own.enabled ? null : "Turn your e-mail on first.")}
          work={() => slipway.me.testNotifications()}
          refreshes={["me"]}
          onDone={setTest}
        />
      }
    >
      <Stack>
        {refusal === null ? null : <Notice title={refusal} />}
        {test === null ? null : <TestResult test={test} />}
        {own.disabledReason === "FAILING" ? (
          <Notice title="It was turned off, because no message was accepted for five days." isBad />
        ) : null}
        {own.lastError === null ? null : (
          <Notice title="The last message was not accepted." isBad>
            <p>
              {own.lastError.message} {own.lastError.action}
            </p>
          </Notice>
        )}
        <Facts
          of={[
            ["Address", own.email ?? "None"],
            ["Last message", <When at={own.lastSentAt} otherwise="None yet" />],
          ]}
        />
      </Stack>
      <Section title="Messages">
        <OwnForm own={own} />
      </Section>
    </Page>
  );
}

function refusalOf({ email, mailServer }: OwnNotifications): string | null {
  if (!mailServer) return "This installation has no mail server. Its operator can set one.";
  return email === null ? "Your account has no email address. An admin can set it." : null;
}

function OwnForm({ own }: { readonly own: OwnNotifications }) {
  const { projects } = useRead(readAll("projects", "list", {}));
  const form = useForm({
    initial: valuesOf(own),
    submit: (values) =>
      slipway.me.updateNotifications({
        enabled: values.enabled === "on",
        types: values.events === "default" ? null : values.types,
        projectIds: values.places === "all" ? null : values.projectIds,
      }),
    refreshes: ["me"],
    tell: describeFault,
    onDone: () => toast("Saved."),
  });
  const { events, places, types } = form.values;
  return (
    <FormBox form={form} action="Save">
      <RadioField
        label="E-mail to me"
        options={[
          ["off", "Off", "You get no messages."],
          ["on", "On", "It reports events from now on."],
        ]}
        {...form.field("enabled")}
      />
      <RadioField
        label="Which events"
        options={[
          ["default", "Default set", "What fails or recovers, and what waits for approval."],
          [
            "chosen",
            "Chosen events",
            "Groups of events, or single types. A recovery is reported with its problem.",
          ],
        ]}
        {...form.field("events")}
      />
      {events === "chosen" ? (
        <PickField
          label="Chosen events"
          what="events"
          groups={eventChoices(types)}
          {...form.field("types")}
        />
      ) : null}
      <RadioField
        label="Which projects"
        options={[
          ["all", "All", "Also later ones, and the organization itself."],
          ["chosen", "Chosen projects", "Nothing about the organization."],
        ]}
        {...form.field("places")}
      />
      {places === "chosen" ? (
        <PickField
          label="Chosen projects"
          what="projects"
          groups={[
            { value: "", label: "", options: projects.map(({ id, name }) => ({ value: id, label: name })) },
          ]}
          {...form.field("projectIds")}
        />
      ) : null}
    </FormBox>
  );
}

function valuesOf({ enabled, types, projectIds }: OwnNotifications) {
  return {
    enabled: enabled ? "on" : "off",
    events: types === null ? "default" : "chosen",
    types: types ?? [],
    places: projectIds === null ? "all" : "chosen",
    projectIds: projectIds ?? [],
  };
}

/** Words for the fault of a list in which nothing is chosen. */
function describeFault({ path }: Fault, { types, projectIds }: ReturnType<typeof valuesOf>): string | null {
  if (path === "/types" && types.length === 0) return "Choose at least one event, or the default set.";
  if (path === "/projectIds" && projectIds.length === 0) return "Choose at least one project, or all.";
  return null;
}
