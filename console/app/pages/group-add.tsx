import { slipway } from "../api/client.ts";
import { readDomainNames, tellNameFault } from "../api/domain-names.ts";
import { FormBox, useForm } from "../components/form.tsx";
import { TextArea } from "../ui/field.tsx";
import { Section } from "../ui/layout.tsx";
import { toast } from "../ui/toast.tsx";

/** Adds domains to a group. */
export function AddDomains({
  groupId,
  reason,
}: {
  readonly groupId: string;
  readonly reason: string | null;
}) {
  const form = useForm({
    initial: { domains: "" },
    submit: ({ domains }) => slipway.domainGroups.addDomains(groupId, { domains: readDomainNames(domains) }),
    tell: (fault, { domains }) => tellNameFault(fault, domains),
    refreshes: ["domainGroups", "domains", "overview"],
    beginsAnew: true,
    onDone: ({ domains }) =>
      toast(domains.length === 1 ? "1 domain is added." : `${domains.length} domains are added.`),
  });
  return (
    <Section title="Add domains">
      <FormBox form={form} action="Add domains" refusal={reason}>
        <TextArea
          label="Domain names"
          placeholder="blog.example.com"
          hint="One a line, or pasted with commas. Served domains stay served; the certificate is issued again with all domains."
          {...form.field("domains")}
        />
      </FormBox>
    </Section>
  );
}
