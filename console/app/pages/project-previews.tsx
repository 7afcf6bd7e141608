import type { EnvironmentRow, Preview, ProjectRow, Service } from "../../../sdk/src/generated/types.ts";
import { describePreview, titleOfPreview } from "../api/preview-words.ts";
import { read, useLater } from "../api/query.ts";
import { isPublic } from "../api/service-words.ts";
import { DocsLink } from "../components/docs-link.tsx";
import { GitLink } from "../components/git-link.tsx";
import { Link } from "../components/link.tsx";
import { Notice } from "../components/problem.tsx";
import { ServiceAddress } from "../components/service-health.tsx";
import { Status } from "../components/status.tsx";
import { paths } from "../paths.ts";
import { Empty, Quiet, Row, Section } from "../ui/layout.tsx";
import { Table } from "../ui/table.tsx";
import { When } from "../ui/time.tsx";
import { BypassButton } from "./preview-bypass.tsx";
import { ApprovePreview, PreviewMenu } from "./preview-actions.tsx";

type Props = {
  readonly project: ProjectRow;
  readonly previews: readonly Preview[];
  readonly services: readonly Service[];
};

/** The previews of a project, or how it gets the first one. Nothing in a project without a template. */
export function ProjectPreviews({ project, previews, services }: Props) {
  const { environments } = project;
  const templates = environments.filter(({ isTemplate }) => isTemplate);
  const [template] = templates;
  if (previews.length === 0 && template === undefined) return null;
  return (
    <Section title="Previews">
      {template === undefined ? null : <UnreadPullRequests projectId={project.id} />}
      {template === undefined ? null : <PreviewDomains projectId={project.id} />}
      {previews.length === 0 ? (
        <Empty
          title="No previews yet."
          action={
            <>
              <Link to={paths.git()}>Set up the webhook</Link> <DocsLink chapter="Previews" />
            </>
          }
        >
          A preview is an environment for one pull request, made from {template?.name}. Open a pull request
          into {template?.source.branch}. Slipway finds it within five minutes, or at once if the git host’s
          webhook sends pull requests too.
        </Empty>
      ) : (
        <Previews {...{ environments, previews, services }} />
      )}
      <Row>
        {templates.map((one) => (
          <BypassButton key={one.id} template={one} />
        ))}
      </Row>
    </Section>
  );
}

/** Why previews do not follow their pull requests. */
function UnreadPullRequests({ projectId }: { readonly projectId: string }) {
  const error = useLater(read("previews", "getPullRequestRead", projectId)).data?.error ?? null;
  if (error === null) return null;
  return (
    <Notice isBad title={error.message}>
      <p>Slipway cannot read the pull requests. Until it can, previews stay as they are. {error.action}</p>
    </Notice>
  );
}

/** Says why previews are not served below their domain yet, and who acts next. */
function PreviewDomains({ projectId }: { readonly projectId: string }) {
  const domains = useLater(read("previews", "listDomains", projectId)).data?.previewDomains ?? [];
  return domains.flatMap(({ templateId, domain, domainCertificateGroupId: groupId, reason, waitsFor }) =>
    reason === null ? (
      []
    ) : (
      <Notice
        key={templateId}
        isBad={waitsFor === "user"}
        title={waitsFor === "user" ? `The names below ${domain} wait for you` : `Slipway sets up ${domain}`}
      >
        <p>
          {reason} {groupId === null ? null : <Link to={paths.group(groupId)}>Show the records</Link>}
        </p>
      </Notice>
    ),
  );
}

function Previews({
  environments,
  previews,
  services,
}: Pick<Props, "previews" | "services"> & { readonly environments: readonly EnvironmentRow[] }) {
  const rowOf = ({ environmentId }: Preview) => environments.find(({ id }) => id === environmentId);
  const servedOf = ({ environmentId }: Preview) =>
    services.find((one) => one.environmentId === environmentId && isPublic(one));
  return (
    <Table
      caption="Previews"
      rows={previews.toReversed()}
      keyOf={({ id }) => id}
      filterBy={(preview) => `${titleOfPreview(preview)} ${preview.branch} ${preview.commitHash}`}
      columns={[
        {
          label: "Preview",
          share: 18,
          cell: (preview) => <Name preview={preview} isThere={rowOf(preview) !== undefined} />,
          sortBy: titleOfPreview,
        },
        {
          label: "State",
          share: 20,
          cell: (preview) => {
            const { status, words, tone } = describePreview(preview, rowOf(preview));
            return <Status of={status} words={words} tone={tone} />;
          },
          sortBy: (preview) => describePreview(preview, rowOf(preview)).words,
        },
        {
          label: "Next",
          share: 20,
          wraps: true,
          cell: (preview) => describePreview(preview, rowOf(preview)).next,
        },
        {
          label: "Commit",
          share: 11,
          cell: ({ commitHash }) => <code title={commitHash}>{commitHash.slice(0, 7)}</code>,
        },
        {
          label: "Address",
          share: 18,
          cell: (preview) => {
            const service = servedOf(preview);
            return service === undefined ? <Quiet>none yet</Quiet> : <ServiceAddress service={service} />;
          },
        },
        {
          label: "Expires",
          share: 13,
          cell: ({ expiresAt }) => <When at={expiresAt} />,
          sortBy: ({ expiresAt }) => expiresAt,
        },
        {
          label: "",
          cell: (preview) => (
            <>
              {preview.state === "WAITING_FOR_APPROVAL" ? <ApprovePreview preview={preview} /> : null}{" "}
              <PreviewMenu preview={preview} />
            </>
          ),
        },
      ]}
    />
  );
}

/** Leads to its environment; before that, to its pull request. */
function Name({ preview, isThere }: { readonly preview: Preview; readonly isThere: boolean }) {
  const { environmentId, pullRequest } = preview;
  const title = titleOfPreview(preview);
  if (environmentId !== null && isThere) return <Link to={paths.environment(environmentId)}>{title}</Link>;
  return pullRequest === null ? title : <GitLink url={pullRequest.url}>{title}</GitLink>;
}
