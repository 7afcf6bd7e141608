/** All DNS records of a group, what was found in place of each, and copies of them. */
import type { DnsRecord, Domain } from "../../../sdk/src/generated/types.ts";
import { slipway } from "../api/client.ts";
import { tellWhoSet } from "../api/account-zone-words.ts";
import { PURPOSES, tellFound, tellRecordType, tellSetWhen } from "../api/domain-words.ts";
import { useMe } from "../api/permissions.ts";
import {
  distinctRecords,
  recordLine,
  recordsAsLetter,
  recordsAsTable,
  recordsAsZoneFile,
} from "../api/record-texts.ts";
import { ActionButton } from "../components/confirm.tsx";
import { Status } from "../components/status.tsx";
import { CopyButton, Copyable } from "../ui/copy.tsx";
import { Empty, Fine, Row, Section } from "../ui/layout.tsx";
import { Table } from "../ui/table.tsx";
import { When } from "../ui/time.tsx";
import { GroupConnect } from "./group-connect.tsx";
import { GroupWays } from "./group-ways.tsx";

type Props = { readonly domains: readonly Domain[]; readonly reason: string | null };

/** Those still to be set come first. */
function inOrder(records: readonly DnsRecord[]): readonly DnsRecord[] {
  const missing = records.filter(({ status }) => status !== "OK");
  return [...missing, ...records.filter(({ status }) => status === "OK")];
}

export function GroupRecords({ domains, autoDns, reason }: Props & { readonly autoDns: boolean }) {
  const records = inOrder(distinctRecords(domains.flatMap(({ dnsRecords }) => dnsRecords)));
  const missing = records.filter(({ status }) => status !== "OK");
  const isLater = missing.some(({ setWhen }) => setWhen === "AFTER_CERTIFICATE");
  if (records.length === 0)
    return (
      <Section title="DNS records">
        <Empty title="No records to set yet">They appear here as soon as the certificate is requested.</Empty>
      </Section>
    );
  return (
    <Section
      title="DNS records"
      actions={
        <>
          <CopyButton label="Copy table" what="all records as a table" text={recordsAsTable(records)} />
          <CopyButton
            label="Copy zone file"
            what="all records as a zone file"
            text={recordsAsZoneFile(records)}
          />
          <CopyButton
            label="Copy as a letter"
            what="a letter to the person who keeps the DNS"
            text={recordsAsLetter(missing.length === 0 ? records : missing)}
          />
        </>
      }
    >
      <p>
        {missing.length === 0
          ? "All records are set. Keep them: the certificate is renewed by them."
          : `${missing.length} of ${records.length} still to be set at your DNS provider.${isLater ? " A name that is served elsewhere moves here with its connection record: set that one when the certificate is ready." : ""}`}
      </p>
      <Table
        caption="DNS records"
        rows={records}
        keyOf={recordLine}
        note={foundNote}
        columns={[
          {
            label: "Type",
            wraps: true,
            cell: ({ type, purpose, panelForm, status, setWhen }) => (
              <>
                {panelForm?.type ?? type}{" "}
                {panelForm !== null || tellRecordType(type) === null ? null : (
                  <small>{tellRecordType(type)}</small>
                )}
                <Fine>{PURPOSES[purpose]}</Fine>
                {tellSetWhen({ status, setWhen }) === null ? null : (
                  <Fine>{tellSetWhen({ status, setWhen })}</Fine>
                )}
              </>
            ),
          },
          {
            label: "Name",
            wraps: true,
            cell: ({ relativeName, zone, name, panelForm }) => (
              <>
                {panelForm?.host === "" ? (
                  "left empty"
                ) : (
                  <Copyable
                    text={panelForm?.host ?? relativeName}
                    what={`the name of ${name} within ${zone}`}
                  />
                )}
                <Fine>
                  in {zone} <CopyButton label="Copy full name" what={name} text={name} />
                </Fine>
              </>
            ),
          },
          {
            label: "Value",
            wraps: true,
            cell: ({ value, name, panelForm }) => (
              <Copyable text={panelForm?.value ?? value} what={`the value of ${name}`} />
            ),
          },
          {
            label: "State",
            isShort: true,
            cell: (record) => <State record={record} />,
          },
          {
            label: "",
            cell: (record) => (
              <CopyButton label="Copy row" what={`the record ${record.name}`} text={recordLine(record)} />
            ),
          },
        ]}
      />
      <GroupWays domains={domains} autoDns={autoDns} />
      <GroupConnect domains={domains} reason={reason} />
      <SandboxDns domains={domains} reason={reason} />
    </Section>
  );
}

function State({ record }: { readonly record: DnsRecord }) {
  const { status, lastPropagationCheckAt } = record;
  const who = tellWhoSet(record);
  return (
    <>
      <Status
        of={status}
        words={status === "OK" ? "Set" : "Not seen yet"}
        tone={status === "OK" ? "good" : "todo"}
      />
      {who === null ? null : (
        <Fine>
          {who.says} {who.since === null ? null : <When at={who.since} />}
        </Fine>
      )}
      <Fine>
        {lastPropagationCheckAt === null ? (
          "not looked at yet"
        ) : (
          <>
            looked <When at={lastPropagationCheckAt} />
          </>
        )}
      </Fine>
    </>
  );
}

/** What should be there, and what is. */
function foundNote(record: DnsRecord) {
  const found = tellFound(record);
  if (found === null) return null;
  return (
    <>
      <p>{found.what}</p>
      {found.found === null ? null : (
        <Fine>
          Expected <code>{record.value}</code>, found <code>{found.found}</code>.
        </Fine>
      )}
    </>
  );
}

/** The sandbox has a DNS of its own, which stands in for that of a customer. */
function SandboxDns({ domains, reason }: Props) {
  const { cloud } = useMe();
  const waiting = domains.filter(({ dnsRecords }) => dnsRecords.some(({ status }) => status !== "OK"));
  if (cloud !== "sandbox" || waiting.length === 0) return null;
  const set = async () => {
    for (const { id, dnsRecords } of waiting) {
      for (const { name, type, value } of dnsRecords)
        await slipway.request("PUT", "/sandbox/dns/records", { body: { name, type, values: [value] } });
      await slipway.domains.check(id);
    }
  };
  return (
    <Row>
      <ActionButton
        label="Set the records in the sandbox"
        disabledReason={reason}
        work={set}
        said="The records are set."
        refreshes={["domains", "domainGroups"]}
      />
      <Fine>The sandbox has a DNS of its own, so that this can be tried without a domain.</Fine>
    </Row>
  );
}
