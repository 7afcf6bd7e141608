import { useState } from "react";
import { read, useLater } from "../api/query.ts";
import { summarizeDays } from "../api/deployment-days.ts";
import { DeploymentPictures } from "../components/pictures.tsx";
import css from "./deployments.module.css";

/** As many days as the pictures show: both are one read. */
const DAYS = 30;

/** How deployments ended in the last days, in a line; opened, as pictures. */
export function DeploymentStatistics({ projectId }: { readonly projectId: string | undefined }) {
  const [isOpen, setOpen] = useState(false);
  const { data } = useLater(
    read("overview", "getStatistics", projectId === undefined ? { days: DAYS } : { days: DAYS, projectId }),
  );
  return (
    <details className={css["statistics"]} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        <strong>Last {DAYS} days</strong>
        <span>{data === undefined ? "" : summarizeDays(data.deploymentDays)}</span>
      </summary>
      {isOpen ? <DeploymentPictures projectId={projectId} /> : null}
    </details>
  );
}
