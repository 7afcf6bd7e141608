import { ExternalLink, Trash2 } from "lucide-react";
import { useState } from "react";
import type { Preview } from "../../../sdk/src/generated/types.ts";
import { reasonByRole } from "../api/approval-rules.ts";
import { slipway } from "../api/client.ts";
import { useCan } from "../api/permissions.ts";
import { titleOfPreview } from "../api/preview-words.ts";
import { ActionMenu, ConfirmDialog } from "../components/confirm.tsx";
import { copyItem } from "../components/copy-item.ts";
import { GitLink } from "../components/git-link.tsx";
import { Button } from "../ui/button.tsx";
import { Facts } from "../ui/layout.tsx";

/** Approves the commit that the dialog shows: a newer one, which comes meanwhile, is not approved. */
export function ApprovePreview({ preview }: { readonly preview: Preview }) {
  const [asked, setAsked] = useState<Preview | null>(null);
  const target = { projectId: preview.projectId, environmentId: preview.templateId };
  const { reason: deciding } = useCan("deploy", target);
  const { reason: protecting } = useCan("protect environments", target);
  const reason = reasonByRole({ deciding, protecting }, preview.waitsFor);
  return (
    <>
      <Button
        size="small"
        aria-label={`Approve ${titleOfPreview(preview)}`}
        disabledReason={reason}
        onClick={() => setAsked(preview)}
      >
        Approve
      </Button>
      {asked === null ? null : <ApproveDialog preview={asked} onClose={() => setAsked(null)} />}
    </>
  );
}

function ApproveDialog({ preview, onClose }: { readonly preview: Preview; readonly onClose: () => void }) {
  const { id, commitHash, pullRequest, branch } = preview;
  return (
    <ConfirmDialog
      title={`Approve a commit of ${titleOfPreview(preview)}?`}
      consequences={[
        "The commit comes from another repository. Its code is built and run in your cloud account. Read it first, with its build command and its dependencies.",
        "It gets no secret: only plain variables.",
        "Only this commit is approved. The next one waits for another approval.",
      ]}
      details={
        <Facts
          of={[
            ["Commit", <code key="commit">{commitHash}</code>],
            ["Branch", branch],
            ["Repository", pullRequest?.headRepository ?? "deleted or hidden"],
            ["Author", pullRequest?.author ?? "not known"],
            ...(pullRequest === null
              ? []
              : [
                  [
                    "Pull request",
                    <GitLink key="request" url={pullRequest.url}>
                      {pullRequest.url}
                    </GitLink>,
                  ] as const,
                ]),
          ]}
        />
      }
      action={`Approve ${commitHash.slice(0, 8)}`}
      isSafe
      work={() => slipway.previews.approve(id, { commitHash })}
      said="Approved. It is deployed now."
      refreshes={["previews", "environments", "overview"]}
      onClose={onClose}
    />
  );
}

export function PreviewMenu({ preview }: { readonly preview: Preview }) {
  const { id, projectId, templateId, pullRequest, state, environmentId } = preview;
  const { reason } = useCan("deploy", { projectId, environmentId: templateId });
  const title = titleOfPreview(preview);
  return (
    <ActionMenu
      of={title}
      actions={[
        ...(pullRequest === null
          ? []
          : [
              {
                label: "Open the pull request",
                icon: ExternalLink,
                onSelect: () => void window.open(pullRequest.url, "_blank", "noopener,noreferrer"),
              },
            ]),
        copyItem("the preview id", id),
        ...(environmentId === null ? [] : [copyItem("the environment id", environmentId)]),
        {
          label: "Delete…",
          icon: Trash2,
          isDanger: true,
          disabledReason: reason ?? (state === "DELETING" ? "It is being deleted." : null),
          write: {
            work: () => slipway.previews.delete(id),
            said: "It is being deleted.",
            refreshes: ["previews", "environments", "overview", "services"],
            question: {
              title: `Delete the preview ${title}?`,
              consequences: [
                "Its address stops working, and all that it has in the cloud account is removed.",
                ...(pullRequest === null ? [] : ["The next commit of the pull request creates it again."]),
              ],
              action: "Delete",
            },
          },
        },
      ]}
    />
  );
}
