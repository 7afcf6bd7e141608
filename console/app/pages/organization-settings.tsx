import { slipway } from "../api/client.ts";
import { useCan } from "../api/permissions.ts";
import { read, useRead } from "../api/query.ts";
import { type Kept, listRetention } from "../api/retention-words.ts";
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
  { label: "Records", cell: ({ records }) => records },
  { label: "Kept for", isShort: true, cell: ({ duration }) => duration },
];

/** How long this installation keeps records. */
export function RetentionSection() {
  const { retention } = useRead(read("organization", "get"));
  return (
    <Section title="Retention">
      <p>The operator of this installation sets how long records are kept.</p>
      <Table
        caption="Retention"
        columns={COLUMNS}
        rows={listRetention(retention)}
        keyOf={({ records }) => records}
      />
    </Section>
  );
}
