/** Links to a project or an environment of which only the id is known. */
import { read, useLater } from "../api/query.ts";
import { paths } from "../paths.ts";
import { Link } from "./link.tsx";

export function ProjectLink({ id }: { readonly id: string }) {
  const { data } = useLater(read("projects", "get", id));
  return <Link to={paths.project(id)}>{data?.name ?? "One project"}</Link>;
}

export function EnvironmentLink({ id }: { readonly id: string }) {
  const { data } = useLater(read("environments", "get", id));
  return <Link to={paths.environment(id)}>{data?.name ?? "One environment"}</Link>;
}
