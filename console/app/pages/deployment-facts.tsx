import { ExternalLink } from "lucide-react";
import type { ReactNode } from "react";
import type { DeploymentDetails, Project } from "../../../sdk/src/generated/types.ts";
import { tellDeploymentTrigger } from "../api/deployment-rules.ts";
import { linksOf } from "../api/git-links.ts";
import { read, readAll, useLater } from "../api/query.ts";
import { Link } from "../components/link.tsx";
import { paths } from "../paths.ts";
import { Copyable } from "../ui/copy.tsx";
import { Icon } from "../ui/icon.tsx";
import { Facts } from "../ui/layout.tsx";
import { When } from "../ui/time.tsx";
import css from "./deployment.module.css";

/** The deployed commit, its author, and links to the git host. */
export function DeploymentFacts({
  deployment,
  project: { repoUrl, codeSource },
  live,
}: {
  readonly deployment: DeploymentDetails;
  readonly project: Project;
  /** Where it is what runs now; null: it never was. */
  readonly live: string | null;
}) {
  const { id, branch, commitAuthor, commitHash, commit, startedBy, createdAt } = deployment;
  const { data } = useLater(readAll("users", "list", {}));
  const starter = data?.users.find((user) => user.id === startedBy)?.name;
  const place = { repoUrl, ...codeSource };
  const isShown = linksOf(place, deployment, null) !== null;
  const { data: changes, error } = useLater(read("deployments", "compare", id, {}), { isWanted: isShown });
  const since = changes?.comparedWith ?? null;
  const links = linksOf(place, deployment, since?.commitHash ?? null);
  const request = links?.pullRequest ?? null;
  const compare =
    links === null ? null : changes === undefined && error === null ? (
      "…"
    ) : links.compare === null || since === null ? (
      "None since the one before"
    ) : (
      <HostLink to={links.compare}>Since {since.commit}</HostLink>
    );
  return (
    <Facts
      of={[
        ["Branch", links === null ? branch : <HostLink to={links.branch}>{branch}</HostLink>],
        ["Author", commitAuthor],
        [
          "Commit",
          <span key="commit" className={css["commit"]}>
            <Copyable text={commitHash} shown={commit} what="the commit" />
            {links === null ? null : <HostLink to={links.commit}>Open</HostLink>}
          </span>,
        ],
        ["Pull request", request === null ? null : <HostLink to={request.url}>{request.words}</HostLink>],
        ["Changes", compare],
        ["Started by", <Cause key="cause" deployment={deployment} starter={starter} />],
        ["Live now", live],
        ["Requested", <When key="requested" at={createdAt} />],
      ]}
    />
  );
}

/** The user, and what the user did. */
function Cause({
  deployment: { trigger, rollbackOf, restartedServiceId, services },
  starter,
}: {
  readonly deployment: DeploymentDetails;
  readonly starter: string | undefined;
}) {
  const by = starter === undefined ? "" : `${starter}, `;
  if (rollbackOf !== null)
    return (
      <>
        {by}
        <Link to={paths.deployment(rollbackOf)}>rollback to an earlier one</Link>
      </>
    );
  if (restartedServiceId !== null)
    return (
      <>
        {by}restart of <Link to={paths.service(restartedServiceId)}>{services[0]?.name ?? "a service"}</Link>
      </>
    );
  const words = tellDeploymentTrigger(trigger);
  return by === "" ? words : `${by}${words.toLowerCase()}`;
}

/** To the git host, in another tab. */
function HostLink({ to, children }: { readonly to: string; readonly children: ReactNode }) {
  return (
    <a href={to} target="_blank" rel="noopener" className={css["host"]}>
      {children} <Icon of={ExternalLink} size={13} />
    </a>
  );
}
