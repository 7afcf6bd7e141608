import { useNavigate, useSearch } from "@tanstack/react-router";
import { useMemo } from "react";
import type { DeploymentDetails } from "../../../sdk/src/generated/types.ts";
import { Problem } from "../components/problem.tsx";
import { Section } from "../ui/layout.tsx";
import { BarSelect } from "../ui/log-bar.tsx";
import { LogView } from "../ui/log-view.tsx";
import type { DeploymentLogRow, useDeploymentLog } from "./deployment-log.ts";

/** The log of a deployment, of all its services or of the service in the address. */
export function DeploymentLog({
  deployment,
  log,
}: {
  readonly deployment: DeploymentDetails;
  readonly log: ReturnType<typeof useDeploymentLog>;
}) {
  const search = useSearch({ from: "/shell/deployments/$deploymentId" });
  const navigate = useNavigate();
  const { service = "", line } = search;
  const show = (changes: { readonly service?: string | undefined; readonly line?: number | undefined }) =>
    void navigate({
      to: ".",
      search: { ...search, ...changes } as never,
      replace: true,
      resetScroll: false,
    });
  const rows: readonly DeploymentLogRow[] = useMemo(
    () => (service === "" ? log.rows : log.rows.filter(({ serviceId }) => serviceId === service)),
    [log.rows, service],
  );
  const choices = deployment.services.filter(({ type }) => type !== "external");
  return (
    <Section title="Log">
      {log.error === null ? null : <Problem error={log.error} />}
      <LogView
        label="Log"
        rows={rows}
        state={log.isLive && deployment.endedAt === null ? "live" : ""}
        empty={
          !log.isLive
            ? "Nothing was printed."
            : deployment.endedAt === null
              ? "Nothing was printed yet."
              : "Reading the log…"
        }
        fileName={`deployment-${deployment.commit}.log`}
        chosen={line ?? null}
        onChoose={(chosen) => {
          const address = new URL(globalThis.location.href);
          address.searchParams.set("line", String(chosen));
          show({ line: chosen });
          return address.href;
        }}
        controls={
          <BarSelect
            label="Service"
            value={service}
            options={[["", "All services"], ...choices.map(({ id, name }) => [id, name] as const)]}
            onChange={(chosen) => show({ service: chosen === "" ? undefined : chosen, line: undefined })}
          />
        }
      />
    </Section>
  );
}
