import { useState } from "react";
import { summarizeDays } from "../api/deployment-days.ts";
import { STATISTICS_DAYS, useStatistics } from "../api/statistics.ts";
import { DeploymentPictures } from "../components/pictures.tsx";
import css from "./deployments.module.css";

/** How deployments ended in the last days, in a line; opened, as pictures. */
export function DeploymentStatistics({ projectId }: { readonly projectId: string | undefined }) {
  const [isOpen, setOpen] = useState(false);
  const { data } = useStatistics(projectId);
  return (
    <details className={css["statistics"]} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        <strong>Last {STATISTICS_DAYS} days</strong>
        <span>{data === undefined ? "" : summarizeDays(data.deploymentDays)}</span>
      </summary>
      {isOpen ? <DeploymentPictures projectId={projectId} /> : null}
    </details>
  );
}
