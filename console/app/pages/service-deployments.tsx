import { useParams } from "@tanstack/react-router";
import { readPages, useList } from "../api/query.ts";
import { DeploymentsTable } from "../components/deployments-table.tsx";
import { moreOf } from "../components/more.ts";
import { ServiceFrame } from "../components/service-frame.tsx";
import { Empty, Section } from "../ui/layout.tsx";

export function ServiceDeploymentsPage() {
  const { serviceId } = useParams({ from: "/shell/services/$serviceId/deployments" });
  const list = useList(readPages("overview", "listDeployments", { serviceId, order: "desc" }), "deployments");
  const rows = list.items ?? [];
  return (
    <ServiceFrame serviceId={serviceId}>
      <Section title="Deployments">
        {rows.length === 0 ? (
          <Empty title="Never deployed.">Deploy its project to build and run it.</Empty>
        ) : (
          <DeploymentsTable
            caption="Deployments of this service"
            rows={rows}
            more={moreOf(list)}
            hasProject={false}
          />
        )}
      </Section>
    </ServiceFrame>
  );
}
