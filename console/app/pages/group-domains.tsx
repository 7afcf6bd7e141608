/** The domains of a group: the state of each, its problem, and the time of its next check. */
import type { Domain, DomainCertificateGroup } from "../../../sdk/src/generated/types.ts";
import { tellRecordsLeft } from "../api/account-zone-words.ts";
import { slipway } from "../api/client.ts";
import { tellDomain, tellTurn } from "../api/domain-words.ts";
import { read, useLater } from "../api/query.ts";
import { ActionButton, ConfirmButton } from "../components/confirm.tsx";
import { domainProblems } from "../components/domain-problem.tsx";
import { SiteLink, SiteNote } from "../components/site-link.tsx";
import { Status } from "../components/status.tsx";
import { Empty, Fine, Row, Section } from "../ui/layout.tsx";
import { Table } from "../ui/table.tsx";
import { Countdown } from "../ui/time.tsx";

type Props = {
  readonly group: DomainCertificateGroup;
  readonly domains: readonly Domain[];
  readonly serviceId: string;
  /** Why the caller must not change them; null: they may. */
  readonly reason: string | null;
};

const MOST_ROWS = 100;

export function GroupDomains({ group, domains, serviceId, reason }: Props) {
  const rows = useLater(read("overview", "listDomains", { serviceId, limit: MOST_ROWS })).data?.domains;
  const nextCheckOf = (id: string) => rows?.find((row) => row.id === id)?.nextCheckAt ?? null;
  if (domains.length === 0)
    return (
      <Section title="Domains">
        <Empty title="No domains in this group">Add the first below.</Empty>
      </Section>
    );
  return (
    <Section title="Domains">
      <Table
        caption="Domains"
        rows={domains}
        keyOf={({ id }) => id}
        note={domainProblems}
        columns={[
          { label: "Domain", cell: (domain) => <Name domain={domain} /> },
          {
            label: "State",
            wraps: true,
            cell: (domain) => <State domain={domain} nextCheckAt={nextCheckOf(domain.id)} />,
          },
          { label: "Whose turn", isShort: true, cell: (domain) => tellTurn(tellDomain(domain).turn) },
          { label: "", cell: (domain) => <Actions group={group} domain={domain} reason={reason} /> },
        ]}
      />
      {domains.some(isOpenable) ? <SiteNote /> : null}
    </Section>
  );
}

function isOpenable(domain: Domain): boolean {
  return domain.type !== "WILDCARD" && tellDomain(domain).words === "Served";
}

function Name({ domain }: { readonly domain: Domain }) {
  if (!isOpenable(domain)) return domain.name;
  return <SiteLink host={domain.name} />;
}

function State({ domain, nextCheckAt }: { readonly domain: Domain; readonly nextCheckAt: string | null }) {
  const { words, tone, next } = tellDomain(domain);
  const isAwaited = domain.dnsRecords.some(({ status }) => status !== "OK");
  return (
    <>
      <Status of={domain.status} words={words} tone={tone} />
      <Fine>{next}</Fine>
      {isAwaited && nextCheckAt !== null ? (
        <Fine>
          Slipway looks again <Countdown to={nextCheckAt} />.
        </Fine>
      ) : null}
    </>
  );
}

function Actions({ group, domain, reason }: Pick<Props, "group" | "reason"> & { readonly domain: Domain }) {
  const { id, name, status, dnsRecords } = domain;
  const isServed = tellDomain(domain).turn === null;
  return (
    <Row>
      <ActionButton
        label="Check now"
        name={`Check now: ${name}`}
        size="small"
        disabledReason={dnsRecords.length === 0 ? "It has no records yet." : reason}
        work={() => slipway.domains.check(id)}
        said={`Checking the records of ${name}.`}
        refreshes={["domains", "domainGroups", "overview"]}
      />
      <ConfirmButton
        label="Delete"
        name={`Delete ${name}`}
        size="small"
        disabledReason={status === "DETACHING" ? "It is being removed." : reason}
        title={`Delete ${name}?`}
        consequences={[
          isServed ? "It is served now, and stops to answer." : "It is not served now, and will not be.",
          "The other domains of the group stay as they are.",
          ...tellRecordsLeft(dnsRecords),
        ]}
        action="Delete domain"
        typed={isServed ? name : undefined}
        work={() => slipway.domainGroups.deleteDomain(group.id, id)}
        said={`${name} is being removed.`}
        refreshes={["domains", "domainGroups", "overview"]}
      />
    </Row>
  );
}
