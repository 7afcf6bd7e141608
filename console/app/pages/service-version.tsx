import { Rocket } from "lucide-react";
import type { DeploymentRow, LiveRelease, Service } from "../../../sdk/src/generated/types.ts";
import { titleOfCommit } from "../api/deployment-rules.ts";
import { read, useLater, useRead } from "../api/query.ts";
import { DocsLink } from "../components/docs-link.tsx";
import { Link } from "../components/link.tsx";
import { Problem } from "../components/problem.tsx";
import { SiteLink, SiteNote } from "../components/site-link.tsx";
import { Status } from "../components/status.tsx";
import { paths } from "../paths.ts";
import { CopyButton } from "../ui/copy.tsx";
import { Icon } from "../ui/icon.tsx";
import { Card, Empty, Fine, Skeleton } from "../ui/layout.tsx";
import { When } from "../ui/time.tsx";
import css from "./service-version.module.css";

/** What runs now, how it does, where it is reached, and what was tried after it. */
export function RunningVersion({ service: { id } }: { readonly service: Service }) {
  const { deployments } = useRead(
    read("overview", "listDeployments", { serviceId: id, order: "desc", limit: 1 }),
  );
  const { data, error } = useLater(read("services", "getHealth", id));
  if (error !== null) return <Problem error={error} />;
  const [last] = deployments;
  if (data === undefined)
    return (
      <Card>
        <div className={css["running"]}>
          <Skeleton lines={4} />
        </div>
        {last === undefined || last.status === "SUCCESS" ? null : <Newest of={last} />}
      </Card>
    );
  const { live, problem, urls, internalUrl } = data;
  const [url, ...others] = urls;
  return (
    <Card>
      {live === null ? (
        <div className={css["running"]}>
          <Empty title="Never deployed." action={<DocsLink chapter="Deployments" />}>
            Deploy its environment to build and run it.
          </Empty>
        </div>
      ) : (
        <div className={css["running"]}>
          <p className={css["version"]}>
            <Status of={data.health} />
            <Link to={paths.deployment(live.deploymentId)} className={css["change"]}>
              {titleOfCommit(live)}
            </Link>
          </p>
          <Origin of={live} />
          {url === undefined ? null : (
            <p className={css["version"]}>
              <SiteLink host={new URL(url).host}>{url}</SiteLink>
              <CopyButton text={url} what="the address" />
              {others.length === 0 ? null : <Link to={paths.serviceDomains(id)}>and other domains</Link>}
            </p>
          )}
          {/* A problem takes the place of the note, because what stands below must not move. */}
          {problem !== null ? <p>{problem}</p> : url === undefined ? null : <SiteNote />}
          {internalUrl === null ? null : (
            <Fine>
              Other services of the environment reach it at <code>{internalUrl}</code>
            </Fine>
          )}
        </div>
      )}
      {last === undefined || last.id === live?.deploymentId ? null : <Newest of={last} />}
    </Card>
  );
}

function Origin({ of: { commit, branch, commitAuthor, releasedAt } }: { readonly of: LiveRelease }) {
  return (
    <Fine>
      <code>{commit}</code> on {branch}
      {commitAuthor === null ? null : ` by ${commitAuthor}`}, live{" "}
      <When at={releasedAt} otherwise="at an unknown time" />
    </Fine>
  );
}

/** The newest deployment, if another one is live. */
function Newest({ of: { id, status, error, createdAt, ...deployment } }: { readonly of: DeploymentRow }) {
  return (
    <div className={css["newest"]}>
      <p className={css["version"]}>
        <Icon of={Rocket} />
        <span>Newest deployment:</span>
        <Status of={status} />
        <Link to={paths.deployment(id)} className={css["change"]}>
          {titleOfCommit(deployment)}
        </Link>
        <small>
          <When at={createdAt} />
        </small>
      </p>
      {error === null ? null : <p>{error.message}</p>}
    </div>
  );
}
