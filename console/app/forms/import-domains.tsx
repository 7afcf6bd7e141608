/** Adds many domains to a service at once, after a look at what becomes of each line. */
import { useNavigate, useParams } from "@tanstack/react-router";
import { useState } from "react";
import type { DomainImport, ImportFate } from "../../../sdk/src/generated/types.ts";
import { slipway } from "../api/client.ts";
import { useCan } from "../api/permissions.ts";
import { read, useRead } from "../api/query.ts";
import { FormBox, useForm } from "../components/form.tsx";
import { Page } from "../components/page.tsx";
import { paths } from "../paths.ts";
import { TextArea } from "../ui/field.tsx";
import { Badge, Fine, Section, type Tone } from "../ui/layout.tsx";
import { Table } from "../ui/table.tsx";
import { toast } from "../ui/toast.tsx";

/** More rows than anybody reads make a page slow. Those to do something about come first. */
const SHOWN_LINES = 200;

const FATES: Readonly<Record<ImportFate, readonly [string, Tone]>> = {
  invalid: ["No domain name", "bad"],
  taken: ["Used elsewhere", "bad"],
  quota: ["No room", "bad"],
  accepted: ["New", "good"],
  duplicate: ["There already", "calm"],
};
const ORDER = Object.keys(FATES);

/** The service reads CSV, of which a list of names is the simplest. */
function sendImport(serviceId: string, text: string, dryRun: boolean): PromiseLike<DomainImport> {
  return slipway.request<DomainImport>("POST", `/v1/services/${serviceId}/domains/import`, {
    body: text,
    headers: { "content-type": "text/csv" },
    query: { dryRun },
  });
}

export function ImportDomainsForm() {
  const { serviceId } = useParams({ from: "/shell/services/$serviceId/domains/import" });
  const { name, projectId, environmentId } = useRead(read("services", "get", serviceId));
  const { reason } = useCan("manage domains", { projectId, environmentId });
  const navigate = useNavigate();
  /** What the service said of a text. */
  const [checked, setChecked] = useState<{ readonly text: string; readonly answer: DomainImport } | null>(
    null,
  );
  const form = useForm({
    initial: { text: "" },
    submit: ({ text }) => sendImport(serviceId, text, checked?.text !== text),
    refreshes: ["domainGroups", "domains", "overview"],
    onDone: async (answer, { text }) => {
      if (answer.dryRun) {
        setChecked({ text, answer });
        return;
      }
      toast(`Domains that were added: ${answer.counts.accepted}. Their certificates are being requested.`);
      await navigate({ to: paths.serviceDomains(serviceId) });
    },
  });
  const { text } = form.values;
  const answer = checked?.text === text ? checked.answer : null;
  const stopped =
    reason ??
    (text.trim() === ""
      ? "Paste some names first."
      : answer?.counts.accepted === 0
        ? "None of these names can be added."
        : null);
  return (
    <Page
      title="Import domains"
      crumbs={[[`Domains of ${name}`, paths.serviceDomains(serviceId)]]}
      lead={`Up to 10,000 names that lead visitors to ${name}. Nothing is added before you have seen what becomes of each.`}
    >
      <FormBox
        form={form}
        action={answer === null ? "Check the names" : `Add new domains: ${answer.counts.accepted}`}
        disabledReason={stopped}
        onCancel={() => void navigate({ to: paths.serviceDomains(serviceId) })}
      >
        <TextArea
          label="Names"
          isCode
          rows={10}
          placeholder={"www.example.com\nshop.example.com"}
          hint="One on each line, or CSV with the names in its first column."
          {...form.field("text", "/domains")}
        />
        {answer === null ? null : <Fates answer={answer} />}
      </FormBox>
    </Page>
  );
}

function Fates({ answer: { lines, counts, createdGroups } }: { readonly answer: DomainImport }) {
  const sorted = lines.toSorted((a, b) => ORDER.indexOf(a.fate) - ORDER.indexOf(b.fate) || a.line - b.line);
  const refused = counts.invalid + counts.taken + counts.quota;
  return (
    <Section title="What becomes of each line">
      <p role="status">
        New: {counts.accepted}, in new groups: {createdGroups}. There already: {counts.duplicate}. Left out:{" "}
        {refused}.
      </p>
      <Table
        caption="What becomes of each line"
        rows={sorted.slice(0, SHOWN_LINES)}
        keyOf={({ line }) => String(line)}
        columns={[
          { label: "Name", cell: ({ name }) => <code>{name}</code> },
          { label: "Line", cell: ({ line }) => line },
          {
            label: "What becomes of it",
            cell: ({ fate, message }) => {
              const [words, tone] = FATES[fate];
              return (
                <>
                  <Badge tone={tone}>{words}</Badge>
                  {message === null ? null : <Fine>It {message}.</Fine>}
                </>
              );
            },
          },
        ]}
      />
      {sorted.length > SHOWN_LINES ? <Fine>And {sorted.length - SHOWN_LINES} more lines.</Fine> : null}
    </Section>
  );
}
