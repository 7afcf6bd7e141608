/** The domains of a group, one row each, which opens to its records and its timeline. */
import { ChevronRight, ExternalLink } from "lucide-react";
import { useState } from "react";
import type { Domain, DomainCertificateGroup } from "../../../sdk/src/generated/types.ts";
import { tellRecordsLeft } from "../api/account-zone-words.ts";
import { slipway } from "../api/client.ts";
import { DOMAIN_REFRESHES } from "../api/domain-selection.ts";
import { describeRow, isServed } from "../api/group-words.ts";
import { recordsAsZoneFile } from "../api/record-texts.ts";
import { ActionMenu, type MenuAction } from "../components/confirm.tsx";
import { SiteLink } from "../components/site-link.tsx";
import { Status } from "../components/status.tsx";
import { copyText } from "../ui/copy.tsx";
import { Icon } from "../ui/icon.tsx";
import { Hidden } from "../ui/layout.tsx";
import { Table } from "../ui/table.tsx";
import css from "./group.module.css";
import { type DomainPart, GroupDomain } from "./group-domain.tsx";

type Props = {
  readonly group: DomainCertificateGroup;
  readonly domains: readonly Domain[];
  /** Why the caller must not change them; null: they may. */
  readonly reason: string | null;
};

/** If at most this many domains are not served, all of them are open from the beginning; otherwise none is. */
const OPEN_FIRST = 3;

/** Which part of a domain is shown below its row; null: none. */
type Shown = Readonly<Record<string, DomainPart | null>>;

export function GroupDomains({ group, domains, reason }: Props) {
  const [shown, setShown] = useState<Shown>({});
  const [opened] = useState(() => openFirst(domains));
  const partOf = ({ id }: Domain) => {
    const chosen = shown[id];
    return chosen === undefined ? (opened.has(id) ? "records" : null) : chosen;
  };
  const show = (id: string, part: DomainPart | null) => setShown({ ...shown, [id]: part });
  return (
    <Table
      caption="Domains"
      rows={domains}
      keyOf={({ id }) => id}
      filterBy={(domain) => `${domain.name} ${describeRow(domain, group.autoDns).words}`}
      note={(domain) => {
        const part = partOf(domain);
        if (part === null) return null;
        const id = partId(domain);
        return (
          <GroupDomain {...{ id, group, domain, part, reason }} onShow={(next) => show(domain.id, next)} />
        );
      }}
      columns={[
        {
          label: "Domain",
          share: 34,
          sortBy: ({ name }) => name,
          cell: (domain) => (
            <Name
              domain={domain}
              isOpen={partOf(domain) !== null}
              onToggle={() => show(domain.id, partOf(domain) === null ? "records" : null)}
            />
          ),
        },
        {
          label: "State",
          share: 26,
          isShort: true,
          sortBy: (domain) => describeRow(domain, group.autoDns).words,
          cell: (domain) => {
            const { words, tone } = describeRow(domain, group.autoDns);
            return <Status of={domain.status} words={words} tone={tone} />;
          },
        },
        {
          label: "Waiting for",
          share: 28,
          sortBy: (domain) => describeRow(domain, group.autoDns).waitsFor,
          cell: (domain) => describeRow(domain, group.autoDns).waitsFor,
        },
        {
          label: "Records set",
          share: 10,
          isNumber: true,
          sortBy: ({ dnsRecords }) => dnsRecords.filter(({ status }) => status !== "OK").length,
          cell: ({ dnsRecords }) =>
            dnsRecords.length === 0
              ? "–"
              : `${dnsRecords.filter(({ status }) => status === "OK").length} of ${dnsRecords.length}`,
        },
        {
          label: "",
          cell: (domain) => (
            <ActionMenu
              of={domain.name}
              actions={actionsOf(group, domain, reason, () => show(domain.id, "timeline"))}
            />
          ),
        },
      ]}
    />
  );
}

function openFirst(domains: readonly Domain[]): ReadonlySet<string> {
  const waiting = domains.filter((domain) => !isServed(domain));
  return new Set(waiting.length <= OPEN_FIRST ? waiting.map(({ id }) => id) : []);
}

function partId({ id }: Domain): string {
  return `part-${id}`;
}

function Name({
  domain,
  isOpen,
  onToggle,
}: {
  readonly domain: Domain;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
}) {
  const { name, type } = domain;
  return (
    <span className={css["name"]}>
      <button
        type="button"
        className={css["toggle"]}
        aria-expanded={isOpen}
        aria-controls={isOpen ? partId(domain) : undefined}
        onClick={onToggle}
      >
        <Icon of={ChevronRight} />
        <span>{name}</span>
      </button>
      {type === "WILDCARD" || !isServed(domain) ? null : (
        <SiteLink host={name}>
          <Icon of={ExternalLink} size={14} />
          <Hidden>Open {name}</Hidden>
        </SiteLink>
      )}
    </span>
  );
}

function actionsOf(
  group: DomainCertificateGroup,
  domain: Domain,
  reason: string | null,
  onTimeline: () => void,
): readonly MenuAction[] {
  const { id, name, status, dnsRecords } = domain;
  const served = isServed(domain);
  const none = dnsRecords.length === 0 ? "It has no records yet." : null;
  return [
    {
      label: "Check now",
      disabledReason: none ?? reason,
      write: {
        work: () => slipway.domains.check(id),
        said: `Checking the records of ${name}.`,
        refreshes: DOMAIN_REFRESHES,
      },
    },
    { label: "Show its timeline", onSelect: onTimeline },
    {
      label: "Copy its records as a zone file",
      disabledReason: none,
      onSelect: () => void copyText(recordsAsZoneFile(dnsRecords), `the records of ${name}`),
    },
    {
      label: "Delete…",
      group: "",
      isDanger: true,
      disabledReason: status === "DETACHING" ? "It is being removed." : reason,
      write: {
        work: () => slipway.domainGroups.deleteDomain(group.id, id),
        said: `${name} is being removed.`,
        refreshes: DOMAIN_REFRESHES,
        question: {
          title: `Delete ${name}?`,
          consequences: [
            served ? "It is served now, and stops answering." : "It is not served now, and will not be.",
            "The other domains of the group stay as they are.",
            ...tellRecordsLeft(dnsRecords),
          ],
          action: "Delete domain",
          typed: served ? name : undefined,
        },
      },
    },
  ];
}
