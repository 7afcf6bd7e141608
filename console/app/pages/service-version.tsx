import { Rocket } from "lucide-react";
import type { DeploymentRow, LiveRelease, Service } from "../../../sdk/src/generated/types.ts";
import { titleOfCommit } from "../api/deployment-rules.ts";
import { read, useLater } from "../api/query.ts";
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
  const health = useLater(read("services", "getHealth", id));
  const newest = useLater(read("overview", "listDeployments", { serviceId: id, order: "desc", limit: 1 }));
  const error = health.error ?? newest.error;
  if (error !== null) return <Problem error={error} />;
  if (health.data === undefined || newest.data === undefined)
    return (
      <Card>
        <div className={css["running"]}>
          <Skeleton lines={4} />
        </div>
      </Card>
    );
  const { live, problem, urls, internalUrl } = health.data;
  const [last] = newest.data.deployments;
  return (
    <Card>
      {live === null ? (
        <Empty title="Never deployed." action={<DocsLink chapter="Deployments" />}>
          Deploy its environment to build and run it.
        </Empty>
      ) : (
        <div className={css["running"]}>
          <p className={css["version"]}>
            <Status of={health.data.health} />
            <Link to={paths.deployment(live.deploymentId)} className={css["change"]}>
              {titleOfCommit(live)}
            </Link>
          </p>
          {problem === null ? null : <p>{problem}</p>}
          <Origin of={live} />
          {urls.map((url) => (
            <p key={url} className={css["version"]}>
              <SiteLink host={new URL(url).host}>{url}</SiteLink>
              <CopyButton text={url} what="the address" />
            </p>
          ))}
          {urls.length === 0 ? null : <SiteNote />}
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
