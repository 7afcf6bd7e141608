import { read, useLater } from "../api/query.ts";
import { Status } from "../components/status.tsx";
import { Quiet } from "../ui/layout.tsx";

/** The health of a service, as the platform reports it. */
export function StateOf({ serviceId }: { readonly serviceId: string }) {
  const { data, error } = useLater(read("services", "getHealth", serviceId));
  if (error !== null) return <Quiet>state not known</Quiet>;
  if (data !== undefined) return <Status of={data.health} />;
  return <Asking />;
}

/** In place of what is not known yet. */
export function Asking() {
  return (
    <span aria-busy="true">
      <Quiet>asking…</Quiet>
    </span>
  );
}
