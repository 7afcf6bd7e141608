/** The actions of one domain in a list. */
import { FolderOpen, RefreshCw, RotateCcw, Send, Trash2 } from "lucide-react";
import type { DomainRow } from "../../../sdk/src/generated/types.ts";
import { slipway } from "../api/client.ts";
import { deletionConsequences, deletionText, DOMAIN_REFRESHES, hasFailed } from "../api/domain-selection.ts";
import type { MenuAction } from "../components/confirm.tsx";
import { copyItem } from "../components/copy-item.ts";
import { paths } from "../paths.ts";

/** @param reason why the caller must not change domains; null: they may */
export function rowActions(
  row: DomainRow,
  reason: string | null,
  onShare: () => void,
): readonly MenuAction[] {
  const { id, name, status, domainCertificateGroupId: groupId } = row;
  const whileLeaving = status === "DETACHING" ? "It is being removed." : reason;
  return [
    { label: "Open its group", icon: FolderOpen, to: paths.group(groupId) },
    copyItem("the name", name),
    {
      label: "Check DNS now",
      icon: RefreshCw,
      disabledReason: reason,
      write: {
        work: () => slipway.domains.check(id),
        said: "Checking. The result appears here.",
        refreshes: DOMAIN_REFRESHES,
      },
    },
    { label: "Share with the owner…", icon: Send, disabledReason: whileLeaving, onSelect: onShare },
    ...(hasFailed(row)
      ? [
          {
            label: "Retry",
            icon: RotateCcw,
            disabledReason: reason,
            write: {
              work: () => slipway.domainGroups.retryAttachment(groupId),
              said: "Slipway tries again.",
              refreshes: DOMAIN_REFRESHES,
            },
          },
        ]
      : []),
    {
      label: "Delete…",
      icon: Trash2,
      isDanger: true,
      disabledReason: whileLeaving,
      write: {
        work: () => slipway.domainGroups.deleteDomain(groupId, id),
        said: `${name} is being removed.`,
        refreshes: DOMAIN_REFRESHES,
        question: {
          title: `Delete ${name}?`,
          consequences: deletionConsequences([row]),
          action: "Delete domain",
          typed: deletionText([row]),
        },
      },
    },
  ];
}
