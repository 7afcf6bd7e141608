import { ExternalLink } from "lucide-react";
import { Icon } from "../ui/icon.tsx";

/** Leads to a chapter of the reference. @param props.chapter as the reference names it, such as `Webhooks` */
export function DocsLink({ chapter }: { readonly chapter: string }) {
  return (
    <a href={`/docs#tag/${chapter.toLowerCase().replaceAll(" ", "-")}`} target="_blank" rel="noopener">
      Read about {chapter} <Icon of={ExternalLink} size={13} />
    </a>
  );
}
