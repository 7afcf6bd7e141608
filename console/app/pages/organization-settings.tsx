import { slipway } from "../api/client.ts";
import { useCan } from "../api/permissions.ts";
import { read, useRead } from "../api/query.ts";
import { type Kept, tellRetention } from "../api/retention-words.ts";
import { FormBox, useForm } from "../components/form.tsx";
import { TextField } from "../ui/field.tsx";
import { Section } from "../ui/layout.tsx";
import { type Column, Table } from "../ui/table.tsx";
import { toast } from "../ui/toast.tsx";

/** The form that changes the name of the organization. Only admins may use it. */
export function RenameForm() {
  const { name } = useRead(read("organization", "get"));
  const { reason } = useCan("rename the organization");
  const form = useForm({
    initial: { name },
    submit: (values) => slipway.organization.update({ name: values.name.trim() }),
    refreshes: ["organization", "me"],
    onDone: () => toast("Saved."),
  });
  return (
    <FormBox
      form={form}
      action="Rename"
      refusal={reason}
      disabledReason={form.isDirty ? null : "Nothing is changed."}
    >
      <TextField label="Name of the organization" {...form.field("name")} />
    </FormBox>
  );
}

const COLUMNS: readonly Column<Kept>[] = [
  { label: "What", wraps: true, cell: ({ what }) => what },
  { label: "Kept for", cell: ({ howLong }) => howLong },
];

/** For how long this installation keeps records. */
export function RetentionSection() {
  const { retention } = useRead(read("organization", "get"));
  return (
    <Section title="Retention">
      <Table
        caption="Retention"
        columns={COLUMNS}
        rows={tellRetention(retention)}
        keyOf={({ what }) => what}
      />
    </Section>
  );
}
