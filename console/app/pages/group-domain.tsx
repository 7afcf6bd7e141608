/** Below the row of a domain: its problems, its records with how to set them, or its timeline. */
import { lazy, Suspense } from "react";
import type { Domain, DomainCertificateGroup } from "../../../sdk/src/generated/types.ts";
import { slipway } from "../api/client.ts";
import { tellDnsWays } from "../api/dns-provider-words.ts";
import { tellDomain } from "../api/domain-words.ts";
import { read, useLater } from "../api/query.ts";
import { ActionButton } from "../components/confirm.tsx";
import { domainProblems } from "../components/domain-problem.tsx";
import { SiteNote } from "../components/site-link.tsx";
import { Fine, Row, Skeleton } from "../ui/layout.tsx";
import { Countdown } from "../ui/time.tsx";
import css from "./group.module.css";
import { DomainRecords } from "./group-records.tsx";

/** Most visitors of the page never open it. */
const DomainTimeline = lazy(async () => ({
  default: (await import("./group-timeline.tsx")).DomainTimeline,
}));

export type DomainPart = "records" | "timeline";

const PARTS: readonly (readonly [DomainPart, string])[] = [
  ["records", "Records"],
  ["timeline", "Timeline"],
];

type Props = {
  readonly group: DomainCertificateGroup;
  readonly domain: Domain;
  readonly reason: string | null;
};

export function GroupDomain({
  id,
  part,
  onShow,
  ...props
}: Props & {
  /** Of the element. */
  readonly id: string;
  readonly part: DomainPart;
  readonly onShow: (part: DomainPart) => void;
}) {
  const { name } = props.domain;
  return (
    <div id={id} className={css["details"]}>
      <div className={css["bar"]}>
        <div role="group" aria-label={`Parts of ${name}`} className={css["parts"]}>
          {PARTS.map(([one, label]) => (
            <button
              key={one}
              type="button"
              aria-pressed={part === one}
              aria-label={`${label} of ${name}`}
              onClick={() => onShow(one)}
            >
              {label}
            </button>
          ))}
        </div>
        {isMissing(props.domain) ? <NextCheck group={props.group} domainId={props.domain.id} /> : null}
      </div>
      {part === "timeline" ? (
        <Suspense fallback={<Skeleton lines={5} label="Loading the timeline" />}>
          <DomainTimeline domain={props.domain} />
        </Suspense>
      ) : (
        <Records {...props} />
      )}
    </div>
  );
}

function isMissing({ dnsRecords }: Domain): boolean {
  return dnsRecords.some(({ status }) => status !== "OK");
}

function Records({ group, domain, reason }: Props) {
  const { next, turn } = tellDomain(domain);
  const hasWay = isMissing(domain) && turn === "you";
  return (
    <>
      {domainProblems(domain)}
      {hasWay ? <Way group={group} domain={domain} reason={reason} /> : <p>{next}</p>}
      {domain.dnsRecords.length === 0 ? null : <DomainRecords domain={domain} />}
      {turn === null ? <SiteNote /> : null}
    </>
  );
}

function NextCheck({ group, domainId }: Pick<Props, "group"> & { readonly domainId: string }) {
  const rows = useLater(read("overview", "listDomains", { serviceId: group.serviceId, limit: 100 })).data;
  const at = rows?.domains.find(({ id }) => id === domainId)?.nextCheckAt ?? null;
  if (at === null) return null;
  return (
    <span className={css["quiet"]}>
      Slipway checks again <Countdown to={at} />.
    </span>
  );
}

/** How to set the records: the provider does it after the owner agreed, or where its panel is. */
function Way({ group, domain, reason }: Props) {
  const { id, name, dnsProvider, dnsRecords, status } = domain;
  const zone = dnsRecords[0]?.zone;
  const canConnect = dnsProvider?.supports.domainConnect === true && status !== "DETACHING";
  const provider = dnsProvider?.name ?? "the DNS provider";
  return (
    <>
      {tellDnsWays([domain], group.autoDns).map(({ says, panelUrl, hints }) => (
        <p key={says}>
          {says} {zone === undefined ? null : `Their zone is ${zone}.`}{" "}
          {panelUrl === null ? null : (
            <a href={panelUrl} target="_blank" rel="noopener noreferrer">
              Open its panel
            </a>
          )}{" "}
          <span className={css["quiet"]}>{hints.join(" ")}</span>
        </p>
      ))}
      {canConnect ? (
        <Row>
          <ActionButton
            label={`Set records at ${provider}`}
            name={`Set records at ${provider}: ${name}`}
            look="primary"
            disabledReason={reason}
            work={() => slipway.domains.startConnect(id, {})}
            refreshes={[]}
            onDone={({ applyUrl }) => window.location.assign(applyUrl)}
          />
          <Fine>You agree there, and it sets both records. A name in use elsewhere leads here at once.</Fine>
        </Row>
      ) : null}
    </>
  );
}
