import { useState } from "react";
import type { WebhookEndpoint } from "../../../sdk/src/generated/types.ts";
import { slipway } from "../api/client.ts";
import { reasonAgainstReplay } from "../api/webhook-rules.ts";
import { FormBox, useForm } from "../components/form.tsx";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { SelectField, TextField } from "../ui/field.tsx";
import { toast } from "../ui/toast.tsx";

type Props = { readonly endpoint: WebhookEndpoint; readonly reason: string | null };

/** Sends past events of a period again: all, or only failed deliveries. */
export function ReplayButton({ endpoint, reason }: Props) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button disabledReason={reason ?? reasonAgainstReplay(endpoint)} onClick={() => setOpen(true)}>
        Replay
      </Button>
      {isOpen ? <ReplayDialog endpointId={endpoint.id} onClose={() => setOpen(false)} /> : null}
    </>
  );
}

function ReplayDialog({
  endpointId,
  onClose,
}: {
  readonly endpointId: string;
  readonly onClose: () => void;
}) {
  const form = useForm({
    initial: { only: "failed", from: "", until: "" },
    submit: ({ only, from, until }) =>
      slipway.webhookEndpoints.replay(endpointId, {
        only: only === "all" ? "all" : "failed",
        ...(from === "" ? {} : { from: new Date(from).toISOString() }),
        ...(until === "" ? {} : { until: new Date(until).toISOString() }),
      }),
    refreshes: ["webhookEndpoints"],
    onDone: ({ count, isMore }) => {
      onClose();
      toast(
        `Sending ${isMore ? "more than " : ""}${count.toLocaleString("en")} ${count === 1 ? "event" : "events"} again.`,
      );
    },
  });
  return (
    <Dialog title="Replay events" onClose={onClose}>
      <p>Each event is sent again with its original id, beside new events.</p>
      <FormBox form={form} action="Replay" onCancel={onClose}>
        <SelectField
          label="Deliveries"
          options={[
            ["failed", "Failed deliveries"],
            ["all", "All deliveries, also successful ones"],
          ]}
          {...form.field("only")}
        />
        <TextField label="From" type="datetime-local" isOptional {...form.field("from")} />
        <TextField label="Until" type="datetime-local" isOptional {...form.field("until")} />
      </FormBox>
    </Dialog>
  );
}
