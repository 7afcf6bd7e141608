/** The DNS records of a domain: when to set each, what to enter, and what the last check found. */
import type { DnsRecord, Domain } from "../../../sdk/src/generated/types.ts";
import { tellWhoSet } from "../api/account-zone-words.ts";
import { tellFound, tellRecordType } from "../api/domain-words.ts";
import { describeFinding, describeRecord } from "../api/group-words.ts";
import { recordLine } from "../api/record-texts.ts";
import { Status } from "../components/status.tsx";
import { Copyable } from "../ui/copy.tsx";
import { Fine } from "../ui/layout.tsx";
import { Table } from "../ui/table.tsx";
import { When } from "../ui/time.tsx";

const PURPOSES: Readonly<Record<DnsRecord["purpose"], string>> = {
  CERTIFICATE_DOMAIN_VERIFICATION: "Proves ownership",
  SERVICE_CONNECTION: "Leads visitors here",
  CERTIFICATE_AUTHORITY_AUTHORIZATION: "Allows the certificate",
};

export function DomainRecords({ domain }: { readonly domain: Domain }) {
  return (
    <Table
      caption={`Records of ${domain.name}`}
      rows={domain.dnsRecords}
      keyOf={recordLine}
      note={noteOf}
      columns={[
        { label: "Purpose", share: 15, isShort: true, cell: ({ purpose }) => PURPOSES[purpose] },
        {
          label: "Type",
          share: 9,
          isShort: true,
          cell: ({ type, panelForm }) => (
            <span title={tellRecordType(type) ?? undefined}>{panelForm?.type ?? type}</span>
          ),
        },
        {
          label: "Name",
          share: 23,
          cell: ({ relativeName, name, zone, panelForm }) =>
            panelForm?.host === "" ? (
              "left empty"
            ) : (
              <Copyable text={panelForm?.host ?? relativeName} what={`the name of ${name} within ${zone}`} />
            ),
        },
        {
          label: "Value",
          share: 23,
          cell: ({ value, name, panelForm }) => (
            <Copyable text={panelForm?.value ?? value} what={`the value of ${name}`} />
          ),
        },
        {
          label: "State",
          share: 16,
          isShort: true,
          cell: (record) => <Status of={record.status} {...describeRecord(record)} />,
        },
        {
          label: "Last check",
          share: 20,
          cell: (record) => (
            <>
              {describeFinding(record)}
              {record.lastPropagationCheckAt === null ? null : (
                <>
                  {" "}
                  <When at={record.lastPropagationCheckAt} />
                </>
              )}
            </>
          ),
        },
      ]}
    />
  );
}

/** The value that is there instead and what to do, and what Slipway did in a zone of the account; null: nothing to say. */
function noteOf(record: DnsRecord) {
  const found = tellFound(record);
  const problem = record.lastPropagationCheckError?.code === "NOT_FOUND" ? null : (found?.what ?? null);
  const who = record.accountZone === null ? null : tellWhoSet(record);
  if (problem === null && who === null) return null;
  return (
    <>
      {problem === null ? null : <p>{problem}</p>}
      {who === null ? null : (
        <Fine>
          {who.says.charAt(0).toUpperCase() + who.says.slice(1)}{" "}
          {who.since === null ? null : <When at={who.since} />}
        </Fine>
      )}
    </>
  );
}
