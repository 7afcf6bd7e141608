import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { read, useRead } from "../api/query.ts";
import { isStore } from "../api/service-words.ts";
import { Link } from "../components/link.tsx";
import { Problem } from "../components/problem.tsx";
import { ServiceFrame } from "../components/service-frame.tsx";
import { paths } from "../paths.ts";
import { Empty, Fine, Section } from "../ui/layout.tsx";
import { LogView } from "../ui/log-view.tsx";
import { useServiceLog } from "./service-log.ts";

export function ServiceLogsPage() {
  const { serviceId } = useParams({ from: "/shell/services/$serviceId/logs" });
  const { type } = useRead(read("services", "get", serviceId));
  return (
    <ServiceFrame serviceId={serviceId}>
      <Section title="Logs">
        {type === "external" || isStore(type) ? (
          <Empty title="No logs here.">
            {type === "external" ? "An external service" : "A data store"} runs elsewhere, where its logs are.
          </Empty>
        ) : (
          <Log key={serviceId} serviceId={serviceId} />
        )}
      </Section>
    </ServiceFrame>
  );
}

function Log({ serviceId }: { readonly serviceId: string }) {
  const log = useServiceLog(serviceId);
  const { line } = useSearch({ from: "/shell/services/$serviceId/logs" });
  const navigate = useNavigate();
  return (
    <>
      {log.error === null ? null : <Problem error={log.error} />}
      <Fine>
        {log.deploymentId === null ? (
          "What its live release prints. How it was built is in the log of the deployment."
        ) : (
          <>
            What the live release prints. How it was built is in the log of{" "}
            <Link to={paths.deployment(log.deploymentId)}>its deployment</Link>.
          </>
        )}
      </Fine>
      <LogView
        label="Log"
        rows={log.rows}
        state={log.error === null ? "live" : ""}
        empty="Nothing was printed yet."
        fileName={`${serviceId}.log`}
        chosen={line ?? null}
        onChoose={(chosen) => {
          const address = new URL(globalThis.location.href);
          address.searchParams.set("line", String(chosen));
          void navigate({ to: ".", search: { line: chosen } as never, replace: true, resetScroll: false });
          return address.href;
        }}
      />
    </>
  );
}
