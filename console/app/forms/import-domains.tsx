/** Adds many domains to a service at once, after a preview of the result of each line. */
import { useNavigate, useParams } from "@tanstack/react-router";
import { useState } from "react";
import type { DomainImport, ImportGrouping } from "../../../sdk/src/generated/types.ts";
import { slipway } from "../api/client.ts";
import { DOMAIN_REFRESHES } from "../api/domain-selection.ts";
import { readColumns } from "../api/import-columns.ts";
import { useCan } from "../api/permissions.ts";
import { read, useRead } from "../api/query.ts";
import { FormBox, useForm } from "../components/form.tsx";
import { Page } from "../components/page.tsx";
import { paths } from "../paths.ts";
import { SelectField } from "../ui/field.tsx";
import { RadioField } from "../ui/radio-field.tsx";
import { TextFileField } from "../ui/text-file-field.tsx";
import { toast } from "../ui/toast.tsx";
import { ImportPreview } from "./import-preview.tsx";

type Values = { readonly text: string; readonly grouping: string; readonly column: string };

const GROUPINGS: readonly (readonly [ImportGrouping, string, string])[] = [
  [
    "registrable-domain",
    "One group for each registrable domain",
    "Names below one domain, such as example.com, have one owner.",
  ],
  [
    "column",
    "By a column of the list, such as the customer",
    "Names of one customer share groups, also below several domains.",
  ],
  [
    "none",
    "As few groups as possible",
    "Fewer distributions, but different owners share a certificate, in which each can read the others' names.",
  ],
];

export function ImportDomainsForm() {
  const { serviceId } = useParams({ from: "/shell/services/$serviceId/domains/import" });
  const { name, projectId, environmentId } = useRead(read("services", "get", serviceId));
  const { reason } = useCan("manage domains", { projectId, environmentId });
  const navigate = useNavigate();
  const [checked, setChecked] = useState<(Values & { readonly answer: DomainImport }) | null>(null);
  const isChecked = ({ text, grouping, column }: Values) =>
    checked?.text === text && checked.grouping === grouping && checked.column === column;
  const form = useForm({
    initial: { text: "", grouping: "registrable-domain", column: "" },
    submit: (values: Values) => {
      const groupBy = values.grouping as ImportGrouping;
      const grouping = groupBy === "column" ? { groupBy, groupColumn: values.column } : { groupBy };
      const query = { dryRun: !isChecked(values), ...grouping };
      return slipway.domains.import(serviceId, { csv: values.text }, { query });
    },
    refreshes: DOMAIN_REFRESHES,
    onDone: async (answer, values) => {
      if (answer.dryRun) {
        setChecked({ ...values, answer });
        return;
      }
      toast(
        `Domains added: ${answer.counts.accepted.toLocaleString("en")}. Their certificates are being requested.`,
      );
      await navigate({ to: paths.serviceDomains(serviceId) });
    },
  });
  const answer = checked !== null && isChecked(form.values) ? checked.answer : null;
  const columns = readColumns(form.values.text);
  const isByColumn = form.values.grouping === "column";
  const stopped =
    reason ??
    (form.values.text.trim() === ""
      ? "Paste some names or choose a file first."
      : isByColumn && !columns.includes(form.values.column)
        ? columns.length === 0
          ? "The first line has no headings. Begin the list with a line such as: Domain, Customer."
          : "Choose the column that names the customer."
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
        <TextFileField
          label="Names"
          accept=".csv,.tsv,.txt,text/csv,text/tab-separated-values,text/plain"
          isCode
          rows={answer === null ? 10 : 4}
          placeholder={"www.example.com\nshop.example.com"}
          hint="One on each line, or CSV with the names below a heading such as domain, FQDN or Website, or in its first column. Paste the list, or drop its file here."
          {...form.field("text", "/csv")}
        />
        <RadioField label="Groups" options={GROUPINGS} {...form.field("grouping", "query/groupBy")} />
        {isByColumn && columns.length > 0 ? (
          <SelectField
            label="Column"
            options={[["", "Choose a column"], ...columns.map((one) => [one, one] as const)]}
            hint="Names without a text in it are grouped by their registrable domain."
            {...form.field("column", "query/groupColumn")}
          />
        ) : null}
        {answer === null ? null : <ImportPreview answer={answer} />}
      </FormBox>
    </Page>
  );
}
