import { describeApprovers, listApprovers, namesOfApprovers } from "../api/approval-rules.ts";
import type { Held } from "../api/approvals.ts";
import { titleOfCommit } from "../api/deployment-rules.ts";
import { linksOf } from "../api/git-links.ts";
import { useMe } from "../api/permissions.ts";
import { read, readAll, useLater } from "../api/query.ts";
import { ApprovalDecision } from "../components/approval-decision.tsx";
import { Link } from "../components/link.tsx";
import { paths } from "../paths.ts";
import { Between, Card, Fine, Quiet } from "../ui/layout.tsx";
import { When } from "../ui/time.tsx";

/** A deployment that waits in one environment: what it is, what it replaces, who may decide, and the decision. */
export function ApprovalCard({ held }: { readonly held: Held }) {
  const { row, deployment, approval, environment } = held;
  const { id, projectId, commit, branch } = deployment;
  const project = useLater(read("projects", "get", projectId)).data;
  const compared = useLater(read("deployments", "compare", id, {})).data;
  const since = compared?.comparedWith ?? null;
  const links =
    project === undefined
      ? null
      : linksOf({ repoUrl: project.repoUrl, ...project.codeSource }, deployment, since?.commitHash ?? null);
  const compare = links?.compare ?? null;
  return (
    <Card label={`${row.projectName}, ${environment}: ${titleOfCommit(deployment)}`}>
      <Between>
        <div>
          <strong>
            <Link to={paths.deployment(id)}>{titleOfCommit(deployment)}</Link>
          </strong>{" "}
          <Quiet>
            <code>{commit}</code> {branch}
          </Quiet>
        </div>
        <Quiet>
          <Link to={paths.project(projectId)}>{row.projectName}</Link> /{" "}
          <Link to={paths.environment(approval.environmentId)}>{environment}</Link>
        </Quiet>
      </Between>
      <p>
        {row.startedByName ?? "A push"} asked <When at={approval.requestedAt} />. Without a decision, it is
        cancelled <When at={approval.expiresAt} />.
      </p>
      <Fine>
        {compared === undefined
          ? "…"
          : since === null
            ? "It is the first deployment of its branch that could succeed."
            : since.commitHash === deployment.commitHash
              ? "The commit was also deployed last."
              : `It follows ${since.commit}, “${titleOfCommit(since)}”.`}
        {compare === null ? null : (
          <>
            {" "}
            <a href={compare} target="_blank" rel="noopener">
              See what changed
            </a>
          </>
        )}
      </Fine>
      <Between>
        <Approvers held={held} />
        <ApprovalDecision deployment={deployment} approval={approval} environment={environment} isInList />
      </Between>
    </Card>
  );
}

/** Who else may approve, by name. */
function Approvers({ held: { deployment, approval, mayDecide } }: { readonly held: Held }) {
  const { user } = useMe();
  const { projectId, startedBy } = deployment;
  const project = useLater(read("projects", "get", projectId)).data;
  const environment = useLater(read("environments", "get", approval.environmentId)).data;
  const members = useLater(readAll("projects", "listMembers", projectId, {})).data?.projectMembers;
  const users = useLater(readAll("users", "list", {})).data?.users;
  if (project === undefined || environment === undefined || members === undefined || users === undefined)
    return <Fine>{describeApprovers(approval)}</Fine>;
  const names = namesOfApprovers({
    users,
    members,
    access: project.access,
    approvers: approval.approvers,
    deployers: environment.protection.deployers,
    startedBy,
  });
  const sentence = listApprovers(names, mayDecide ? user.name : null);
  return (
    <Fine>
      {sentence} {names.length === 0 ? <Link to={paths.projectMembers(projectId)}>Give a role</Link> : null}
    </Fine>
  );
}
