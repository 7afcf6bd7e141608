import { read, useLater } from "../api/query.ts";
import { Notice } from "../components/problem.tsx";
import { useRefresh } from "../live/use-refresh.ts";
import { Section } from "../ui/layout.tsx";

/** A failure, and the end, are events of a service. */
const EVERY_MS = 3_000;

/** The removed data stores of a project that are not deleted yet, with why they cannot be. Usually nothing. */
export function StoreDeletions({ projectId }: { readonly projectId: string }) {
  const { data } = useLater(read("projects", "listDataStoreDeletions", projectId));
  const isShown = data !== undefined && data.dataStoreDeletions.length > 0;
  useRefresh("projects", "listDataStoreDeletions", EVERY_MS, isShown);
  if (data === undefined || data.dataStoreDeletions.length === 0) return null;
  return (
    <Section title="Data stores that are being deleted">
      {data.dataStoreDeletions.map(({ serviceId, serviceConfigId, environmentConfigId, type, failure }) => {
        const environment = environmentConfigId === null ? "" : ` of ${environmentConfigId}`;
        const name = `${serviceConfigId ?? serviceId} (${type})${environment}`;
        return failure === null ? (
          <Notice key={serviceId} title={`${name} is being deleted.`} />
        ) : (
          <Notice key={serviceId} isBad title={`${name} cannot be deleted. Slipway tries again.`}>
            {failure.message}
          </Notice>
        );
      })}
    </Section>
  );
}
