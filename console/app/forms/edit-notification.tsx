import { useNavigate, useParams } from "@tanstack/react-router";
import { slipway } from "../api/client.ts";
import { useCan } from "../api/permissions.ts";
import { read, readAll, useRead } from "../api/query.ts";
import { FormBox, useForm } from "../components/form.tsx";
import { Page } from "../components/page.tsx";
import { paths } from "../paths.ts";
import {
  describeNotificationFault,
  NotificationFields,
  notificationRequestOf,
  notificationValuesOf,
} from "./notification-fields.tsx";

export function EditNotificationForm() {
  const { channelId } = useParams({ from: "/shell/notifications/$channelId/edit" });
  const { reason } = useCan("manage notifications");
  const channel = useRead(read("notificationChannels", "get", channelId));
  const { projects } = useRead(readAll("projects", "list", {}));
  const navigate = useNavigate();
  const leave = async () => await navigate({ to: paths.notification(channelId) });
  const form = useForm({
    initial: notificationValuesOf(channel),
    submit: async (values) =>
      await slipway.notificationChannels.update(channelId, notificationRequestOf(values, false)),
    refreshes: ["notificationChannels"],
    tell: describeNotificationFault,
    onDone: leave,
  });
  return (
    <Page
      title="Change the channel"
      crumbs={[
        ["Notifications", paths.notifications()],
        [channel.name, paths.notification(channelId)],
      ]}
    >
      <FormBox form={form} action="Save" refusal={reason} onCancel={() => void leave()}>
        <NotificationFields form={form} projects={projects} isNew={false} />
      </FormBox>
    </Page>
  );
}
