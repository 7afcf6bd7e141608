/** The domains of a group: who has to act, the records of each, and what happened to it. */
import { useParams } from "@tanstack/react-router";
import type { Domain } from "../../../sdk/src/generated/types.ts";
import { describeWaiting, findSharedError } from "../api/group-words.ts";
import { distinctRecords, recordsAsLetter, recordsAsTable, recordsAsZoneFile } from "../api/record-texts.ts";
import { GroupFrame, useGroup } from "../components/group-frame.tsx";
import { LinkButton } from "../components/link.tsx";
import { Notice, Problem } from "../components/problem.tsx";
import { paths } from "../paths.ts";
import { buttonClass } from "../ui/button.tsx";
import { copyText } from "../ui/copy.tsx";
import { Between, Empty, Fine, Row, Skeleton } from "../ui/layout.tsx";
import { Menu } from "../ui/menu.tsx";
import css from "./group.module.css";
import { GroupDomains } from "./group-domains.tsx";
import { SandboxDns } from "./group-sandbox.tsx";

export function GroupPage() {
  const { groupId } = useParams({ from: "/shell/groups/$groupId" });
  const of = useGroup(groupId);
  const { group, service, domains, error, reason } = of;
  return (
    <GroupFrame of={of}>
      {error === null ? null : <Problem error={error} />}
      {domains === undefined && error === null ? <Skeleton lines={8} label="Loading domains" /> : null}
      {domains?.length === 0 ? (
        <Empty
          title="No domains in this group"
          action={
            <LinkButton look="primary" to={paths.newDomains(service.id)} search={{ group: groupId }}>
              Add domains
            </LinkButton>
          }
        >
          Names of a group share a certificate and lead to {service.name}.
        </Empty>
      ) : null}
      {domains === undefined || domains.length === 0 ? null : (
        <div className={css["page"]}>
          <Between>
            <p>{describeWaiting(domains)}</p>
            <Row>
              <SandboxDns domains={domains} reason={reason} />
              <CopyRecords domains={domains} />
            </Row>
          </Between>
          <SharedProblem domains={domains} />
          <GroupDomains group={group} domains={domains} reason={reason} />
        </div>
      )}
    </GroupFrame>
  );
}

/** A problem of several domains, once. */
function SharedProblem({ domains }: { readonly domains: readonly Domain[] }) {
  const shared = findSharedError(domains);
  if (shared === null) return null;
  const { message, action, code } = shared.error;
  return (
    <Notice isBad title={`${shared.count} domains: ${message}`}>
      <p>{action}</p>
      <Fine>
        <code>{code}</code>
      </Fine>
    </Notice>
  );
}

/** Copies of all records of the group; the letter asks for the records that are not set yet. */
function CopyRecords({ domains }: { readonly domains: readonly Domain[] }) {
  const records = distinctRecords(domains.flatMap(({ dnsRecords }) => dnsRecords));
  const missing = records.filter(({ status }) => status !== "OK");
  const none = records.length === 0 ? "They appear when the certificate is requested." : null;
  const copy = (label: string, text: () => string, what: string) => ({
    label,
    disabledReason: none,
    onSelect: () => void copyText(text(), what),
  });
  return (
    <Menu
      label="Copy records"
      className={buttonClass("normal")}
      items={[
        copy("As a zone file", () => recordsAsZoneFile(records), "all records as a zone file"),
        copy("As a table", () => recordsAsTable(records), "all records as a table"),
        copy(
          "As a letter",
          () => recordsAsLetter(missing.length === 0 ? records : missing),
          "a letter to the person who keeps the DNS",
        ),
      ]}
    >
      Copy records
    </Menu>
  );
}
