import { Type } from "typebox";
import {
  At,
  CreatedAt,
  EXAMPLE_IDS,
  Flag,
  Id,
  Instant,
  Nullable,
  NullableInstant,
  Text,
  UpdatedAt,
  Words,
  viewAs,
} from "../../http/schemas.ts";
import { DomainStatusSchema } from "../custom-domains/domain-views.ts";
import { TokenCheckErrorSchema } from "../git-integrations/views.ts";
import type { Platform } from "../../cloud/platform.ts";
import { CLEANUP_ACTORS, type Orphan, ORPHAN_KINDS } from "./preview-removal.ts";
import type { PreviewDomain } from "./preview-domain.ts";
import type { Environment } from "../projects/project.ts";
import {
  approverOf,
  type Preview,
  PREVIEW_STATES,
  type PreviewState,
  type PullRequestRead,
} from "./preview.ts";

const PullRequestSchema = Type.Object(
  {
    number: Type.Integer({ description: "Its number at the git host.", examples: [12] }),
    title: Text("Its title.", "Add a cart"),
    url: Text("Its address, for people.", "https://github.com/acme/shop/pull/12"),
    author: Nullable(Text("The login of its author; null if the account was deleted.", "ada")),
    base: Text("The branch that it is to be merged into.", "main"),
    headRepository: Nullable(
      Text("The repository of its commits; null if that was deleted or is hidden.", "acme/shop"),
    ),
  },
  { title: "PullRequest", description: "A pull request as the git host last described it." },
);

const WAITING: Readonly<Record<PreviewState, "developer" | "slipway" | null>> = {
  WAITING_FOR_APPROVAL: null,
  WAITING_FOR_CAPACITY: "slipway",
  ACTIVE: null,
  SLEEPING: null,
  ENDED: null,
  DELETING: "slipway",
};

export const PreviewStateSchema = Words(PREVIEW_STATES, {
  title: "PreviewState",
  description:
    "`WAITING_FOR_APPROVAL`: the commit is from another repository, and a member has to approve it. `WAITING_FOR_CAPACITY`: there are as many previews as the template allows. `ACTIVE`: it has an environment. `SLEEPING`: likewise, and its processes are stopped until the next request, because it got none for a while. `ENDED`: it expired or was deleted, until the next commit. `DELETING`: what it has in the cloud account is being removed.",
  examples: ["ACTIVE"],
});

export const PreviewSchema = Type.Object(
  {
    id: Id("prev", "Id of the preview."),
    projectId: Id("proj", "The project that it belongs to."),
    templateId: Id("env", "The environment that it is made from."),
    environmentId: Nullable(Id("env", "Its own environment; null while it has none.")),
    key: Text("`pr-12` for a pull request; otherwise as a client named it.", "pr-12"),
    pullRequest: Nullable(PullRequestSchema),
    branch: Text("The branch of its commits.", "feature/cart"),
    commitHash: Text("The commit that it is to show.", "9fceb02d0ae598e95dc970b74767f19372d61af8"),
    deployedCommitHash: Nullable(
      Text("The commit that was last deployed to it.", "9fceb02d0ae598e95dc970b74767f19372d61af8"),
    ),
    isFork: Flag(
      "Whether its commits come from another repository. Each commit needs an approval then, and gets no secret.",
      false,
    ),
    state: PreviewStateSchema,
    sleepingSince: NullableInstant(
      "When its processes were stopped; null unless it is `SLEEPING`. After a request wakes it, this may take a minute to change.",
      null,
    ),
    reason: Nullable(Text("Why it is in this state; null if the state says all.", null)),
    waitsFor: Nullable(
      Words(CLEANUP_ACTORS, {
        title: "PreviewActor",
        description:
          "Who acts next: a member of the project, an admin, who approves the commit or corrects the cloud account, or Slipway; null if nothing waits.",
        examples: ["developer"],
      }),
    ),
    approvedBy: Nullable(At(Type.String(), "The user who approved the present commit.", EXAMPLE_IDS.user)),
    expiresAt: Instant("When it is deleted if no commit comes.", "2026-12-04T09:30:12.000Z"),
    createdAt: CreatedAt(),
    updatedAt: UpdatedAt(),
  },
  {
    title: "Preview",
    description: "An environment of its own for a pull request, or for a key of a client.",
  },
);

export const OrphanSchema = Type.Object(
  {
    kind: Words(ORPHAN_KINDS, {
      title: "OrphanKind",
      description:
        "`service`, `environment`: the stack of one; `distribution`; `parameter`, `secret`: a managed value.",
      examples: ["distribution"],
    }),
    name: Text("Its name or id at the provider.", "E2QWRUHAPOMQZL"),
    region: Nullable(Text("Its region; null for a distribution.", null)),
    awsAccountId: Id("aws", "The connection to the account that it is in."),
    projectId: Id("proj", "The project."),
    environmentId: Id("env", "The deleted environment that it belonged to."),
    previewId: Id(
      "prev",
      "The preview that had the environment. It may have another one by now, or be deleted.",
    ),
    key: Text("The key of the preview.", "pr-12"),
    removedSince: Instant("When its removal began.", "2026-11-20T09:30:12.000Z"),
    errorCode: Nullable(
      Text("Why the account refuses its removal; null if it does not.", "ACCESS_DENIED", null),
    ),
    reason: Nullable(
      Text("What keeps the removal from completing; null while it only takes its time.", null),
    ),
    waitsFor: Words(CLEANUP_ACTORS, {
      title: "OrphanActor",
      description:
        "Who acts next: an admin of the cloud account, or Slipway, which tries again until it is removed.",
      examples: ["slipway"],
    }),
  },
  {
    title: "Orphan",
    description: "A resource that a deleted preview has, or may have, in a cloud account.",
  },
);

export function viewOrphan({ problem, requestedAt, kind, id, ...orphan }: Orphan, platform: Platform | null) {
  const isStack = kind === "service" || kind === "environment";
  return viewAs(OrphanSchema, {
    ...orphan,
    kind,
    name: isStack ? (platform?.stackNameOf({ kind, id }) ?? id) : orphan.name,
    removedSince: requestedAt,
    reason: problem?.message ?? null,
    waitsFor: problem?.waitsFor ?? "slipway",
  });
}

export const PullRequestReadSchema = Type.Object(
  {
    listedAt: NullableInstant(
      "When all open pull requests were last listed; null before that. Until the next list, the host said that nothing changed.",
    ),
    error: At(
      TokenCheckErrorSchema,
      "Why the last read failed: the git host, the git integration, or the configuration file on the branch of a template. Previews stay as they are, and Slipway tries again. Null if it succeeded.",
      null,
    ),
  },
  { title: "PullRequestRead", description: "How Slipway last read the pull requests of a project." },
);

export const BypassSchema = Type.Object(
  {
    header: Text("The header to send it in.", "x-slipway-bypass"),
    secret: Text("The secret. Shown only once.", "dGVzdHMtcGFzcy13aXRoLXRoaXMtc2VjcmV0LW9ubHkh"),
  },
  { title: "PreviewBypass", description: "With it, tests pass the protection of a template's previews." },
);

export const GateSchema = Type.Object(
  {
    url: Text(
      "Where the browser goes next.",
      "https://d111111abcdef8.cloudfront.net/.well-known/slipway/enter",
    ),
  },
  { title: "PreviewEntry", description: "The way of a browser into a protected preview." },
);

export const PreviewDomainsSchema = Type.Object(
  {
    previewDomains: Type.Array(
      Type.Object(
        {
          templateId: Id("env", "The template, whose configuration has `source.previews.domain`."),
          domain: Text("The domain; previews have names one label below it.", "preview.example.com"),
          serviceId: Nullable(Id("svc", "The service that has the domain; null until Slipway has made it.")),
          domainCertificateGroupId: Nullable(
            Id("group", "The group of the wildcard domain; null until it is added."),
          ),
          domainId: Nullable(
            Id("dom", "The wildcard domain, with the records to set; null until it is added."),
          ),
          status: Nullable(
            At(DomainStatusSchema, "The status of the wildcard domain; null until it is added."),
          ),
          waitsFor: Nullable(
            Words(["user", "slipway"], {
              title: "PreviewDomainActor",
              description:
                "Who acts next: a person, who sets records or corrects what `reason` names, or Slipway; null if previews are served below the domain.",
              examples: ["user"],
            }),
          ),
          reason: Nullable(
            Text(
              "Why previews are not served below the domain yet; null if they are.",
              "Set the DNS records of *.preview.example.com. Until then, previews are not served.",
            ),
          ),
        },
        { title: "PreviewDomain", description: "The domain below which the previews of a template are." },
      ),
      { description: "One for each template that has a domain, ordered by the templates' ids." },
    ),
  },
  { title: "PreviewDomains", description: "The domains of a project's previews." },
);

export function viewPreviewDomains(domains: readonly PreviewDomain[]) {
  return viewAs(PreviewDomainsSchema, {
    previewDomains: domains.map((one) => ({ ...one, domainCertificateGroupId: one.groupId })),
  });
}

export function viewPullRequestRead(read: PullRequestRead) {
  return viewAs(PullRequestReadSchema, read);
}

/** By id; null for a deleted template. */
export type Templates = ReadonlyMap<string, Environment | null>;

/** @param templates with that of the preview, if it waits for an approval */
export function viewPreview(preview: Preview, templates: Templates) {
  const { state, problem, deployedCommit, pullRequest, approvedCommit, commitHash } = preview;
  const isApproved = approvedCommit === commitHash;
  const isWaiting = state === "WAITING_FOR_APPROVAL";
  const approver = isApproved ? "slipway" : approverOf(templates.get(preview.templateId) ?? null);
  return viewAs(PreviewSchema, {
    ...preview,
    pullRequest,
    reason: problem?.message ?? preview.reason,
    deployedCommitHash: deployedCommit,
    approvedBy: isApproved ? preview.approvedBy : null,
    waitsFor: problem?.waitsFor ?? (isWaiting ? approver : WAITING[state]),
  });
}
