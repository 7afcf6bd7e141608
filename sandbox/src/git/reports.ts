/** What Slipway reports to the sandbox's git host: deployments, statuses of commits, and comments. */
import type { CommentReport, DeploymentReport, StatusReport } from "../../../src/git/pull-requests.ts";
import type { Collection, SandboxState } from "../state.ts";

type Entry = {
  /** Larger than those of earlier entries. */
  readonly id: string;
  readonly repository: string;
  /** ISO 8601 */
  readonly createdAt: string;
  readonly updatedAt: string;
};

export type DeploymentStatus = Pick<DeploymentReport, "state" | "url" | "logUrl" | "description"> & {
  readonly createdAt: string;
};

export type Deployment = Entry &
  Pick<DeploymentReport, "commit" | "ref" | "environment" | "isPreview"> & {
    /** The newest last. */
    readonly statuses: readonly DeploymentStatus[];
  };

export type CommitStatus = Entry & StatusReport;

export type Comment = Entry & Pick<CommentReport, "number" | "marker" | "text">;

export type Reports = {
  /** @returns the deployment's id; null if there is no deployment to end */
  addDeployment(repository: string, report: DeploymentReport): string | null;
  /** Edits the comment with this id or marker, or creates one. @returns its id */
  writeComment(repository: string, report: CommentReport): string;
  setStatus(repository: string, report: StatusReport): void;
  /** @returns whether there was such a comment */
  deleteComment(repository: string, number: number, id: string): boolean;
  /** The reports about a repository, the oldest first. */
  listDeployments(repository: string): readonly Deployment[];
  listStatuses(repository: string): readonly CommitStatus[];
  listComments(repository: string, number: number): readonly Comment[];
};

/** Of one deployment. The oldest are forgotten. */
const STATUSES_MAX = 100;

export function openReports(state: SandboxState, now: () => number): Reports {
  const deployments = state.collection<Deployment>("git-deployments");
  const statuses = state.collection<CommitStatus>("git-statuses");
  const comments = state.collection<Comment>("git-comments");
  const ids = [deployments, statuses, comments].flatMap((one) =>
    [...one.values()].map(({ id }) => Number(id)),
  );
  let lastId = ids.reduce((largest, id) => Math.max(largest, id), 0);

  /** The parts of an entry that a report does not have. */
  const entryOf = (repository: string, present: Entry | undefined): Entry => {
    const updatedAt = new Date(now()).toISOString();
    if (present === undefined) lastId += 1;
    const { id = String(lastId), createdAt = updatedAt } = present ?? {};
    return { id, repository, createdAt, updatedAt };
  };
  const listOf = <T extends Entry>(all: Collection<T>, repository: string): readonly T[] =>
    [...all.values()]
      .filter((one) => one.repository === repository)
      .toSorted((one, other) => Number(one.id) - Number(other.id));

  return {
    addDeployment(repository, { id, commit, ref, environment, isPreview, state: reported, ...shown }) {
      const present =
        (id === null ? undefined : ofRepository(deployments.get(id), repository)) ??
        listOf(deployments, repository).findLast(
          (one) => one.commit === commit && one.environment === environment,
        );
      if (present === undefined && reported === "inactive") return null;
      const entry = entryOf(repository, present);
      const { url, logUrl, description } = shown;
      const status = { state: reported, url, logUrl, description, createdAt: entry.updatedAt };
      deployments.put(entry.id, {
        ...entry,
        commit,
        ref,
        environment,
        isPreview,
        statuses: [...(present?.statuses ?? []), status].slice(-STATUSES_MAX),
      });
      return entry.id;
    },
    writeComment(repository, { number, id, marker, text }) {
      const ofNumber = listOf(comments, repository).filter((one) => one.number === number);
      const entry = entryOf(
        repository,
        ofNumber.find((one) => one.id === id) ?? ofNumber.find((one) => one.marker === marker),
      );
      comments.put(entry.id, { ...entry, number, marker, text });
      return entry.id;
    },
    setStatus(repository, { commit, context, state: set, url, description }) {
      const present = listOf(statuses, repository).find(
        (one) => one.commit === commit && one.context === context,
      );
      const entry = entryOf(repository, present);
      statuses.put(entry.id, { ...entry, commit, context, state: set, url, description });
    },
    deleteComment(repository, number, id) {
      const found = ofRepository(comments.get(id), repository);
      if (found?.number !== number) return false;
      comments.delete(id);
      return true;
    },
    listDeployments: (repository) => listOf(deployments, repository),
    listStatuses: (repository) => listOf(statuses, repository),
    listComments: (repository, number) => listOf(comments, repository).filter((one) => one.number === number),
  };
}

function ofRepository<T extends Entry>(entry: T | undefined, repository: string): T | undefined {
  return entry?.repository === repository ? entry : undefined;
}
