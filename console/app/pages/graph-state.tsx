import { read, useLater } from "../api/query.ts";
import { Status } from "../components/status.tsx";
import { Quiet } from "../ui/layout.tsx";

/** How a service does, as the platform says. */
export function StateOf({ serviceId }: { readonly serviceId: string }) {
  const { data, error } = useLater(read("services", "getHealth", serviceId));
  if (error !== null) return <Quiet>state not known</Quiet>;
  return data === undefined ? <Quiet>asking…</Quiet> : <Status of={data.health} />;
}
