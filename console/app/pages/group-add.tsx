import { useState } from "react";
import { slipway } from "../api/client.ts";
import { readDomainNames, tellNameFault } from "../api/domain-names.ts";
import { FormBox, useForm } from "../components/form.tsx";
import { TextArea } from "../ui/field.tsx";
import { Section } from "../ui/layout.tsx";
import { toast } from "../ui/toast.tsx";

type Props = { readonly groupId: string; readonly reason: string | null };

/** Adds domains to a group. After each time it begins anew. */
export function AddDomains({ groupId, reason }: Props) {
  const [round, setRound] = useState(0);
  return (
    <Section title="Add domains">
      <AddForm
        key={round}
        groupId={groupId}
        reason={reason}
        onDone={() => setRound((before) => before + 1)}
      />
    </Section>
  );
}

function AddForm({ groupId, reason, onDone }: Props & { readonly onDone: () => void }) {
  const form = useForm({
    initial: { domains: "" },
    submit: ({ domains }) => slipway.domainGroups.addDomains(groupId, { domains: readDomainNames(domains) }),
    tell: (fault, { domains }) => tellNameFault(fault, domains),
    refreshes: ["domainGroups", "domains", "overview"],
    onDone: ({ domains }) => {
      toast(domains.length === 1 ? "1 domain is added." : `${domains.length} domains are added.`);
      onDone();
    },
  });
  return (
    <FormBox form={form} action="Add domains" disabledReason={reason}>
      <TextArea
        label="Domain names"
        placeholder="blog.example.com"
        hint="One a line, or pasted with commas. Those that are served stay so; the certificate is made anew with all."
        {...form.field("domains")}
      />
    </FormBox>
  );
}
