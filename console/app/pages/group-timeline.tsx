/** What happened to a domain, the newest first. It changes as things happen. */
import type { Domain } from "../../../sdk/src/generated/types.ts";
import { readPages, useList } from "../api/query.ts";
import { joinRepeated, type TimelineLine, toneOf } from "../api/timeline-words.ts";
import { Problem } from "../components/problem.tsx";
import { Button } from "../ui/button.tsx";
import { Fine, Skeleton } from "../ui/layout.tsx";
import { tellInstant, When } from "../ui/time.tsx";
import css from "./group-timeline.module.css";

export function DomainTimeline({ domain }: { readonly domain: Domain }) {
  const list = useList(readPages("domains", "timeline", domain.id, { order: "desc" }), "timelineEntries");
  const { items, error, hasMore, isLoadingMore, loadMore } = list;
  if (error !== null) return <Problem error={error} />;
  if (items === undefined) return <Skeleton lines={5} label="Loading the timeline" />;
  const lines = joinRepeated(items);
  const isWhole = !hasMore && items.at(-1)?.kind === "DOMAIN_ADDED";
  return (
    <>
      <ol className={css["timeline"]} aria-label={`Timeline of ${domain.name}`}>
        {lines.map((line) => (
          <Line key={line.entry.id} {...line} />
        ))}
      </ol>
      {hasMore ? (
        <div>
          <Button size="small" isPending={isLoadingMore} onClick={loadMore}>
            Show more
          </Button>
        </div>
      ) : null}
      {hasMore || isWhole ? null : (
        <Fine>
          The domain was added on {tellInstant(domain.createdAt)}. What happened more than 30 days ago is not
          kept.
        </Fine>
      )}
    </>
  );
}

function Line({ entry, count, since }: TimelineLine) {
  return (
    <li data-tone={toneOf(entry)}>
      <div>
        {entry.summary}{" "}
        {count === 1 ? null : (
          <span className={css["quiet"]}>
            {count} times since <When at={since} />
          </span>
        )}
        {entry.action === null ? null : <p className={css["quiet"]}>{entry.action}</p>}
      </div>
      <span className={css["quiet"]}>
        <When at={entry.occurredAt} />
      </span>
    </li>
  );
}
