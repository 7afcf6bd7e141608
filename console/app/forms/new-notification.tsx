import { useNavigate } from "@tanstack/react-router";
import type { NotificationChannel } from "../../../sdk/src/generated/types.ts";
import { slipway } from "../api/client.ts";
import { useCan } from "../api/permissions.ts";
import { readAll, useRead } from "../api/query.ts";
import { FormBox, useForm } from "../components/form.tsx";
import { Page } from "../components/page.tsx";
import { paths } from "../paths.ts";
import {
  describeNotificationFault,
  NotificationFields,
  notificationRequestOf,
  notificationValuesOf,
} from "./notification-fields.tsx";

export function NewNotificationForm() {
  const { reason } = useCan("manage notifications");
  const { projects } = useRead(readAll("projects", "list", {}));
  const navigate = useNavigate();
  const form = useForm({
    initial: notificationValuesOf(null),
    submit: async (values) =>
      await slipway.notificationChannels.create({
        kind: values.kind as NotificationChannel["kind"],
        ...notificationRequestOf(values, true),
      }),
    refreshes: ["notificationChannels"],
    tell: describeNotificationFault,
    onDone: async ({ id }) => await navigate({ to: paths.notification(id) }),
  });
  return (
    <Page
      title="Add a notification channel"
      crumbs={[["Notifications", paths.notifications()]]}
      lead="Slipway sends a message when a state changes. Many changes of one cause make one message."
    >
      <FormBox form={form} action="Add channel" refusal={reason}>
        <NotificationFields form={form} projects={projects} isNew />
      </FormBox>
    </Page>
  );
}
