/** Adds many domains to a service at once, after a preview of the result of each line. */
import { useNavigate, useParams } from "@tanstack/react-router";
import { useState } from "react";
import type { DomainImport } from "../../../sdk/src/generated/types.ts";
import { slipway } from "../api/client.ts";
import { useCan } from "../api/permissions.ts";
import { read, useRead } from "../api/query.ts";
import { FormBox, useForm } from "../components/form.tsx";
import { Page } from "../components/page.tsx";
import { paths } from "../paths.ts";
import { CheckField, TextArea } from "../ui/field.tsx";
import { toast } from "../ui/toast.tsx";
import { ImportPreview } from "./import-preview.tsx";

type Values = { readonly text: string; readonly isShared: boolean };

export function ImportDomainsForm() {
  const { serviceId } = useParams({ from: "/shell/services/$serviceId/domains/import" });
  const { name, projectId, environmentId } = useRead(read("services", "get", serviceId));
  const { reason } = useCan("manage domains", { projectId, environmentId });
  const navigate = useNavigate();
  const [checked, setChecked] = useState<(Values & { readonly answer: DomainImport }) | null>(null);
  const isChecked = ({ text, isShared }: Values) => checked?.text === text && checked.isShared === isShared;
  const form = useForm({
    initial: { text: "", isShared: false },
    submit: (values: Values) =>
      slipway.domains.import(
        serviceId,
        { csv: values.text },
        { query: { dryRun: !isChecked(values), groupBy: values.isShared ? "none" : "registrable-domain" } },
      ),
    refreshes: ["domainGroups", "domains", "overview"],
    onDone: async (answer, values) => {
      if (answer.dryRun) {
        setChecked({ ...values, answer });
        return;
      }
      toast(`Domains added: ${answer.counts.accepted}. Their certificates are being requested.`);
      await navigate({ to: paths.serviceDomains(serviceId) });
    },
  });
  const answer = checked !== null && isChecked(form.values) ? checked.answer : null;
  const stopped =
    reason ??
    (form.values.text.trim() === ""
      ? "Paste some names first."
      : answer?.counts.accepted === 0
        ? "None of these names can be added."
        : null);
  return (
    <Page
      title="Import domains"
      crumbs={[[`Domains of ${name}`, paths.serviceDomains(serviceId)]]}
      lead={`Add up to 10,000 names that lead visitors to ${name}. You see the result of each line before anything is added.`}
    >
      <FormBox
        form={form}
        action={answer === null ? "Check the names" : `Add new domains: ${answer.counts.accepted}`}
        disabledReason={stopped}
        onCancel={() => void navigate({ to: paths.serviceDomains(serviceId) })}
        isLong={answer !== null}
      >
        <TextArea
          label="Names"
          isCode
          rows={answer === null ? 10 : 4}
          placeholder={"www.example.com\nshop.example.com"}
          hint="One on each line, or CSV with the names below a heading such as domain, FQDN or Website, or in its first column."
          {...form.field("text", "/csv")}
        />
        <CheckField
          label="Let names of different owners share groups"
          hint="Otherwise, only names below one registrable domain, such as example.com, share a group. Sharing needs fewer distributions, but the owners then share a certificate."
          {...form.field("isShared")}
        />
        {answer === null ? null : <ImportPreview answer={answer} />}
      </FormBox>
    </Page>
  );
}
