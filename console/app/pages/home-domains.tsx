/** Domains by who has to act next: the customer, Slipway, or no one. */
import type { DomainRow } from "../../../sdk/src/generated/types.ts";
import { totalOf } from "../api/domain-selection.ts";
import { tellDomainRow } from "../api/domain-words.ts";
import { read, useLater } from "../api/query.ts";
import { useStatistics } from "../api/statistics.ts";
import { Link } from "../components/link.tsx";
import { Problem } from "../components/problem.tsx";
import { Status } from "../components/status.tsx";
import { paths } from "../paths.ts";
import { Empty, Quiet, Section, Skeleton } from "../ui/layout.tsx";
import css from "./home.module.css";

/** If there are more, the count is shown as this number with a plus. */
const COUNTED_MAX = 50;
const SHOWN = 5;

function useDomains(query: { readonly status?: DomainRow["status"]; readonly warning?: "ANY" }) {
  return useLater(read("overview", "listDomains", { ...query, limit: COUNTED_MAX }));
}

export function HomeDomains() {
  const failed = useDomains({ status: "ERROR_ATTACHING" });
  const awaiting = useDomains({ status: "AWAITING_VERIFICATION_RECORDS_TO_BE_SET" });
  const warned = useDomains({ warning: "ANY" });
  const statistics = useStatistics(undefined);
  const lists = [failed, awaiting, warned];
  const error = [...lists, statistics].find((one) => one.error !== null && one.data === undefined)?.error;
  const rows = lists.flatMap(({ data }) => data?.domains ?? []);
  const unique = [...new Map(rows.map((row) => [row.id, row])).values()];
  const isMore = lists.some(({ data }) => data !== undefined && data.nextCursor !== null);
  const counts = statistics.data?.domains;
  const isKnown = lists.every(({ data }) => data !== undefined) && counts !== undefined;
  const all = counts === undefined ? 0 : totalOf(counts);
  return (
    <Section
      title="Domains"
      actions={
        <Link to={paths.domains()} className={css["all"]}>
          All domains
        </Link>
      }
    >
      {error === undefined || error === null ? null : <Problem error={error} />}
      {!isKnown && error === undefined ? <Skeleton lines={6} label="Loading domains" /> : null}
      {isKnown && all === 0 ? (
        <Empty title="No domains yet">
          Open a service and add names to it, such as www.example.com. Slipway says which DNS records to set.
        </Empty>
      ) : null}
      {isKnown && all > 0 ? (
        <>
          <Turn
            title="Your turn"
            rows={unique.filter(({ waitsFor }) => waitsFor === "CUSTOMER")}
            isMore={isMore}
            none="No domain waits for you or its owner."
          />
          <Turn
            title="Slipway’s turn"
            rows={unique.filter(({ waitsFor }) => waitsFor === "SLIPWAY")}
            others={counts.inProgress}
            isMore={false}
            none="Slipway is not working on any domain."
          />
          <p>
            <Status
              of="ATTACHED"
              words={`${counts.attached} served`}
              tone={counts.attached === 0 ? "calm" : "good"}
            />
          </p>
        </>
      ) : null}
    </Section>
  );
}

function Turn({
  title,
  rows,
  others = 0,
  isMore,
  none,
}: {
  readonly title: string;
  readonly rows: readonly DomainRow[];
  /** How many are not among the rows. */
  readonly others?: number;
  readonly isMore: boolean;
  readonly none: string;
}) {
  const count = rows.length + others;
  const hidden = count - Math.min(rows.length, SHOWN);
  return (
    <div className={css["turn"]}>
      <h3>
        {title} <Quiet>{isMore ? `${COUNTED_MAX}+` : count}</Quiet>
      </h3>
      <ul className={css["rows"]} aria-label={title}>
        {rows.slice(0, SHOWN).map((row) => {
          const { words, tone } = tellDomainRow(row);
          return (
            <li key={row.id}>
              <span className={css["main"]}>
                <Link to={paths.group(row.domainCertificateGroupId)}>{row.name}</Link>
              </span>
              <Status of={row.status} words={words} tone={tone} />
            </li>
          );
        })}
        {count === 0 ? (
          <li>
            <Quiet>{none}</Quiet>
          </li>
        ) : null}
        {hidden > 0 ? (
          <li>
            <Link to={paths.domains()}>{rows.length === 0 ? `${hidden} in progress` : `${hidden} more`}</Link>
          </li>
        ) : null}
      </ul>
    </div>
  );
}
