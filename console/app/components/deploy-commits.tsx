import type { Project } from "../../../sdk/src/generated/types.ts";
import type { DeployTarget } from "../api/deploy-choices.ts";
import { titleOfCommit } from "../api/deployment-rules.ts";
import { tellDrift } from "../api/drift-words.ts";
import { linksOf } from "../api/git-links.ts";
import { read, useLater } from "../api/query.ts";
import { Badge, Fine, Quiet, Skeleton } from "../ui/layout.tsx";
import { When } from "../ui/time.tsx";
import css from "./deploy-commits.module.css";

/** As many as a dialog has room for. */
const SHOWN = 5;

type Props = {
  readonly project: Project;
  /** The environment that is deployed; undefined for a branch. */
  readonly environment: DeployTarget | undefined;
  readonly branch: string;
};

/** The commit that is deployed, and the ones before it, with what is live now. */
export function RecentCommits({ project, environment, branch }: Props) {
  const { data, error } = useLater(read("projects", "listCommits", project.id, { branch }), {
    isWanted: branch !== "",
    keepsPrevious: false,
  });
  const drift = useLater(read("environments", "getDrift", environment?.id ?? ""), {
    isWanted: environment !== undefined,
  });
  if (branch === "") return null;
  const live = new Set(environment === undefined ? [] : drift.data?.services.map((one) => one.liveCommit));
  const newest =
    environment === undefined || drift.data?.branch !== branch
      ? null
      : (tellDrift(drift.data).newest ?? drift.data.problem);
  const place = { repoUrl: project.repoUrl, ...project.codeSource };
  return (
    <section aria-label={`Recent commits of ${branch}`}>
      {environment === undefined ? null : (
        <>
          <p>
            The newest commit of <strong>{branch}</strong> is built and released in {environment.name}, with
            all of its services.
          </p>
          <Fine>
            {newest ?? (drift.error === null ? "Asking the git host for it…" : "The git host was not asked.")}
          </Fine>
        </>
      )}
      {data === undefined ? (
        error === null ? (
          <Skeleton lines={SHOWN} label="Loading the recent commits" />
        ) : (
          <Fine>The recent commits could not be listed.</Fine>
        )
      ) : data.commits.length === 0 ? (
        <Fine>{environment === undefined ? data.problem : null}</Fine>
      ) : (
        <ol className={css["commits"]}>
          {data.commits.slice(0, SHOWN).map((commit, index) => {
            const link = linksOf(place, { ...commit, branch }, null)?.commit ?? null;
            return (
              <li key={commit.commitHash}>
                <code>
                  {link === null ? (
                    commit.commit
                  ) : (
                    <a href={link} target="_blank" rel="noopener">
                      {commit.commit}
                    </a>
                  )}
                </code>
                <span className={css["title"]} title={titleOfCommit(commit)}>
                  {titleOfCommit(commit)}
                </span>
                {live.has(commit.commitHash) ? (
                  <Badge tone="good">Live now</Badge>
                ) : index === 0 ? (
                  <Badge tone="todo">Next</Badge>
                ) : (
                  <span />
                )}
                <Quiet>
                  <When at={commit.committedAt} otherwise="" />
                </Quiet>
              </li>
            );
          })}
        </ol>
      )}
    </section>
  );
}
