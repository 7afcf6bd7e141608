import type { Service } from "../../../sdk/src/generated/types.ts";
import { isStore } from "../api/service-words.ts";
import { read, useLater } from "../api/query.ts";
import { Badge, Quiet } from "../ui/layout.tsx";
import { SiteLink } from "./site-link.tsx";
import { Status } from "./status.tsx";

/** The health of a service, as the platform reports it, or the state of a data store. It is read after the page is shown. */
export function ServiceHealth({ service: { id, type } }: { readonly service: Pick<Service, "id" | "type"> }) {
  return isStore(type) ? <StoreHealth serviceId={id} /> : <ReportedHealth serviceId={id} />;
}

function StoreHealth({ serviceId }: { readonly serviceId: string }) {
  const { data, error } = useLater(read("services", "get", serviceId));
  if (data?.dataStore) return <StoreStatus of={data.dataStore} />;
  // Slipway does not look into existing data stores.
  return data !== undefined || error !== null ? <Quiet>Not checked</Quiet> : <Checking />;
}

/** The state of a data store that Slipway creates. */
export function StoreStatus({ of: { status } }: { readonly of: NonNullable<Service["dataStore"]> }) {
  return <Status of={status} words={status === "CREATING" ? "Being created" : undefined} />;
}

function ReportedHealth({ serviceId }: { readonly serviceId: string }) {
  const { data, error } = useLater(read("services", "getHealth", serviceId));
  if (data !== undefined) return <Status of={data.health} />;
  if (error !== null) return <Badge tone="calm">Health not known</Badge>;
  return <Checking />;
}

function Checking() {
  return (
    <span aria-busy="true">
      <Quiet>checking…</Quiet>
    </span>
  );
}

/** Where people reach a service: one of its domains, otherwise the host of its distribution. */
export function ServiceAddress({
  service: { id, cdnDomainName },
}: {
  readonly service: Pick<Service, "id" | "cdnDomainName">;
}) {
  const { data, error } = useLater(read("services", "getHealth", id));
  if (cdnDomainName === null) return <Quiet>none</Quiet>;
  if (data === undefined && error === null) return <Quiet>…</Quiet>;
  const [first, ...others] = (data?.urls ?? []).map((url) => new URL(url).hostname);
  return (
    <>
      <SiteLink host={first ?? cdnDomainName} />
      {others.length === 0 ? null : <small> and {others.length} more</small>}
    </>
  );
}
